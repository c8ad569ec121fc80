/**
 * Cuts the content of a memory into statements: sentences, and coordinate clauses with a subject of their own ("I work
 * nights, and my wife is a nurse"). A clause that needs the one before it to be understood ("… and it barks") stays with it.
 */
import { pattern } from '../../core/pattern.js'
import { sentencesOf } from '../../language/sentences/sentences.js'
import { isPast, isVerb } from '../../language/words/words.js'
import { leadingChatter, withoutTrailing } from './chatter.js'

export interface Statement {
  /** Half-open range of characters in the content. */
  readonly start: number
  readonly stop: number
  /** It asks something. */
  readonly asks: boolean
  /** It starts with "he", "it" or the like, whose meaning is in the statement before. */
  readonly leans: boolean
}

const longestSentence = 600
const mostStatements = 200

/** `lead`: length of the prefix that names the speaker ("Ann: "). */
export function statementsOf(content: string, lead = 0): Statement[] {
  const text = content.slice(lead)
  const found: Statement[] = []
  for (const { start, end, kind, blank } of sentencesOf(text, longestSentence)) {
    if (blank || kind === 'code') continue
    for (const clause of clausesOf(text.slice(start, end))) {
      const statement = trimmed(text, start + clause.start, start + clause.stop, lead)
      if (statement) found.push(statement)
      if (found.length === mostStatements) return found
    }
  }
  return found
}

function trimmed(text: string, from: number, to: number, lead: number): Statement | null {
  const raw = text.slice(from, to)
  const start = from + leadingChatter(raw)
  const words = text.slice(start, to)
  const stop = start + withoutTrailing(words)
  const said = text.slice(start, stop)
  if (!/[\p{L}\p{N}]/u.test(said)) return null
  return { start: start + lead, stop: stop + lead, asks: asksSomething(raw, said), leans: leaning.test(said) }
}

const leaning =
  /^(?:he|she|it|they|that|this|these|those|him|her|them|there|which|who|its|his|their)(?:['’](?:s|re|ve|ll|d))?(?![\p{L}\p{N}])/iu
const questionStart =
  /^(?:what|how|why|when|where|who|whose|which|do|does|did|are|is|was|were|can|could|would|will|should|have|has|any|wanna|ever|may|shall)(?:['’](?:s|re|d))?(?![\p{L}\p{N}])/iu
const directed = new RegExp(
  pattern`
    ^(?:do|does|did|are|is|can|could|would|will|have|what(?:['’]?s)?|how|where|why|when|who)(?: (?:about|is|are|do
    |does|did|kind|type|sort|of|else|been|can|would))* (?:you|your|yours|yourself|u|ya|ur)(?![\p{L}\p{N}])
  `,
  'iu',
)

function asksSomething(raw: string, said: string): boolean {
  return /\?[\s"'”’)!?]*$/u.test(raw) || (directed.test(said) && questionStart.test(said))
}

interface Range {
  readonly start: number
  readonly stop: number
}

const separator = /;\s+|\s[–—-]+\s|\.{3,}\s*|…\s*|,?\s+(?:but|so|and|plus)\s+(?:also\s+|then\s+|now\s+|yes\s+)?|,\s+/giu
const ownSubject = /^(?:(?:i|we)(?:['’](?:m|ve|d|ll|re))?|im|ive|my|our)(?![\p{L}\p{N}'’])/iu
const question =
  /^(?:and you|you|do you|are you|how about|what about|what do you|what is your|what's your|how are|have you|did you|what are|where do you|can you|would you)(?![\p{L}\p{N}])/iu
const subordinate =
  /^(?:if|when|whenever|because|since|while|although|though|as|after|before|once|unless|even|until|where|whether|in case|for)(?![\p{L}\p{N}])/iu
const subject =
  /(?<![\p{L}\p{N}])(?:i|i['’]?(?:m|ve|d|ll)|we|we['’](?:re|ve|ll)|my|our|he|she|they|it|it['’]s|that|that['’]s|this|there|there['’]s|who|you|\p{Lu}\p{Ll}+)(?![\p{L}\p{N}])/iu

/** The coordinate clauses of a sentence. */
function clausesOf(sentence: string): Range[] {
  const ranges: Range[] = []
  let start = 0
  for (const match of sentence.matchAll(separator)) {
    const stop = match.index
    const next = stop + match[0].length
    if (stop <= start) continue
    if (!isClause(sentence.slice(start, stop)) || !startsClause(sentence.slice(next, next + 90), match[0])) continue
    ranges.push({ start, stop })
    start = next
  }
  ranges.push({ start, stop: sentence.length })
  return ranges
}

function isClause(left: string): boolean {
  const words = left.trim()
  return !subordinate.test(words) && subject.test(words) && hasVerb(words)
}

function startsClause(right: string, by: string): boolean {
  if (question.test(right) && /\?/u.test(right)) return true
  const own = ownSubject.exec(right)
  if (!own) return /^(?:;|\.{3}|…|\s[–—-])/u.test(by) && !leaning.test(right) && hasVerb(right)
  if (/^(?:my|our)$/iu.test(own[0])) return possessed.test(right) || verbAfterNoun(right)
  return true
}

const possessed =
  /^(?:my|our)(?: [\p{L}\p{N}'’-]+){1,4}? (?:is|are|was|were|has|have|had|can|will|does|do|did|loves?|likes?|works?|lives?|wants?|hates?)(?![\p{L}\p{N}])|^(?:my|our) [\p{L}'’-]+['’]s? /iu

function verbAfterNoun(right: string): boolean {
  return right
    .split(/[\s,]+/u)
    .slice(2, 5)
    .some((word) => isPast(word.toLowerCase()) || (/(?:s|ed)$/u.test(word) && isVerb(word.toLowerCase())))
}

function hasVerb(text: string): boolean {
  return text
    .toLowerCase()
    .split(/[\s,]+/u)
    .some((word) => /['’](?:m|re|ve|s)$/u.test(word) || word === 'im' || isVerb(word))
}
