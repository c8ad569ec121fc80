/**
 * Notes: plain text and Markdown. The front matter of a note becomes its date and metadata; every piece begins with the headings that
 * it stands under, so that "Opened in 1999" is still known to be about the restaurant. Links stay as they are written.
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
  /** The time of the file's last change stands in where nothing else tells a date. */
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

/** Daily notes are named by their day. */
function dateOf({ name, modifiedMs }: Note, { nowMs, fileTimes }: NoteOptions): string | undefined {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(titleOf(name))?.[0]
  const named = momentOf(day, nowMs)
  if (named !== undefined || !fileTimes || modifiedMs === undefined) return named
  return momentOf(modifiedMs / 1000, nowMs)
}

/** Sections together up to this size; below what the service takes for a long text, whose sentences it packs by length. */
const sectionCharacters = 3_500

/** Sections that fit together make one piece; one that is too long, several, each with its headings before it. */
function* sectionPieces(body: string, title: string): Generator<string> {
  let piece = ''
  for (const { headings, text } of sectionsOf(body)) {
    if (isBlank(text)) continue
    // A note often says its name again as its first heading.
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

/** `## Title ##` is a title, `## C#` another. */
function withoutClosing(heading: string): string {
  let end = heading.length
  while (heading[end - 1] === '#') end -= 1
  return /[ \t]/.test(heading[end - 1] ?? '') ? heading.slice(0, end).trimEnd() : heading
}
