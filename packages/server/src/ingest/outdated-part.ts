/**
 * Which words of an old memory a change concerns: the model's word-by-word chances, or the words of a fact's value, rounded to
 * clauses and list items. It is one range, because a contradiction is about one.
 */
import type { PartRange } from '../core/outdated.js'
import { monthNames } from '../language/dates/month-names.js'
import { isForeign } from '../language/words/is-foreign.js'
import { contentWords, isLight } from '../language/words/words.js'
import type { JudgedWord } from '../models/judge/judgement.js'
import { isSmallTalk } from './small-talk.js'

/** Sentence ends, commas, dashes, brackets, and conjunctions between words. A point or comma inside a number separates nothing. */
const separators =
  /(?<![.!?…]|\b(?:dr|mr|mrs|ms|prof|st|jr|sr|vs|no))[.!?…]{1,9}["')\]]{0,4}(?=\s|$)|[;\n()]|,(?=\s)|\s[–—-]\s|:(?=\s)|\s(?:and|but|while|because|although|though|plus|so|with)(?=\s)/giu

/** Words of a part that are not in the new text, from which on it says something else. */
const leastWords = 2

/** From this mean chance on, a fragment is outdated. */
const outdatedFrom = 0.5

/** A fragment whose chance is lower than the highest by more than this is kept: the words around a change look outdated too. */
const muchLess = 0.2

/** Difference of the mean chances from which a part is ended without asking. */
const toldApart = 0.2

interface Fragment extends PartRange {
  readonly outdated: number
}

/** The ranges that become outdated; null: all of it. `gone` is outdated already. */
export function outdatedPart(
  content: string,
  words: readonly JudgedWord[],
  gone: readonly PartRange[] = [],
): readonly PartRange[] | null {
  return partOf(content, (range) => meanOf(words, range), gone)
}

/** Whether the words of the part differ enough from those of every other clause. */
export function isToldApart(content: string, words: readonly JudgedWord[], parts: readonly PartRange[]): boolean {
  const isPart = (range: PartRange) => parts.some(({ start, end }) => range.start < end && range.end > start)
  const clauses = clausesOf(content)
  const chances = (wanted: boolean) =>
    clauses.filter((range) => isPart(range) === wanted).map((range) => meanOf(words, range))
  return Math.max(...chances(true)) - Math.max(...chances(false)) >= toldApart
}

/** The range that states a value; null: all of it, or the value is not there. */
export function partStating(
  content: string,
  value: string,
  gone: readonly PartRange[] = [],
): readonly PartRange[] | null {
  const words = wordsOf(value)
  const stated = (range: PartRange) => {
    const there = new Set(wordsOf(content.slice(range.start, range.end)))
    return words.length > 0 && words.every((word) => there.has(word)) ? 1 : 0
  }
  return fragmentsOf(content).some((range) => stated(range) === 1) ? partOf(content, stated, gone) : null
}

/** The clauses that say something. */
export function clausesOf(content: string): PartRange[] {
  return fragmentsOf(content).filter(({ start, end }) => saysSomething(content.slice(start, end)))
}

/**
 * Whether an old memory says more than what a new one changes: "the rent is £900, paid on the 1st to Mr Khan" is not replaced by "the
 * rent is £950 now". The part that has most words of the new one is the one that changes.
 */
export function saysMoreThan(old: string, fresh: string): boolean {
  const told = new Set([...contentWords(fresh.toLowerCase()), ...wordsOf(fresh)])
  const separator = isForeign(old) ? foreignSeparators : separators
  const said = old.replace(bracketed, (note, inside: string) => (isDate(inside) ? '' : note))
  const parts = fragmentsOf(said, separator)
    .map(({ start, end }) => said.slice(start, end))
    // A single word belongs to the one beside it: "Malmö, Sweden", "Ann: I live in Leeds".
    .filter((text) => /\d/u.test(text) || isUnspaced(text) || wordsOf(text).length > 1)
    .map((text) => {
      const words = contentWords(text.toLowerCase())
      return { text, shared: words.filter((word) => told.has(word)).length, words }
    })
  // A part that the new memory repeats is not the one that changes.
  const differing = parts.filter(({ shared, words }) => shared < words.length)
  const most = Math.max(...differing.map(({ shared }) => shared))
  const changed = differing.find(({ shared }) => shared === most)
  // "12 High Street, Leeds, LS1 4AB": where the new value has such parts too, they belong to the old value.
  const isValue = (text: string) => fragmentsOf(fresh, separator).length > 1 && !hasSubject(text)
  return differing.some((part) => {
    const { text, words } = part
    return part !== changed && !isSmallTalk(text) && !isValue(text) && isNews(text, words, told)
  })
}

/** "On Friday (20 November 2026)": the date was added, and goes with its words. */
const bracketed = /\s\(([^()]{3,60})\)/gu
const dateWords = new Set([
  ...monthNames.map((name) => name.toLowerCase()),
  ...'week of and to early late spring summer autumn fall winter'.split(' '),
])

function isDate(inside: string): boolean {
  return inside
    .toLowerCase()
    .split(' ')
    .every((word) => dateWords.has(word) || /^\d{1,4}$/u.test(word))
}

/** The conjunctions and marks of other languages too. */
const foreignSeparators = new RegExp(
  `${separators.source}|[，。；、]|\\s(?:und|et|y|e|en|и|а|aber|mais|pero|ma|maar|но)(?=\\s)`,
  'giu',
)

function isUnspaced(text: string): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{2}/u.test(text)
}

/** "And she is deaf", "it opens early". */
function hasSubject(text: string): boolean {
  return /(?<![\p{L}])(?:i|we|he|she|it|they|is|are|was|were|has|have|my|our|the)(?![\p{L}])/iu.test(text)
}

function isNews(text: string, words: readonly string[], told: ReadonlySet<string>): boolean {
  if ((text.match(/\p{N}+/gu) ?? []).some((figure) => !told.has(figure))) return true
  if (isUnspaced(text)) return true
  const names = text.match(/(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{N}]+/gu) ?? []
  if (names.some((name) => !told.has(name.toLowerCase()))) return true
  const fresh = words.filter((word) => !told.has(word) && !isLight(word) && !opinion.test(word)).length
  return fresh >= (hasSubject(text) && wordsOf(text).length > 2 ? 1 : leastWords)
}

/** "I think", "I guess". */
const opinion = /^(?:think|thought|guess|hope|suppose|believ|know|mean)/u

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

function partOf(
  content: string,
  chanceOf: (range: PartRange) => number,
  gone: readonly PartRange[],
): readonly PartRange[] | null {
  const fragments = fragmentsOf(content)
    .filter((range) => !gone.some(({ start, end }) => range.start < end && range.end > start))
    .map((range) => {
      const text = content.slice(range.start, range.end)
      const isSmall = isSmallTalk(text)
      return { ...range, outdated: isSmall ? 0 : chanceOf(range), isTelling: !isSmall && hasWords(text) }
    })
  const telling = fragments.filter(({ isTelling }) => isTelling)
  const highest = Math.max(...(telling.length > 0 ? telling : fragments).map(({ outdated }) => outdated))
  const isEnded = ({ outdated }: Fragment) => outdated >= Math.max(Math.min(outdatedFrom, highest), highest - muchLess)
  if (telling.every(isEnded)) return null
  return likeliestRun(fragments, isEnded)
}

function fragmentsOf(content: string, separator = separators): PartRange[] {
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
  for (const match of content.matchAll(separator)) {
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

/** Neighbouring fragments are one range, with the words between them. */
function likeliestRun(fragments: readonly Fragment[], isEnded: (fragment: Fragment) => boolean): PartRange[] {
  const runs: { start: number; end: number; outdated: number }[] = []
  let wasEnded = false
  for (const fragment of fragments) {
    const { start, end, outdated } = fragment
    const ended = isEnded(fragment)
    const last = runs.at(-1)
    if (ended && wasEnded && last) {
      last.end = end
      last.outdated = Math.max(last.outdated, outdated)
    } else if (ended) runs.push({ start, end, outdated })
    wasEnded = ended
  }
  const [best] = runs.sort((a, b) => b.outdated - a.outdated)
  return best ? [{ start: best.start, end: best.end }] : []
}

/** "Hi!" or a bare name before a colon is not worth keeping a memory for. */
function saysSomething(text: string): boolean {
  return hasWords(text) && !isSmallTalk(text)
}

/** At least two. */
function hasWords(text: string): boolean {
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? []
  return words.length >= 2
}
