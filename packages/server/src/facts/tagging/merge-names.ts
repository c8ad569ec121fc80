/**
 * Combines the names that rules and the model find in a sentence. The model decides about people, organisations and
 * places, and about the extent of titles and products; lexicons are better at well-known products and events. A name
 * that only the rules guess is `provisional`.
 */

import { type NameSpan, namesIn } from '../../language/names/find-names.js'
import { givenNames } from '../../language/names/given-names.js'
import { canBeName, isWord } from '../../language/names/name-check.js'
import { events, organisations, products } from '../../language/names/organisations.js'
import { places } from '../../language/names/places.js'
import { personTitles } from '../../language/words/common-words.js'
import type { SpanSeen } from '../../models/tagger/tag-reading.js'

const main: ReadonlySet<string> = new Set(['PERSON', 'ORG', 'LOCATION'])
/** Of products, titles and events, the model's guesses below this score are mostly wrong. */
const leastOther = 0.6
/** From this score on, no relationship changes the type. */
const sureMain = 0.8
const sureOther = 0.9

export function mergedNames(sentence: string, seen: readonly SpanSeen[] | undefined): NameSpan[] {
  const ruled = namesIn(sentence)
  if (!seen) return ruled
  const listed = ruled.filter(({ type, sure }) => sure && !main.has(type))
  const read = seen
    .filter((span) => canBeName(sentence, span) && (main.has(span.type) || isOther(sentence, span)))
    .map((span) => nameSpan(sentence, span))
    // A name on the product list, such as "Postgres", is a product whatever the model says.
    .filter((span): span is NameSpan => span !== null && !listed.some((rule) => isSame(rule, span)))
  const added = ruled
    .filter((rule) => !main.has(rule.type) && !read.some((span) => overlaps(rule, span)))
    .map((rule) => (isGuess(rule) ? { ...rule, provisional: true } : rule))
  return [...read, ...added].sort((a, b) => a.start - b.start)
}

/** Products, titles and events that the model found. */
function isOther(sentence: string, { start, end, score }: SpanSeen): boolean {
  const name = sentence.slice(start, end)
  return /\p{Lu}/u.test(name) && score >= (isWord(name.toLowerCase()) ? sureOther : leastOther)
}

/** A name without a lexicon behind it. */
function isGuess({ type, sure, name }: NameSpan): boolean {
  const lower = name.toLowerCase()
  const [first = ''] = lower.split(' ')
  if (products.has(lower) || events.has(lower)) return false
  if (products.has(first) || organisations.has(first)) return lower.split(' ').slice(1).some(isWord) && isWord(first)
  return !(sure && type === 'EVENT' && lower.includes(' '))
}

function nameSpan(sentence: string, { start, end, type, score }: SpanSeen): NameSpan | null {
  const { from, to } = type === 'PERSON' ? personRange(sentence, start, end) : { from: start, to: end }
  const last = !/\S/u.test(sentence.slice(to))
  // The full stop of "Acme Corp." belongs to the sentence if the sentence ends there; the one of "U.S." does not.
  const name = sentence.slice(from, to).replace(/(?<=\p{L}{2})\.$/u, (point) => (last ? '' : point))
  if (!/[\p{L}\p{N}]/u.test(name)) return null
  return { start: from, end: to, name, ...typeOf(name, type, score) }
}

/** "Dr. Smith" becomes "Smith"; "Paul cooks" becomes "Paul". */
function personRange(sentence: string, start: number, end: number): { from: number; to: number } {
  let from = start
  for (;;) {
    const title = /^(\p{L}+\.?)\s+(?=\S)/u.exec(sentence.slice(from, end))
    if (!title?.[1] || !personTitles.has(title[1].toLowerCase())) break
    from += title[0].length
  }
  const words = sentence.slice(from, end).split(' ')
  const tail = words.at(-1) ?? ''
  const isVerbAfterName = /^\p{Ll}+$/u.test(tail) && /^\p{Lu}/u.test(words.at(-2) ?? '') && isWord(tail)
  return { from, to: isVerbAfterName ? end - tail.length - 1 : end }
}

/** Lexicons decide where the model is unsure. A listed company is never a place or a product: "I fly Lufthansa". */
function typeOf(name: string, type: SpanSeen['type'], score: number): Pick<NameSpan, 'type' | 'sure'> {
  const lower = name.toLowerCase()
  const isPlain = !lower.includes(' ') && !isWord(lower)
  const isCompany = isPlain && organisations.has(lower) && !places.has(lower)
  if (isCompany && (type === 'LOCATION' || type === 'PRODUCT')) return { type: 'ORG', sure: true }
  if (isPlain && products.has(lower) && !organisations.has(lower)) return { type: 'PRODUCT', sure: true }
  if (score < sureMain && isPlain && givenNames.has(lower) && !isCompany && !places.has(lower))
    return { type: 'PERSON', sure: true }
  if (!main.has(type)) return { type, sure: score >= sureOther }
  return { type, sure: score >= sureMain || isPerson(type, lower) || places.has(lower) || organisations.has(lower) }
}

function isPerson(type: SpanSeen['type'], lower: string): boolean {
  return type === 'PERSON' && (givenNames.has(lower.split(' ')[0] ?? '') || lower.includes(' '))
}

function isSame(a: NameSpan, b: NameSpan): boolean {
  return a.start === b.start && a.end === b.end
}

function overlaps(a: NameSpan, b: NameSpan): boolean {
  return a.start < b.end && b.start < a.end
}
