/** Which words of an old memory a change concerns: the model's word-by-word chances, rounded to clauses and list items. */
import type { PartRange } from '../core/outdated.js'
import type { JudgedWord } from '../models/judge/judgement.js'
import { isSmallTalk } from './small-talk.js'

/** Sentence ends, commas, dashes, brackets, and conjunctions between words. A point or comma inside a number separates nothing. */
const separators =
  /(?<![.!?…])[.!?…]{1,9}["')\]]{0,4}(?=\s|$)|[;\n()]|,(?=\s)|\s[–—-]\s|:(?=\s)|\s(?:and|but|while|because|although|though|plus|so|with)(?=\s)/giu

/** From this mean chance on, a fragment is outdated. */
const outdatedFrom = 0.5

interface Fragment extends PartRange {
  readonly outdated: number
}

/** The ranges that become outdated; null: all of it. `gone` is outdated already. */
export function outdatedPart(
  content: string,
  words: readonly JudgedWord[],
  gone: readonly PartRange[] = [],
): readonly PartRange[] | null {
  const fragments = fragmentsOf(content)
    .map((range) => ({ ...range, outdated: meanOf(words, range) }))
    .filter((range) => !gone.some(({ start, end }) => range.start < end && range.end > start))
  const highest = Math.max(...fragments.map(({ outdated }) => outdated))
  const isEnded = ({ outdated }: Fragment) => outdated >= Math.min(outdatedFrom, highest)
  const rest = fragments.filter((fragment) => !isEnded(fragment))
  if (!rest.some(({ start, end }) => saysSomething(content.slice(start, end)))) return null
  return joined(content, fragments, isEnded)
}

function fragmentsOf(content: string): PartRange[] {
  const ranges: PartRange[] = []
  let start = 0
  const add = (end: number) => {
    const text = content.slice(start, end)
    const trimmed = text.trim()
    if (/[\p{L}\p{N}]/u.test(trimmed)) {
      const from = start + text.indexOf(trimmed)
      ranges.push({ start: from, end: from + trimmed.length })
    }
  }
  for (const match of content.matchAll(separators)) {
    add(match.index)
    start = match.index + match[0].length
  }
  add(content.length)
  return ranges
}

function meanOf(words: readonly JudgedWord[], { start, end }: PartRange): number {
  const inside = words.filter((word) => word.start < end && word.end > start)
  return inside.reduce((sum, { outdated }) => sum + outdated, 0) / Math.max(1, inside.length)
}

/** Neighbouring fragments become one range, with the words between them. */
function joined(
  content: string,
  fragments: readonly Fragment[],
  isEnded: (fragment: Fragment) => boolean,
): PartRange[] {
  const ranges: { start: number; end: number }[] = []
  let wasEnded = false
  for (const fragment of fragments) {
    const ended = isEnded(fragment)
    const last = ranges.at(-1)
    const isNear = last !== undefined && !/[.!?\n]/u.test(content.slice(last.end, fragment.start))
    if (ended && wasEnded && last && isNear) last.end = fragment.end
    else if (ended) ranges.push({ start: fragment.start, end: fragment.end })
    wasEnded = ended
  }
  return ranges
}

/** "Hi!" or a bare name before a colon is not worth keeping a memory for. */
function saysSomething(text: string): boolean {
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? []
  return words.length >= 2 && !isSmallTalk(text)
}
