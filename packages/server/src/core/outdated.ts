/**
 * Parts of a memory that no longer hold. A memory may state several facts: when a later memory changes one of them, only the words
 * that state it become outdated, and the memory stays current.
 */
import { isoTimestamp } from './clock.js'

/** Characters from `start` up to, but not including, `end`, as UTF-16 offsets in a version's content. */
export interface PartRange {
  readonly start: number
  readonly end: number
}

export interface OutdatedPart extends PartRange {
  readonly since: number
  /** Id of the memory that replaced it; null if that memory was erased. */
  readonly by: string | null
}

/** A part together with its words. */
export type WordedPart<Part extends PartRange = OutdatedPart> = Part & { readonly text: string }

export function partsOf<Part extends PartRange>(content: string, parts: readonly Part[]): WordedPart<Part>[] {
  return parts.map((part) => ({ ...part, text: content.slice(part.start, part.end) }))
}

const endsWithMark = /[,.;:!?]$/
const leadingMarks = /^[\s,.;:!?]+/
const startsWithMark = /^[,.;:!?]/

/** The content without its outdated parts: the text that is searched and embedded. */
export function remainingText(content: string, parts: readonly PartRange[]): string {
  if (parts.length === 0) return content
  let text = ''
  for (const [start, end] of gapsOf(parts, content.length)) {
    const piece = content.slice(start, end).trim()
    const next = text === '' || endsWithMark.test(text) ? piece.replace(leadingMarks, '') : piece
    if (next === '') continue
    text += text === '' || startsWithMark.test(next) ? next : ` ${next}`
  }
  return text
}

/** Every part is outdated: no word is left apart from the name of a speaker. */
export function isWhollyOutdated(content: string, parts: readonly PartRange[]): boolean {
  if (parts.length === 0) return false
  const said = remainingText(content, parts).replace(/^[\p{L}\p{N}][^:\n]{0,63}:$/u, '')
  return !/[\p{L}\p{N}]/u.test(said)
}

/** The content for a reader who must not take an old value for a current one. */
export function markedText(content: string, parts: readonly OutdatedPart[]): string {
  let [text, from] = ['', 0]
  for (const { start, end, since } of parts) {
    const day = isoTimestamp(since).slice(0, 10)
    const words = content.slice(start, end)
    const [blanks, said] = [words.length - words.trimStart().length, words.trim()]
    // Blanks at the edges of the part stay outside of the brackets.
    text += `${content.slice(from, start + blanks)}(outdated since ${day}: ${said})`
    from = start + blanks + said.length
  }
  return text + content.slice(from)
}

/** Adds those stretches of the new parts that are not outdated yet. The result is sorted and has no overlaps. */
export function withParts(parts: readonly OutdatedPart[], added: readonly OutdatedPart[]): readonly OutdatedPart[] {
  let result = parts
  for (const part of added) {
    const fresh = gapsOf(result, part.end, part.start).map(([start, end]) => ({ ...part, start, end }))
    if (fresh.length > 0) result = [...result, ...fresh].sort((a, b) => a.start - b.start)
  }
  return result
}

/** Removes the stretches within a range that this memory made outdated. */
export function withoutPart(parts: readonly OutdatedPart[], range: PartRange, by: string): readonly OutdatedPart[] {
  const isOfRange = (part: OutdatedPart) => part.by === by && part.start >= range.start && part.end <= range.end
  return parts.some(isOfRange) ? parts.filter((part) => !isOfRange(part)) : parts
}

/** The stretches between `from` and `to` that are in none of the parts. */
function gapsOf(parts: readonly PartRange[], to: number, from = 0): [start: number, end: number][] {
  const gaps: [number, number][] = []
  let at = from
  for (const { start, end } of parts) {
    if (start > at) gaps.push([at, Math.min(start, to)])
    at = Math.max(at, end)
    if (at >= to) break
  }
  if (at < to) gaps.push([at, to])
  return gaps.filter(([start, end]) => start < end)
}
