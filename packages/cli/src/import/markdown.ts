/**
 * Reads notes in plain text and Markdown. The front matter becomes the date and the metadata. Every piece starts with the headings
 * above it, so that "Opened in 1999" is still about the restaurant. Links stay as they are written.
 */
import { cleanMetadata, cleanText, isBlank, momentOf } from './clean.js'
import { frontMatterOf } from './front-matter.js'
import { leftOut, type Read } from './item.js'
import { numbered, textPieces } from './pieces.js'

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
  yield* readPieces(note, textPieces(text), metadata, dateOf(note, options), 'text')
}

export function* readMarkdown(note: Note, options: NoteOptions): Generator<Read> {
  const { fields, body } = frontMatterOf(cleanText(note.text))
  const { title = titleOf(note.name), ...labels } = fields
  const metadata = cleanMetadata({ file: note.name, title, ...labels })
  const dated = [fields.date, fields.created, fields.created_at].map((value) => momentOf(value, options.nowMs))
  const createdAt = dated.find((moment) => moment !== undefined) ?? dateOf(note, options)
  yield* readPieces(note, sectionPieces(body, String(title)), metadata, createdAt, 'markdown')
}

function* readPieces(
  { name }: Note,
  pieces: Iterable<string>,
  metadata: Readonly<Record<string, unknown>>,
  createdAt: string | undefined,
  source: string,
): Generator<Read> {
  let count = 0
  for (const [part, text] of numbered(name, pieces)) {
    count += 1
    yield { kind: 'item', name: part, text, metadata, source, ...(createdAt === undefined ? {} : { createdAt }) }
  }
  if (count === 0) yield leftOut(name, 'it has no text')
}

function titleOf(name: string): string {
  return name.replace(/^.*\//, '').replace(/\.[^.]*$/, '')
}

/** Daily notes are named after their day. */
function dateOf({ name, modifiedMs }: Note, { nowMs, fileTimes }: NoteOptions): string | undefined {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(titleOf(name))?.[0]
  const named = momentOf(day, nowMs)
  if (named !== undefined || !fileTimes || modifiedMs === undefined) return named
  return momentOf(modifiedMs / 1000, nowMs)
}

/** Size up to which sections are combined. Stays below the size at which the service treats a text as long and groups its sentences by length. */
const sectionCharacters = 3_500

/** Combines small sections into one piece, and splits a long one into several, each with its headings. */
function* sectionPieces(body: string, title: string): Generator<string> {
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
