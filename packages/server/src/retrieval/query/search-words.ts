/**
 * A query that is a search: "wifi password", "INV-20931", "Petra". People type it into a box, and agents send it. It asks for whatever
 * mentions these words, while the reader was trained on questions and takes bare words for strange ones. So the reader gets a question,
 * and a memory that has every word of the search counts as what was looked for.
 */
import { isForeign } from '../../language/words/is-foreign.js'
import { isStopWord, tokenize } from '../index/tokenize.js'
import { asks } from './parts.js'
import { isOrder } from './remark.js'

export interface Search {
  /** What to ask the reader. */
  readonly question: string
  /** As the index has them, without those that say nothing. */
  readonly words: readonly string[]
  /** Numbers and codes, without the characters between their parts. */
  readonly codes: readonly string[]
  /** All of it without the characters between its parts, if it has a number. */
  readonly closed: string | null
  /** At least this much, in log odds, a memory with all of it is what was looked for. */
  readonly odds: number
}

const mostWords = 5
/** "Helen?" and "the gate code?" are searches too; more words are a question. */
const mostAsked = 3
const mostCharacters = 80
const leastCode = 5
const leastDigits = 3

const closing = /[\s?!.…]+$/u
const sentence = /[?？؟¿!！]|[.。;:]\s|\n/u
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
/** Who does something: a search has only things. */
const subject =
  /(?<!\S)(?:i|i['’](?:m|d|ve|ll)|we|you|he|she|they|ich|wir|je|nous|elle|yo|io|ik|wij|hij|zij|я|мы|он|она)(?!\S)/iu
/** A question without its mark: "did Petra call". */
const auxiliary =
  /^(?:(?:is|are|were|do|does|did|has|have|had|can|could|would|should|shall)(?![\p{L}\p{N}])|(?:am|was|will) (?:i|we|you|he|she|it|they|my|our|the|there|this|that)(?![\p{L}\p{N}]))/iu
/** "Hat Anna Kinder?", "was mag Anna" */
const auxiliaryForeign = /^(?:hat|ist|sind|habe|hast|was|will|am|heeft|heb|ha|hai|ho|est|as|tem|tens|есть)\s/iu

const oddsOfSearch = 3
const oddsOfStatement = 2
/** Verbs that begin the names of things too: "book club", "test results". Without an article or so after them they do. */
const alsoNoun =
  /^(?:book|build|change|check|cook|debug|design|draft|fix|help|list|look|move|name|open|order|plan|review|run|search|set|show|sort|test|update|use)[\s-](?!(?:a|an|the|my|our|me|us|some|for|it|all|this|that|up)(?![\p{L}\p{N}]))/iu

/** Null if the query asks for something that a memory must tell, or is a request or a sentence. */
export function searchIn(text: string): Search | null {
  const given = text.trim()
  if (given.length > 2 * mostCharacters) return null
  const said = given.replace(closing, '').replace(/\s(?:info(?:rmation)?|details)$/iu, '')
  if (said.length > mostCharacters || sentence.test(said) || unspaced.test(said)) return null
  const parts = said.split(/\s+/u)
  if (auxiliary.test(said)) return statementIn(said)
  if (auxiliaryForeign.test(said)) return null
  const isAsked = /[?!]/u.test(text)
  if (said === '' || parts.length > (isAsked ? mostAsked : mostWords) || (isAsked && isForeign(said))) return null
  if (asks(said) || (isOrder(said) && !alsoNoun.test(said)) || subject.test(said)) return null
  const words = wordsIn(said)
  if (words.length === 0) return null
  const closed = closedUp(said)
  const codes = parts.filter((part) => !writtenOtherwise.test(part))
  return {
    question: `What did I say about ${said}?`,
    words,
    codes: codes.map(closedUp).filter(isCode),
    closed: isCode(closed) && codes.length === parts.length ? closed : null,
    odds: oddsOfSearch,
  }
}

const leastStated = 2
const mostStated = 12

/** "Is my car a Skoda?" A memory with all of its words says so, or the contrary. */
function statementIn(said: string): Search | null {
  if (/\s(?:who|whom|whose|what|when|where|which|why|how)\s/iu.test(said) || isForeign(said)) return null
  if (said.split(/\s+/u).length > mostStated) return null
  const words = wordsIn(said)
  if (words.length < leastStated) return null
  return { question: `${said}?`, words, codes: [], closed: null, odds: oddsOfStatement }
}

/** The words that the index is asked for: a code as it may be written in a memory too, "bk 2207" for "bk2207" and the reverse. */
export function indexWordsOf(text: string): string {
  const search = searchIn(text)
  if (search === null || search.closed === null) return text
  const apart = text.replace(/(?<=\p{L})(?=\d)|(?<=\d)(?=\p{L})/gu, ' ')
  const forms = new Set([text, apart, ...search.codes, search.closed])
  return [...forms].join(' ')
}

/** Whether a text has every word of the search. */
export function holds({ words, codes, closed }: Search, text: string): boolean {
  const known = new Set(tokenize(text))
  const missing = words.filter((word) => !known.has(word))
  if (missing.length === 0) return true
  if (closed !== null && has(text, closed)) return true
  return codes.length > 0 && !lacksCode({ codes }, text) && missing.every((word) => /\d/u.test(word))
}

/** Whether a text lacks a code that was looked for. Something similar has another code. */
export function lacksCode({ codes }: Pick<Search, 'codes'>, text: string): boolean {
  if (codes.length === 0) return false
  return codes.some((code) => !has(text, code))
}

/** Whether a text has a code in one or several words, and not as a part of a longer one. */
function has(text: string, code: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.some((word, first) => {
    let joined = word
    for (let next = first + 1; joined.length < code.length && next < words.length; next++) joined += words[next]
    return joined === code
  })
}

function wordsIn(said: string): string[] {
  return tokenize(said).filter((word) => !isStopWord(word) && !isPartOfWord(word))
}

/** The index has the beginnings of words too, if the text is long enough to tell its language. */
function isPartOfWord(term: string): boolean {
  return /[*_]/u.test(term)
}

/** A date or an amount may be written otherwise. */
const writtenOtherwise = /^(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{4}[-–]\d{4}|[£$€¥].*|\d{1,3}(?:[.,]\d{3})+)$/u

function isCode(closed: string): boolean {
  return closed.length >= leastCode && (closed.match(/\d/gu)?.length ?? 0) >= leastDigits
}

function closedUp(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
}
