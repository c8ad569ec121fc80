/** Finds names in one sentence: capitalised spans, typed by lexicons, by their last word, then by their context. */
import type { EntityType } from '../../core/entity.js'
import { ordinaryWords, personTitles } from '../words/common-words.js'
import { givenNames, wordNames } from './given-names.js'
import { type Guess, guessFromContext, placeFollows } from './name-context.js'
import { eventHeads, events, organisationHeads, organisationStarts, organisations, products } from './organisations.js'
import { placeHeads, placePrefixes, places } from './places.js'

export interface NameSpan {
  readonly start: number
  readonly end: number
  readonly name: string
  readonly type: EntityType
  /** False: a guess with little evidence; a relationship may change the type. */
  readonly sure: boolean
  /** True: not an entity unless a relationship confirms it. */
  readonly provisional?: boolean
}

interface Token {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly lower: string
  readonly capital: boolean
}

const tokenPattern =
  /\p{L}[\p{L}\p{M}\p{N}_]*(?:(?:[-&/]|\.(?=\p{L})|['’](?!s\b))[\p{L}\p{M}\p{N}]+)*(?:\+\+|#)?|\p{N}[\p{N}.,:]*\p{L}*/gu
const dotted = new Set(
  'mr mrs ms mx dr prof st inc corp ltd co jr sr sgt capt lt gen rev bros u.s u.k u.s.a d.c'.split(' '),
)
const particles = new Set('de van von der la del di da bin ibn du le ten'.split(' '))
/** Lexicon entries that are also ordinary words: they count only inside a sentence and with a capital. */
const wordLike = new Set(
  `nice bath reading who la us target square word teams edge golf signal zoom delta visa phoenix essen york swift rust
ruby spring react node notion pixel galaxy windows premiere excel outlook safari turkey java apple amazon meta shell
puma valve universal congress parliament senate perl flask rails switch claude gemini stripe slack linear kent bali
mali chad`.split(/\s+/u),
)
const personOrPlace = new Set(
  'charlotte victoria austin sofia florence santiago jordan chad georgia madison virginia sydney chelsea paris carolina'.split(
    ' ',
  ),
)
/** Codes count only in capitals. */
const capitalCodes = new Set('us uk usa uae eu un who la sf esa mit eth ey it nyc ces aws'.split(' '))
const months = new Set('may april june august summer autumn march'.split(' '))
const longestRun = 6

export function namesIn(sentence: string): NameSpan[] {
  const tokens = tokensOf(sentence)
  const spans: NameSpan[] = []
  for (let index = 0; index < tokens.length; ) {
    const run = runFrom(sentence, tokens, index)
    if (run === 0) {
      index += 1
      continue
    }
    const { span, used } = nameOf(sentence, tokens, index, run)
    if (span) spans.push(span)
    index += Math.max(1, used)
  }
  return spans
}

function tokensOf(sentence: string): Token[] {
  const letters = sentence.match(/\p{L}/gu)?.length ?? 0
  const capitals = sentence.match(/\p{Lu}/gu)?.length ?? 0
  // In text without capitals, or in capitals only, case carries no information: only lexicons apply.
  const caseless = capitals === 0 || (letters > 8 && capitals > letters * 0.7)
  return [...sentence.matchAll(tokenPattern)].map((match) => {
    const lower = match[0].toLowerCase()
    const hasDot = sentence[match.index + match[0].length] === '.' && (dotted.has(lower) || /^\p{Lu}$/u.test(match[0]))
    const text = hasDot ? `${match[0]}.` : match[0]
    // Handles, tags and URLs are not names.
    const marked = /[@#/_\\.]/.test(sentence[match.index - 1] ?? '')
    const capital = marked ? false : caseless ? isWellKnown(lower) : /^\p{Lu}|^\p{Ll}{1,2}\p{Lu}/u.test(text)
    return { start: match.index, end: match.index + text.length, text, lower: text.toLowerCase(), capital }
  })
}

function isWellKnown(lower: string): boolean {
  if (lower.length < 4 || wordLike.has(lower) || wordNames.has(lower) || ordinaryWords.has(lower)) return false
  return places.has(lower) || organisations.has(lower) || givenNames.has(lower)
}

/** Number of tokens from `first` on that form one capitalised span; 0 if none starts here. */
function runFrom(sentence: string, tokens: readonly Token[], first: number): number {
  const start = tokens[first]
  if (!start?.capital || start.lower === 'i' || /^i['’]/.test(start.lower)) return 0
  if (isOrdinaryHere(sentence, tokens, first)) return 0
  let count = 1
  while (count < longestRun) {
    const previous = tokens[first + count - 1]
    const next = tokens[first + count]
    if (!previous || !next) break
    const between = sentence.slice(previous.end, next.start)
    if (between === ' ' || between === ' & ') {
      const belongs = next.capital && !isBoundary(next)
      const number = /^\d{1,4}\p{L}{0,2}$/u.test(next.text) && products.has(start.lower)
      if (belongs || number) {
        count += 1
        continue
      }
      const joined = joinedRun(sentence, tokens, first, count)
      if (joined > 0) {
        count += joined
        continue
      }
    }
    break
  }
  return count
}

/** "University of X", "Vincent van Gogh": lower-case words inside a name. */
function joinedRun(sentence: string, tokens: readonly Token[], first: number, count: number): number {
  const link = tokens[first + count]
  const after = tokens[first + count + 1]
  if (!link || !after || sentence.slice(link.end, after.start) !== ' ') return 0
  if (particles.has(link.lower) && after.capital) return 2
  if (link.lower !== 'of') return 0
  const head = tokens[first + count - 1]?.lower ?? ''
  const opensOrganisation = organisationStarts.has(head) || organisationHeads.has(head)
  const isListed = after.capital && places.has(`${head} of ${after.lower}`)
  if (after.capital && (opensOrganisation || isListed)) return 2
  const third = tokens[first + count + 2]
  return opensOrganisation && after.lower === 'the' && third?.capital ? 3 : 0
}

function isBoundary(token: Token): boolean {
  const { lower } = token
  if (lower === 'i' || /^i['’]/.test(lower)) return true
  return (
    ordinaryWords.has(lower) &&
    !organisationHeads.has(lower) &&
    !placeHeads.has(lower) &&
    !eventHeads.has(lower) &&
    !wordNames.has(lower)
  )
}

/** True for a capital that is explained by the start of a sentence, a weekday or a language. */
function isOrdinaryHere(sentence: string, tokens: readonly Token[], index: number): boolean {
  const token = tokens[index]
  if (!token) return true
  const { lower } = token
  if (capitalCodes.has(lower) && token.text !== token.text.toUpperCase()) return true
  const next = tokens[index + 1]
  const pair = next ? `${lower} ${next.lower}` : ''
  if (places.has(pair) || organisations.has(pair) || events.has(pair) || products.has(pair)) return false
  if (personTitles.has(lower)) return !(next?.capital && sentence.slice(token.end, next.start) === ' ')
  const initial = startsSentence(sentence, token.start)
  const joinsName = next?.capital === true && sentence.slice(token.end, next.start) === ' ' && !isBoundary(next)
  if (months.has(lower) && isDate(sentence, token)) return true
  if (wordNames.has(lower))
    return (
      initial &&
      !joinsName &&
      !/^(?:['’]s)? (?:and i|works|lives|said|is my|loves|likes)\b/.test(sentence.slice(token.end, token.end + 12))
    )
  if (ordinaryWords.has(lower))
    return !(placePrefixes.has(lower) && joinsName) && !(organisationStarts.has(lower) && next?.lower === 'of')
  return initial && wordLike.has(lower) && !joinsName
}

function isDate(sentence: string, token: Token): boolean {
  const before = sentence.slice(Math.max(0, token.start - 8), token.start).toLowerCase()
  return (
    /^,? \d/.test(sentence.slice(token.end, token.end + 3)) ||
    /(?:^| )(?:in|on|last|next|since|until|this|of|by|early|late|mid|every|\d+(?:st|nd|rd|th)?) $/.test(before)
  )
}

function startsSentence(sentence: string, start: number): boolean {
  return (
    !/[\p{L}\p{N}]/u.test(sentence.slice(0, start)) ||
    /[:"“•*-]\s*$/u.test(sentence.slice(Math.max(0, start - 4), start))
  )
}

function nameOf(
  sentence: string,
  tokens: readonly Token[],
  first: number,
  run: number,
): { span: NameSpan | null; used: number } {
  let from = first
  let titled = false
  while (from < first + run - 1 && personTitles.has(tokens[from]?.lower ?? '')) {
    from += 1
    titled = true
  }
  const last = first + run - 1
  const head = tokens[from]
  const tail = tokens[last]
  if (!head || !tail) return { span: null, used: run }
  const place = {
    start: head.start,
    end: tail.end,
    name: sentence.slice(head.start, tail.end).replace(/\.$/, (dot) => (keepsDot(sentence, tail) ? dot : '')),
  }
  if (titled) return { span: { ...place, type: 'PERSON', sure: true }, used: run }
  const guess = classify(sentence, tokens.slice(from, last + 1), place)
  return { span: guess ? { ...place, ...guess } : null, used: run }
}

/** The dot of "Corp." or of an initial belongs to the name, unless the sentence ends there. */
function keepsDot(sentence: string, tail: Token): boolean {
  if (/^\p{Lu}\.$/u.test(tail.text)) return true
  return dotted.has(tail.lower.slice(0, -1)) && /\S/u.test(sentence.slice(tail.end))
}

function classify(sentence: string, tokens: readonly Token[], place: { start: number; end: number }): Guess | null {
  const lowers = tokens.map(({ lower }) => lower)
  const joined = lowers.join(' ').replace(/['’]/g, "'")
  const first = lowers[0] ?? ''
  const last = lowers.at(-1) ?? ''
  const before = sentence.slice(Math.max(0, place.start - 60), place.start).toLowerCase()
  const after = sentence.slice(place.end, place.end + 60).toLowerCase()
  const context = guessFromContext(before, after)
  if (personOrPlace.has(joined))
    return placeFollows(before) ? { type: 'LOCATION', sure: true } : { type: 'PERSON', sure: false }
  if (organisations.has(joined) && context?.type !== 'PERSON')
    return products.has(joined) && context?.type === 'PRODUCT' ? context : { type: 'ORG', sure: true }
  if (places.has(joined)) return { type: 'LOCATION', sure: true }
  if (products.has(joined) || (products.has(first) && /^\d/.test(last))) return { type: 'PRODUCT', sure: true }
  if (events.has(joined)) return { type: 'EVENT', sure: true }
  if (tokens.length > 1) {
    const byForm = classifyRun(lowers)
    if (byForm) return byForm
  }
  if (givenNames.has(first.split('-')[0] ?? first))
    return { type: 'PERSON', sure: tokens.length > 1 || context?.type !== 'ORG' }
  if (wordNames.has(first) && (tokens.length > 1 || context?.type === 'PERSON'))
    return { type: 'PERSON', sure: tokens.length > 1 }
  const acronym = tokens.length === 1 && /^\p{Lu}{2,5}$/u.test(tokens[0]?.text ?? '')
  if (context && !(acronym && context.type === 'PERSON' && !context.sure)) return context
  return fallback(sentence, tokens, place)
}

function classifyRun(lowers: readonly string[]): Guess | null {
  const first = lowers[0] ?? ''
  const last = lowers.at(-1) ?? ''
  if (lowers.includes('of') && lowers.some((word) => organisationStarts.has(word) || organisationHeads.has(word)))
    return { type: 'ORG', sure: true }
  if (eventHeads.has(last)) return { type: 'EVENT', sure: true }
  if (organisationHeads.has(last)) return { type: 'ORG', sure: true }
  if (placeHeads.has(last) || (placePrefixes.has(first) && !givenNames.has(first)))
    return { type: 'LOCATION', sure: true }
  if (organisations.has(first)) return { type: 'PRODUCT', sure: false }
  if (products.has(first)) return { type: 'PRODUCT', sure: false }
  if (places.has(first) && !givenNames.has(first) && !personOrPlace.has(first)) return { type: 'ORG', sure: false }
  return null
}

function fallback(sentence: string, tokens: readonly Token[], place: { start: number }): Guess | null {
  const plain = tokens.every(({ text }) =>
    /^\p{Lu}[\p{Ll}\p{M}]+$|^\p{Lu}\.$|^\p{Lu}['’]\p{Lu}\p{Ll}+$|^\p{Lu}\p{Ll}+-\p{Lu}\p{Ll}+$|^Ma?c\p{Lu}\p{Ll}+$/u.test(
      text,
    ),
  )
  const middle = tokens.slice(1).every(({ text, lower }) => /^\p{Lu}/u.test(text) || particles.has(lower))
  if (tokens.length >= 2 && tokens.length <= 4 && middle && plain) return { type: 'PERSON', sure: false }
  const [only] = tokens
  if (tokens.length > 1 || !only) return { type: 'CONCEPT', sure: false }
  if (wordNames.has(only.lower) || ordinaryWords.has(only.lower)) return null
  if (startsSentence(sentence, place.start)) return null
  return { type: /^\p{Lu}{3,5}$/u.test(only.text) ? 'ORG' : 'CONCEPT', sure: false }
}
