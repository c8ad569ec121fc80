/**
 * Groups sentences into memories: finds the sentences that make sense only together. A sentence that depends on the
 * previous one ("She also …", "Thanks!") joins it, unless the reference can be resolved; lists stay with their lead-in.
 * Positions are offsets into the text, so every step is linear.
 */
import { pattern } from '../core/pattern.js'
import { type Piece, sentencesOf } from '../language/sentences/sentences.js'
import { isForeign } from '../language/words/is-foreign.js'

export type SegmentSpan = readonly [first: number, last: number]

export const longText = 4_000
/** A good size for search: about 130 word pieces. Letters of other languages make more pieces. */
const packed = { english: 600, foreign: 400, unspaced: 300 } as const
export const longestMemory = 1_000
const mostlyUnspaced = 0.5

/** The size to which parts of this text are joined. */
export function packedLength(text: string): number {
  const start = text.slice(0, longText)
  if (!isForeign(start)) return packed.english
  const unspaced = start.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu)
  return (unspaced?.length ?? 0) > mostlyUnspaced * start.length ? packed.unspaced : packed.foreign
}

export function piecesOf(text: string): Piece[] {
  return sentencesOf(text, longestMemory)
}

/** Joins neighbours into one memory of up to `length` characters; in a long text up to a good size for search. */
export function together(
  text: string,
  pieces: readonly Piece[],
  groups: readonly SegmentSpan[],
  length: number,
): readonly SegmentSpan[] {
  const longest = isLong(text) ? packedLength(text) : length
  return longest > 0 ? pack(pieces, groups, longest) : groups
}

/** The same within each line of a written text: other lines may be about something else. */
export function togetherInLines(
  text: string,
  pieces: readonly Piece[],
  groups: readonly SegmentSpan[],
  length: number,
): readonly SegmentSpan[] {
  const size = packedLength(text)
  if (isLong(text)) return pack(pieces, groups, size)
  const lines: SegmentSpan[][] = []
  for (const group of groups) {
    const line = lines.at(-1)
    const first = line?.[0]?.[0]
    if (line && first !== undefined && isOneLine(text, pieces[first], pieces[group[0]])) line.push(group)
    else lines.push([group])
  }
  return lines.flatMap((line) => pack(pieces, line, Math.min(length, size)))
}

/** No line ends from the first word of a piece to that of another. */
function isOneLine(text: string, first: Piece | undefined, other: Piece | undefined): boolean {
  if (!first || !other) return false
  const words = text.slice(other.start, other.end)
  const until = other.start + words.length - words.trimStart().length
  return !text.slice(first.start, until).trimStart().includes('\n')
}

export function isLong(text: string): boolean {
  return text.length > longText
}

/**
 * Spans of pieces that make sense only together. `isResolved`: the sentence starts with a pronoun whose meaning is
 * known, so it is self-contained.
 */
export function groupPieces(
  text: string,
  pieces: readonly Piece[],
  isResolved: (piece: number) => boolean,
): SegmentSpan[] {
  const groups: { first: number; last: number; length: number; open: boolean; list: boolean }[] = []
  for (const [index, piece] of pieces.entries()) {
    if (piece.blank) continue
    const length = piece.end - piece.start
    const group = groups.at(-1)
    const sentence = text.slice(piece.start, piece.end).trim()
    const leansBack =
      piece.kind === 'code' ||
      (piece.kind === 'item' && group?.list === true) ||
      (leans(sentence) && !isResolved(index))
    const joins = group !== undefined && (group.open || leansBack)
    // A list or code may fill a memory; sentences that depend on each other stop at the usual size.
    const room = group?.list || piece.kind === 'code' ? longestMemory : packed.english
    if (group && joins && group.length + length <= room) {
      group.open = group.open && !endsGroup(piece, sentence)
      group.last = index
      group.length += length
      group.list ||= piece.kind === 'item'
    } else {
      // An opener waits for the next piece: a lead-in, a heading, or a first sentence that is not self-contained.
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

const pronounStart = new RegExp(
  pattern`
    ^["'“‘(]?(?:he|she|they|it|this|that|there|these|those|and|but|because|so|also|then|his|her|hers|their|theirs
    |its|him|them|or|nor|yet|however|therefore|thus|hence|moreover|furthermore|besides|instead|otherwise|which|such
    |additionally|afterwards|anyway|still|too|both|neither|likewise|similarly|consequently|meanwhile)(?:['’](?:s|re
    |ll|d|ve))?(?![\p{L}\p{N}'’])
  `,
  'iu',
)
const standsAlone = new RegExp(
  pattern`
    ^(?:this|that) (?:morning|afternoon|evening|week|weekend|month|year|spring|summer|autumn|fall|winter|monday
    |tuesday|wednesday|thursday|friday|saturday|sunday|is (?:my|\p{Lu}))|^so far\b|^both (?:my|of my|our)\b
  `,
  'iu',
)

/** True for a sentence that is not self-contained. */
function leans(sentence: string): boolean {
  if (pronounStart.test(sentence)) return !standsAlone.test(sentence)
  const words = sentence.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’.@:/_-]*/gu) ?? []
  if (words.length >= 3) return false
  // Scripts without spaces have long "words".
  const unspaced = sentence.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu)
  return (unspaced?.length ?? 0) < 6 && sentence.length < 40
}

/** Joins neighbouring groups into memories of up to this size. */
export function pack(pieces: readonly Piece[], groups: readonly SegmentSpan[], longest: number): SegmentSpan[] {
  const packed: SegmentSpan[] = []
  for (const group of groups) {
    const current = packed.at(-1)
    if (current && lengthOf(pieces, [current[0], group[1]]) <= longest)
      packed[packed.length - 1] = [current[0], group[1]]
    else packed.push(group)
  }
  return packed
}

function lengthOf(pieces: readonly Piece[], [first, last]: SegmentSpan): number {
  return (pieces[last]?.end ?? 0) - (pieces[first]?.start ?? 0)
}

export const bullet = /^(?:[-*+•‣–]|\d{1,3}[.)])\s+(?=\S)/u

/** Joins lines that an editor wrapped; everything else stays as written. */
export function onOneLine(text: string): string {
  return text.replace(/\s+/gu, (space) => (/[\n\v\f\r\u2028\u2029]/.test(space) ? ' ' : space)).trim()
}

/** `wordsOf`: the words of a piece, edited or as written. */
export function contentOf(
  pieces: readonly Piece[],
  [first, last]: SegmentSpan,
  wordsOf: (piece: number) => string,
): string {
  const parts: string[] = []
  for (let index = first; index <= last; ) {
    const code = pieces[index]?.kind === 'code'
    let raw = wordsOf(index)
    let end = index
    while (end < last && (pieces[end + 1]?.kind === 'code') === code) {
      end += 1
      raw += wordsOf(end)
    }
    parts.push(code ? raw.trimEnd() : onOneLine(raw))
    index = end + 1
  }
  const content = parts.join('\n').trim()
  // A single list item is a sentence like any other; its bullet would make it a different memory.
  return first === last && pieces[first]?.kind === 'item' ? content.replace(bullet, '') : content
}
