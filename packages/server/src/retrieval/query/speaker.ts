/**
 * Who said a memory, and whom a question is about. A turn of a conversation is stored as `Name: text`. A memory without such a prefix was
 * said by the user. "What did Caroline research?" is best answered by Caroline, "Where do I live?" by the user, and "What did you
 * recommend?" by the assistant.
 */
import { isStopWord, tokenize } from '../index/tokenize.js'

/** The names that the service puts before text that no person said. */
const machines: ReadonlySet<string> = new Set(['Assistant', 'Tool'])

export function isMachine(speaker: string | null): boolean {
  return speaker !== null && machines.has(speaker)
}

const prefix = /^([\p{L}\p{N}][^:\n]{0,63}): /u
/** Each character of the name may take two UTF-16 units. */
const mostOfPrefix = 2 * 64 + 2
const mostWordsOfName = 4

/** Null if no name precedes the text, so that the user said it. Every word of a longer name must be capitalized. */
export function speakerOf(content: string): string | null {
  const start = content.slice(0, mostOfPrefix)
  // Most memories have no colon, and looking for it is many times faster than the regular expression.
  const name = start.includes(': ') ? prefix.exec(start)?.[1] : undefined
  if (name === undefined) return null
  const words = name.split(' ')
  if (words.length === 1) return name
  return words.length <= mostWordsOfName && words.every((word) => !/^\p{Ll}/u.test(word)) ? name : null
}

/** Whom a question is about. */
export interface Asked {
  /** The speakers that it names. */
  readonly named: ReadonlySet<string>
  /** The user: "Where do I live?" */
  readonly user: boolean
  /** The assistant: "What did you suggest?" */
  readonly assistant: boolean
  /** Matches a text that mentions one of the named speakers. Null if there are none. */
  readonly mention: RegExp | null
}

/** No more of a question is read, because a hostile one may have thousands of names. */
const mostCharacters = 1_000
const mostMentioned = 16

const firstPerson = /(?<![\p{L}\p{N}'’])(?:[Ii]|[Mm]y|[Mm]e|[Mm]ine|[Mm]yself|[Ww]e|[Oo]ur|us)(?![\p{L}\p{N}]|\.\p{L})/u
const toldByAssistant =
  /\byou (?:\w+ )?(?:said|told|mentioned|recommended|suggested|provided|gave|listed|explained|shared|described|advised|created|wrote|referred)\b|\bdid you (?:\w+ )?(?:say|tell|mention|recommend|suggest|provide|give|list|explain|share|describe|advise|create|write|refer)\b/i
/** The user and the assistant both took part in it. */
const earlierTalk = /\bour (?:\w+ )?(?:chat|conversation|discussion|session)s?\b/i

/** Null if the question is about nobody in particular. `speakers` are those of the candidates. */
export function askedAbout(question: string, speakers: ReadonlySet<string>): Asked | null {
  const text = question.slice(0, mostCharacters)
  const { named, parts } = namedIn(text, speakers)
  const told = toldByAssistant.test(text)
  const both = !told && earlierTalk.test(text)
  const user = both || (!told && firstPerson.test(text))
  const assistant = both || told
  return named.size > 0 || user !== assistant ? { named, user, assistant, mention: mentionOf(parts) } : null
}

/** 0 to 1: how well the speaker of a memory (null for the user) fits whom the question is about. */
export function speakerFit(
  asked: Asked,
  memory: { readonly speaker: string | null; readonly content: string },
): number {
  const { speaker, content } = memory
  const said = speaker === null ? asked.user : asked.named.has(speaker) || (asked.assistant && isMachine(speaker))
  if (said) return 1
  // The user's notes about somebody count as much as that person's words. What others say about that person counts less.
  if (asked.mention?.test(content.slice(0, mostCharacters))) return speaker === null ? 1 : 0.5
  if (asked.named.size > 0) return 0
  // Only the words of a machine are certainly not the user's: a name may be a label, such as "Note".
  return speaker === null || isMachine(speaker) ? 0 : 0.5
}

/* ------------------------------------------------------------------ names */

/** First names that are also ordinary words. */
const ordinary: ReadonlySet<string> = new Set(
  'april art august bill bob chase dawn drew faith frank gene grace grant guy hope jack jean joy june mark may pat ray rob rose sue will'.split(
    ' ',
  ),
)

const wordPattern = /[\p{L}\p{N}\p{M}]+/gu

interface Word {
  readonly text: string
  /** Capitalized like a name. */
  readonly capital: boolean
}

function namedIn(text: string, speakers: ReadonlySet<string>): { named: Set<string>; parts: Set<string> } {
  // Without speakers, as in notes, the question does not have to be parsed.
  if (speakers.size === 0) return { named: new Set(), parts: new Set() }
  const words = wordsOf(text)
  const byText = new Map(words.map((word) => [word.text, word] as const).reverse())
  const typedSmall = !/\p{Lu}/u.test(text)
  const matched = new Map<string, Set<string>>()
  for (const speaker of speakers) {
    if (isMachine(speaker)) continue
    const found = partsOf(speaker).filter((part) => isNamed(part, byText, text, typedSmall))
    if (found.length > 0) matched.set(speaker, new Set(found))
  }
  if (matched.size === 0) shortForms(words, speakers, matched)
  const named = [...matched].filter(([, parts]) => ![...matched.values()].some((other) => isMore(other, parts)))
  return { named: new Set(named.map(([speaker]) => speaker)), parts: new Set(named.flatMap(([, parts]) => [...parts])) }
}

/** "Caroline Smith" is that Caroline and no other one. */
function isMore(other: ReadonlySet<string>, parts: ReadonlySet<string>): boolean {
  return other.size > parts.size && [...parts].every((part) => other.has(part))
}

function isNamed(part: string, words: ReadonlyMap<string, Word>, text: string, typedSmall: boolean): boolean {
  // A script without capitals, and mostly without spaces.
  if (part.toLowerCase() === part.toUpperCase()) return part.length >= 2 && text.includes(part)
  const word = words.get(part.toLowerCase())
  if (!word) return false
  if (word.capital) return true
  // Somebody who types everything in lower case also types names that way, and a name may be spelled in lower case.
  return (typedSmall || part === part.toLowerCase()) && !isOrdinary(part.toLowerCase())
}

function isOrdinary(word: string): boolean {
  return ordinary.has(word) || tokenize(word).every(isStopWord)
}

/** Finds short forms: "Mel" for Melanie, if nobody is called Mel. */
function shortForms(words: readonly Word[], speakers: ReadonlySet<string>, matched: Map<string, Set<string>>): void {
  const forms = words.filter(({ text, capital }) => capital && text.length >= 3 && !isOrdinary(text))
  if (forms.length === 0) return
  for (const speaker of speakers) {
    const first = partsOf(speaker)[0]?.toLowerCase() ?? ''
    const form = forms.find(({ text }) => first.length > text.length && first.startsWith(text))
    if (form && !isMachine(speaker)) matched.set(speaker, new Set([first]))
  }
}

const titles: ReadonlySet<string> = new Set(['dr', 'mr', 'mrs', 'ms', 'prof'])

function partsOf(name: string): string[] {
  return (name.match(wordPattern) ?? []).filter((part) => part.length >= 2 && !titles.has(part.toLowerCase()))
}

/** The words in lower case. A capital counts, except on an ordinary word at the start of a sentence. */
function wordsOf(text: string): Word[] {
  const words: Word[] = []
  for (const match of text.matchAll(wordPattern)) {
    const [word] = match
    const small = word.toLowerCase()
    const begins = /(?:^|[.!?]\s*)["'“‘(]*$/u.test(text.slice(Math.max(0, match.index - 4), match.index))
    const possessive = /^['’]s\b/.test(text.slice(match.index + word.length, match.index + word.length + 3))
    const capital = /^\p{Lu}/u.test(word) && (!begins || possessive || !isOrdinary(small))
    words.push({ text: small, capital })
  }
  return words
}

/** Parts of names are letters and digits, so none of them is special in a pattern. */
function mentionOf(parts: ReadonlySet<string>): RegExp | null {
  const words = [...parts].slice(0, mostMentioned)
  if (words.length === 0) return null
  const unspaced = words.filter((word) => word.toLowerCase() === word.toUpperCase())
  const spaced = words.filter((word) => !unspaced.includes(word))
  const whole = spaced.length > 0 ? [`(?<![\\p{L}\\p{N}])(?:${spaced.join('|')})(?![\\p{L}\\p{N}])`] : []
  return new RegExp([...whole, ...unspaced].join('|'), 'iu')
}
