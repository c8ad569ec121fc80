/**
 * Reads notes in plain text and Markdown. The front matter becomes the date and the metadata. Every piece starts with the headings
 * above it, so that "Opened in 1999" is still about the restaurant. Links stay as they are written.
 */
import { cleanMetadata, cleanText, isBlank, momentOf } from './clean.js'
import { type FrontMatter, frontMatterOf } from './front-matter.js'
import { leftOut, type Read } from './item.js'
import { itemsOf, textPieces } from './pieces.js'
import type { Reader } from './reader.js'
import { wholeText } from './source.js'

const isMarkdown = (name: string) => /\.(?:md|markdown|mdx)$/i.test(name)

export function isPlainText(name: string): boolean {
  return /\.(?:txt|text)$/i.test(name)
}

export function isNote(name: string): boolean {
  return isMarkdown(name) || isPlainText(name)
}

export const markdown: Reader = {
  isFile: isNote,
  isText: (start, name) => isMarkdown(name) || /^(?:---|#{1,6} )/.test(start),
  async *read(file, options) {
    const note = { ...file, text: await wholeText(file) }
    yield* isPlainText(file.name) ? readText(note, options) : readMarkdown(note, options)
  },
}

export const plainText: Reader = {
  isFile: isNote,
  isText: () => true,
  async *read(file, options) {
    yield* readText({ ...file, text: await wholeText(file) }, options)
  },
}

export interface Note {
  readonly name: string
  readonly text: string
  readonly modifiedMs?: number | undefined
}

export interface NoteOptions {
  readonly nowMs: number
  /** Uses the modification time of the file if there is no other date. */
  readonly fileTimes: boolean
}

export function* readText(note: Note, options: NoteOptions): Generator<Read> {
  const text = cleanText(note.text)
  const metadata = cleanMetadata({ file: note.name })
  yield* readPieces(note.name, textPieces(text), metadata, noteDate(note, {}, options), 'text')
}

export function* readMarkdown(note: Note, options: NoteOptions): Generator<Read> {
  const { fields, body } = frontMatterOf(cleanText(note.text))
  const { title = titleOf(note.name), ...labels } = fields
  const metadata = cleanMetadata({ file: note.name, title, ...labels })
  const createdAt = noteDate(note, fields, options)
  yield* readPieces(note.name, sectionPieces(body, String(title)), metadata, createdAt, 'markdown')
}

export function* readPieces(
  name: string,
  pieces: Iterable<string>,
  metadata: Readonly<Record<string, unknown>>,
  createdAt: string | undefined,
  source: string,
): Generator<Read> {
  let count = 0
  for (const item of itemsOf(name, pieces, { source, metadata, createdAt })) {
    count += 1
    yield item
  }
  if (count === 0) yield leftOut(name, 'it has no text')
}

export function titleOf(name: string): string {
  return name.replace(/^.*\//, '').replace(/\.[^.]*$/, '')
}

/** From the front matter, or from the name: daily notes are named after their day. */
export function noteDate(
  { name, modifiedMs }: Pick<Note, 'name' | 'modifiedMs'>,
  fields: FrontMatter['fields'],
  { nowMs, fileTimes }: NoteOptions,
): string | undefined {
  const written = [fields.date, fields.created, fields.created_at, fields['date created']]
  const told = written.map((value) => momentOf(value, nowMs)).find((moment) => moment !== undefined)
  if (told !== undefined) return told
  const day = /^\d{4}-\d{2}-\d{2}/.exec(titleOf(name))?.[0]
  const named = momentOf(day, nowMs)
  if (named !== undefined || !fileTimes || modifiedMs === undefined) return named
  return momentOf(modifiedMs / 1000, nowMs)
}

/** Size up to which sections are combined. Stays below the size at which the service treats a text as long and groups its sentences by length. */
const sectionCharacters = 3_500

/** Combines small sections into one piece, and splits a long one into several, each with its headings. */
export function* sectionPieces(body: string, title: string): Generator<string> {
  let piece = ''
  for (const { headings, text } of sectionsOf(body)) {
    if (isBlank(text)) continue
    // A note often repeats its name as its first heading.
    const path = headings[0] === title ? headings : [title, ...headings]
    const lead = `# ${path.join(' › ')}\n`
    for (const part of textPieces(text, sectionCharacters)) {
      if (piece !== '' && piece.length + lead.length + part.length > sectionCharacters) {
        yield piece
        piece = ''
      }
      piece += `${piece === '' ? '' : '\n\n'}${lead}${part}`
    }
  }
  if (piece !== '') yield piece
}

interface Section {
  readonly headings: readonly string[]
  readonly text: string
}

function* sectionsOf(body: string): Generator<Section> {
  let headings: { readonly level: number; readonly text: string }[] = []
  let lines: string[] = []
  let fence = ''
  const section = () => ({ headings: headings.map(({ text }) => text), text: lines.join('\n') })
  for (const line of body.split('\n')) {
    const mark = /^ {0,3}(```+|~~~+)/.exec(line)?.[1] ?? ''
    if (mark !== '' && (fence === '' || mark.startsWith(fence))) fence = fence === '' ? mark : ''
    const heading = fence === '' ? /^ {0,3}(#{1,6})[ \t]+(\S.*)$/.exec(line) : null
    if (heading === null) lines.push(line)
    else {
      yield section()
      const level = heading[1]?.length ?? 1
      const text = withoutClosing((heading[2] ?? '').trim())
      headings = [...headings.filter((above) => above.level < level), { level, text }]
      lines = []
    }
  }
  yield section()
}

/** Removes closing hashes as in `## Title ##`, but keeps the one in `## C#`. */
function withoutClosing(heading: string): string {
  let end = heading.length
  while (heading[end - 1] === '#') end -= 1
  return /[ \t]/.test(heading[end - 1] ?? '') ? heading.slice(0, end).trimEnd() : heading
}
