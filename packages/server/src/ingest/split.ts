/**
 * Text to self-contained memories. Sentences come from Unicode's rules (UAX 29, `Intl.Segmenter`), which
 * break too often after abbreviations, inside addresses and before lower case: those are put together
 * again. Sentences that lean on the one before ("She also …", "Thanks!") join it; lists stay with the
 * line that leads in. Positions are offsets into the text, so every step is linear.
 */
import { turnBreak } from '../storage/storage.js'
import type { TurnBefore } from '../storage/vector-upkeep.js'
import { type Piece, sentencesOf } from './sentences.js'

type SegmentSpan = readonly [first: number, last: number]

interface SplitText {
  /** Consecutive pieces; joined they are the text, word for word. */
  readonly segments: readonly string[]
  readonly memories: readonly { readonly content: string; readonly segments: SegmentSpan }[]
}

interface Message {
  readonly role: 'user' | 'assistant' | 'system' | 'tool'
  readonly content: string
  readonly name?: string
  readonly createdAt?: number
}

interface SplitTurns {
  /** The pieces of all turns with one `\n` segment between turns; joined: the contents joined by `\n`. */
  readonly segments: readonly string[]
  readonly memories: readonly TurnMemory[]
}

interface TurnMemory {
  readonly content: string
  readonly segments: SegmentSpan
  /** Name given with the turn, else null. */
  readonly speaker: string | null
  readonly role: Message['role']
  readonly createdAt: number | null
  /** The turn before, as a memory would say it; null for the first. */
  readonly before: string | null
}

const longText = 4_000
const packedLength = 600
const longestMemory = 1_000

export function split(text: string): SplitText {
  const pieces = sentencesOf(text, longestMemory)
  const groups = groupPieces(text, pieces)
  const packed = text.length > longText ? pack(pieces, groups) : groups
  return {
    segments: pieces.map(({ start, end }) => text.slice(start, end)),
    memories: packed.map((span) => ({ content: contentOf(text, pieces, span), segments: span })),
  }
}

/** Splits each turn by itself: a memory never reaches over a change of speaker. */
export function splitMessages(messages: readonly Message[]): SplitTurns {
  const segments: string[] = []
  const memories: TurnMemory[] = []
  for (const [index, turn] of messages.entries()) {
    if (index > 0) segments.push(turnBreak)
    const previous = messages[index - 1]
    const offset = segments.length
    const parts = split(turn.content)
    segments.push(...parts.segments)
    for (const memory of parts.memories) {
      memories.push({
        content: prefixOf(turn) + memory.content,
        segments: [memory.segments[0] + offset, memory.segments[1] + offset],
        speaker: turn.name ?? null,
        role: turn.role,
        createdAt: turn.createdAt ?? null,
        before: previous ? prefixOf(previous) + onOneLine(previous.content.slice(0, longestMemory)) : null,
      })
    }
  }
  return { segments, memories }
}

/** A nameless user's "I" is the user; what others said has to show it. */
function prefixOf(turn: Message): string {
  const name = turn.name?.replace(/\s+/gu, ' ').trim()
  if (name) return `${name}: `
  if (turn.role === 'assistant') return 'Assistant: '
  return turn.role === 'tool' ? 'Tool: ' : ''
}

/** The turn before from what was kept of it: names are not in a text, but a memory made from it begins with its speaker's. */
export function retoldTurn({ text, memory }: TurnBefore): string {
  const said = onOneLine(memory?.text ?? '')
  const kept = [said, said.replace(bullet, '')].find((form) => form !== '' && memory?.content.endsWith(form))
  const prefix = kept === undefined ? '' : (memory?.content.slice(0, -kept.length) ?? '')
  return (prefix.endsWith(': ') ? prefix : '') + onOneLine(text.slice(0, longestMemory))
}

/** Spans of pieces that are understood only together. */
function groupPieces(text: string, pieces: readonly Piece[]): SegmentSpan[] {
  const groups: { first: number; last: number; length: number; open: boolean; list: boolean }[] = []
  for (const [index, piece] of pieces.entries()) {
    if (piece.blank) continue
    const length = piece.end - piece.start
    const group = groups.at(-1)
    const sentence = text.slice(piece.start, piece.end).trim()
    const leansBack = piece.kind === 'code' || (piece.kind === 'item' && group?.list === true) || leans(sentence)
    const joins = group !== undefined && (group.open || leansBack)
    // A list or code may fill a memory; sentences that lean on each other stop at the usual size.
    const room = group?.list || piece.kind === 'code' ? longestMemory : packedLength
    if (group && joins && group.length + length <= room) {
      group.open = group.open && !endsGroup(piece, sentence)
      group.last = index
      group.length += length
      group.list ||= piece.kind === 'item'
    } else {
      // An opener waits for what follows: a lead-in, a heading, or a first sentence that leans on nothing.
      const open = leadsIn(sentence) || (groups.length === 0 && piece.kind === 'sentence' && leans(sentence))
      const list = leadsIn(sentence) || (piece.kind === 'item' && group?.list === true)
      groups.push({ first: index, last: index, length, open, list })
    }
  }
  return groups.map(({ first, last }) => [first, last])
}

function endsGroup(piece: Piece, sentence: string): boolean {
  return piece.kind !== 'sentence' || !leadsIn(sentence)
}

function leadsIn(sentence: string): boolean {
  return /[:：]$/u.test(sentence) || /^#{1,6}\s/u.test(sentence)
}

const pronounStart =
  /^["'“‘(]?(?:he|she|they|it|this|that|there|these|those|and|but|because|so|also|then|his|her|hers|their|theirs|its|him|them|or|nor|yet|however|therefore|thus|hence|moreover|furthermore|besides|instead|otherwise|which|such|additionally|afterwards|anyway|still|too|both|neither|likewise|similarly|consequently|meanwhile)(?:['’](?:s|re|ll|d|ve))?(?![\p{L}\p{N}'’])/iu
const standsAlone =
  /^(?:this|that) (?:morning|afternoon|evening|week|weekend|month|year|spring|summer|autumn|fall|winter|monday|tuesday|wednesday|thursday|friday|saturday|sunday|is (?:my|\p{Lu}))|^so far\b|^both (?:my|of my|our)\b/iu

/** True when a sentence does not stand alone. */
function leans(sentence: string): boolean {
  if (pronounStart.test(sentence)) return !standsAlone.test(sentence)
  const words = sentence.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’.@:/_-]*/gu) ?? []
  if (words.length >= 3) return false
  // Scripts without spaces have long "words".
  const unspaced = sentence.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu)
  return (unspaced?.length ?? 0) < 6 && sentence.length < 40
}

/** Long texts: neighbouring groups together make memories of a good size for search. */
function pack(pieces: readonly Piece[], groups: readonly SegmentSpan[]): SegmentSpan[] {
  const packed: SegmentSpan[] = []
  for (const group of groups) {
    const current = packed.at(-1)
    if (current && lengthOf(pieces, [current[0], group[1]]) <= packedLength)
      packed[packed.length - 1] = [current[0], group[1]]
    else packed.push(group)
  }
  return packed
}

function lengthOf(pieces: readonly Piece[], [first, last]: SegmentSpan): number {
  return (pieces[last]?.end ?? 0) - (pieces[first]?.start ?? 0)
}

const bullet = /^(?:[-*+•‣–]|\d{1,3}[.)])\s+(?=\S)/u

/** Lines that an editor wrapped become one; all else stays as it was written. */
function onOneLine(text: string): string {
  return text.replace(/\s+/gu, (space) => (/[\n\v\f\r\u2028\u2029]/.test(space) ? ' ' : space)).trim()
}

function contentOf(text: string, pieces: readonly Piece[], [first, last]: SegmentSpan): string {
  const parts: string[] = []
  for (let index = first; index <= last; ) {
    const code = pieces[index]?.kind === 'code'
    let end = index
    while (end < last && (pieces[end + 1]?.kind === 'code') === code) end += 1
    const raw = text.slice(pieces[index]?.start, pieces[end]?.end)
    parts.push(code ? raw.trimEnd() : onOneLine(raw))
    index = end + 1
  }
  const content = parts.join('\n').trim()
  // An item that stands alone is a sentence like others; its bullet would make it another memory.
  return first === last && pieces[first]?.kind === 'item' ? content.replace(bullet, '') : content
}
