/**
 * Memories of an assistant as text, as people copy them from its settings or from its answer to an export prompt:
 *
 *   ChatGPT   `# Model Set Context`, then `1. [2024-04-26]. User loves dogs.`; the settings show one memory per line
 *   Claude    headed sections (`**Work context**`, `**Top of mind**`) with paragraphs; its import prompt produces `[2025-03-01] - …`
 *   Gemini    numbered categories with `* The user’s name is Ana.` and, below, `* Evidence: … Date: [2026-04-25].`
 *
 * Each entry becomes one item with its date. Its headings become metadata.
 */
import { cleanMetadata, cleanText, momentOf } from './clean.js'
import { leftOut, type Read } from './item.js'
import { isNote } from './markdown.js'
import { type Line, lineOf } from './memory-lines.js'
import { itemsOf, textPieces } from './pieces.js'
import type { Reader } from './reader.js'
import { wholeText } from './source.js'

export const memories: Reader = {
  isFile: isNote,
  // A note with front matter is a note, even if it lists dates.
  isText: (start) => !start.startsWith('---\n') && memoryBlockOf(start) !== null,
  async *read(file, { nowMs }) {
    yield* readMemories({ name: file.name, text: await wholeText(file) }, nowMs)
  },
}

type Assistant = 'chatgpt' | 'claude' | 'gemini'

export interface MemoryBlock {
  readonly name: string
  readonly text: string
  /** If it is known from elsewhere. */
  readonly assistant?: Assistant
  readonly metadata?: Readonly<Record<string, unknown>>
  /** For entries without a date. */
  readonly createdAt?: string | undefined
}

/** Headings that these assistants write. Two of them are enough to recognise a text. */
const headingsOf: Readonly<Record<'claude' | 'gemini', ReadonlySet<string>>> = {
  claude: new Set([
    'work context',
    'personal context',
    'top of mind',
    'brief history',
    'recent months',
    'earlier context',
    'long-term background',
    'other instructions',
    'purpose & context',
    'current state',
    'on the horizon',
    'key learnings & principles',
    'approach & patterns',
    'tools & resources',
  ]),
  gemini: new Set([
    'demographics information',
    'interests & preferences',
    'relationships',
    'dated events, projects & plans',
    'instructions',
  ]),
}
/** Headings that say only that memories follow. */
const titles: ReadonlySet<string> = new Set(['model set context', 'saved memories', 'memories', 'memory', 'assistant'])

const keyOf = (heading: string) => heading.toLowerCase().replace(/ and /g, ' & ')

/** Lines inside of code fences, if there are any: around them, the assistant talks about the export. */
function linesIn(text: string): Line[] {
  const all = text.split('\n')
  const fences = all.flatMap((line, at) => (/^\s*(?:```|~~~)/.test(line) ? [at] : []))
  const [first, last] = [fences[0], fences.at(-1)]
  const inside = first === undefined || last === undefined || first === last ? all : all.slice(first + 1, last)
  return inside.filter((line) => !/^\s*(?:```|~~~)/.test(line)).map((line) => lineOf(line, isKnown))
}

function isKnown(heading: string): boolean {
  const key = keyOf(heading)
  return titles.has(key) || headingsOf.claude.has(key) || headingsOf.gemini.has(key)
}

/** Who wrote the text; null if it is nobody's list of memories. */
function memoryBlockOf(text: string): Assistant | 'unknown' | null {
  const lines = linesIn(text).filter(({ kind }) => kind !== 'blank')
  const headings = lines.flatMap((line) => (line.kind === 'heading' ? [keyOf(line.text)] : []))
  const entries = lines.flatMap((line) => (line.kind === 'entry' ? [line] : []))
  if (headings.includes('model set context') && entries.length > 0) return 'chatgpt'
  const known = (who: 'claude' | 'gemini') => headings.filter((each) => headingsOf[who].has(each)).length
  if (known('gemini') >= 2 || lines.some((line) => line.kind === 'evidence' && line.date !== '')) return 'gemini'
  if (known('claude') >= 2) return 'claude'
  const dated = entries.filter(({ date }) => date !== undefined).length
  if (dated > 0 && dated >= entries.length / 2) return 'unknown'
  const aboutUser = entries.filter((entry) => /^(?:the )?user(?:['’]s)? /i.test(entry.text)).length
  return aboutUser >= 3 && aboutUser >= entries.length * 0.8 ? 'unknown' : null
}

interface Entry {
  text: string
  readonly sections: readonly string[]
  date: string
  readonly basis: string
  evidence: string
}

export function* readMemories(block: MemoryBlock, nowMs: number): Generator<Read> {
  const text = cleanText(block.text)
  const found = block.assistant ?? memoryBlockOf(text) ?? 'unknown'
  const source = found === 'unknown' ? 'memories' : found
  let count = 0
  for (const entry of entriesIn(linesIn(text))) {
    count += 1
    const { sections, date, basis, evidence } = entry
    const section = sections.join(' › ')
    const createdAt = momentOf(date, nowMs) ?? block.createdAt
    const metadata = cleanMetadata({
      kind: 'saved memory',
      ...block.metadata,
      ...(section === '' ? {} : { section }),
      ...(basis === '' ? {} : { basis }),
      ...(evidence === '' ? {} : { evidence }),
    })
    yield* itemsOf(`${block.name}, entry ${count}`, textPieces(standing(entry.text, section)), {
      source,
      metadata,
      createdAt,
    })
  }
  if (count === 0) yield leftOut(block.name, 'it has no text')
}

/** "Sailing" says nothing without its heading. */
function standing(text: string, section: string): string {
  return section !== '' && text.split(/\s+/).length < 4 ? `${section}: ${text}` : text
}

type EntryLine = Extract<Line, { kind: 'entry' }>

function* entriesIn(lines: readonly Line[]): Generator<Entry> {
  let entry: Entry | undefined
  let isOpen = false
  /** The lines above that end with a colon, from the outermost. */
  let above: EntryLine[] = []
  let heading = ''
  for (const [at, given] of lines.entries()) {
    const line: Line = entry !== undefined && (isOpen || given.kind === 'evidence') ? given : asEntry(given)
    isOpen = line.kind !== 'blank' && line.kind !== 'heading'
    if (entry !== undefined && line.kind === 'evidence') {
      entry.evidence = [entry.evidence, line.text].filter((each) => each !== '').join('\n')
      entry.date ||= line.date
    } else if (entry !== undefined && line.kind === 'more') entry.text += `\n${line.text}`
    if (line.kind !== 'heading' && line.kind !== 'entry') continue
    if (entry !== undefined) yield entry
    entry = undefined
    if (line.kind === 'heading') {
      heading = titles.has(keyOf(line.text)) ? '' : line.text
      above = []
      continue
    }
    above = above.filter(({ indent }) => indent < line.indent)
    if (isHead(line, lines.slice(at + 1, at + 4))) above.push(line)
    else {
      const sections = [heading, ...above.map(({ text }) => text.slice(0, -1).trim())].filter((each) => each !== '')
      entry = { text: line.text, sections, date: line.date ?? '', basis: line.basis, evidence: '' }
    }
  }
  if (entry !== undefined) yield entry
}

/** A line that continues nothing is an entry of its own. */
function asEntry(line: Line): Line {
  if (line.kind !== 'more' && line.kind !== 'evidence') return line
  return {
    kind: 'entry',
    text: line.text,
    indent: -0.5,
    date: line.kind === 'evidence' ? line.date : undefined,
    basis: '',
  }
}

/** `Projects:`, with entries below it. */
function isHead({ text, indent }: EntryLine, below: readonly Line[]): boolean {
  const next = below.find(({ kind }) => kind !== 'blank')
  return text.endsWith(':') && next?.kind === 'entry' && next.indent > indent
}
