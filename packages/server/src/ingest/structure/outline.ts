/**
 * The parts of a document with headings, tables, lists, settings or questions with answers, each with what it stands
 * under. Null for other texts, which `groupPieces` divides.
 */
import { type Piece, sentencesOf } from '../../language/sentences/sentences.js'
import { longestMemory } from '../split.js'
import type { Line } from './line.js'
import { linesOf } from './lines.js'

type PartKind = 'prose' | 'list' | 'question' | 'heading' | 'lead' | 'table' | 'pairs' | 'mark'

export interface Part {
  readonly kind: PartKind
  /** Of a heading. */
  readonly level: number
  /** Its pieces. */
  readonly first: number
  readonly last: number
}

export interface Outline {
  readonly pieces: readonly Piece[]
  readonly parts: readonly Part[]
  /** The kind of line that a piece of a table or of settings is. */
  readonly kinds: ReadonlyMap<number, Line['kind']>
  /** False if it may also be a message that somebody writes, with a list in it. */
  readonly isSure: boolean
  /** Nobody speaks in a text of settings, even if `user` is one of them. */
  readonly isSettings: boolean
}

interface Run {
  readonly kind: PartKind
  readonly lines: Line[]
}

export function outlineOf(text: string): Outline | null {
  if (!text.trim().includes('\n')) return null
  const lines = linesOf(text)
  const runs = runsOf(lines)
  const isSure = isSurelyDocument(runs)
  if (!isSure && !hasLead(runs)) return null
  const isSettings =
    runs.some(({ kind }) => kind === 'pairs') && runs.every(({ kind }) => /^(?:pairs|lead|heading|mark)$/u.test(kind))
  return { ...cut(text, runs), isSure, isSettings }
}

function isSurelyDocument(runs: readonly Run[]): boolean {
  return runs.some(
    ({ kind }, index) =>
      kind === 'heading' ||
      kind === 'table' ||
      kind === 'pairs' ||
      kind === 'question' ||
      (kind === 'lead' && runs[index + 1]?.kind === 'list' && runs.slice(0, index).some((run) => run.kind === 'list')),
  )
}

/** A line leads a list, and something else stands before it. */
function hasLead(runs: readonly Run[]): boolean {
  return runs.some(({ kind }, index) => kind === 'lead' && index > 0 && runs[index + 1]?.kind === 'list')
}

function runsOf(lines: readonly Line[]): Run[] {
  const runs: Run[] = []
  const lastQuestion = lines.findLastIndex(({ kind }) => kind === 'question')
  for (const [index, line] of lines.entries()) {
    const run = runs.at(-1)
    if (run && joins(run, line, index > lastQuestion)) run.lines.push(line)
    else runs.push({ kind: kindOf(line), lines: [line] })
  }
  return runs
}

function kindOf({ kind }: Line): PartKind {
  switch (kind) {
    case 'item':
      return 'list'
    case 'header':
      return 'table'
    case 'row':
      return 'table'
    case 'pair':
      return 'pairs'
    case 'remark':
      return 'pairs'
    case 'blank':
      return 'prose'
    case 'text':
      return 'prose'
    case 'code':
      return 'prose'
    default:
      return kind
  }
}

/** `isLast`: no other question follows, so that an empty line ends the answer. */
function joins({ kind, lines }: Run, line: Line, isLast: boolean): boolean {
  if (line.kind === 'blank') return true
  switch (kind) {
    case 'prose':
      return line.kind === 'text' || line.kind === 'code'
    case 'list':
      return line.kind === 'item' || line.kind === 'code' || (line.kind === 'text' && continuesItem(lines, line))
    case 'question':
      return /^(?:text|item|code)$/u.test(line.kind) && (!isLast || isOpen(lines, line))
    case 'table':
      return line.kind === 'row' || (line.kind === 'mark' && lines.length === 1)
    case 'pairs':
      return line.kind === 'pair' || line.kind === 'remark'
    default:
      return false
  }
}

/** An indented line, or one that an editor wrapped. */
function continuesItem(lines: readonly Line[], line: Line): boolean {
  const before = lines.at(-1)
  if (/^(?: {2}|\t)/u.test(line.text)) return true
  return (
    before !== undefined && before.text.length >= 40 && !/[.!?:;]$/u.test(before.text) && /^\p{Ll}/u.test(line.text)
  )
}

/** The answer goes on: without an empty line, before its first words, or after "as follows:". */
function isOpen(lines: readonly Line[], line: Line): boolean {
  if (lines.at(-1)?.kind !== 'blank') return true
  if (line.kind === 'code' || /^(?: {2}|\t)/u.test(line.text)) return true
  const isSaid = ({ kind }: Line) => kind !== 'blank'
  const last = lines.findLastIndex(isSaid)
  return last === lines.findIndex(isSaid) || /:$/u.test(lines[last]?.text ?? '')
}

/** Each line of a table or of settings is a piece; the rest is cut into sentences. */
function cut(text: string, runs: readonly Run[]): Pick<Outline, 'pieces' | 'parts' | 'kinds'> {
  const pieces: Piece[] = []
  const parts: Part[] = []
  const kinds = new Map<number, Line['kind']>()
  for (const { kind, lines } of runs) {
    const first = pieces.length
    const [start, end] = [lines[0]?.start ?? 0, lines.at(-1)?.end ?? 0]
    if (kind === 'prose' || kind === 'list' || kind === 'question')
      for (const piece of sentencesOf(text.slice(start, end), longestMemory))
        pieces.push({ ...piece, start: piece.start + start, end: piece.end + start })
    else
      for (const line of lines) {
        const previous = pieces.at(-1)
        if (line.kind === 'blank' && previous && pieces.length > first)
          pieces[pieces.length - 1] = { ...previous, end: line.end }
        else {
          kinds.set(pieces.length, line.kind)
          pieces.push({ start: line.start, end: line.end, kind: kind === 'pairs' ? 'code' : 'sentence', blank: false })
        }
      }
    parts.push({ kind, level: lines[0]?.level ?? 0, first, last: pieces.length - 1 })
  }
  return { pieces, parts, kinds }
}
