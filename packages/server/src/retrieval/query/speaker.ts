/**
 * Who says a memory, and whom a question is about. A turn of a dialogue is stored as `Name: text`; what has no such
 * beginning, the user said. "What did Caroline research?" is best answered by Caroline, "Where do I live?" by the user, and
 * "What did you recommend?" by the assistant.
 */
import { isStopWord, tokenize } from '../index/tokenize.js'

/** Names that the service itself puts before what no person said. */
const machines: ReadonlySet<string> = new Set(['Assistant', 'Tool'])

export function isMachine(speaker: string | null): boolean {
  return speaker !== null && machines.has(speaker)
}

const prefix = /^([\p{L}\p{N}][^:\n]{0,63}): /u
/** Of which each character may take two. */
const mostOfPrefix = 2 * 64 + 2
const mostWordsOfName = 4

/** Null: no name stands before it, so the user said it. Names of several words are written with capitals. */
export function speakerOf(content: string): string | null {
  const start = content.slice(0, mostOfPrefix)
  // Most memories have none: a look for the colon takes a fraction of the expression.
  const name = start.includes(': ') ? prefix.exec(start)?.[1] : undefined
  if (name === undefined) return null
  const words = name.split(' ')
  if (words.length === 1) return name
  return words.length <= mostWordsOfName && words.every((word) => !/^\p{Ll}/u.test(word)) ? name : null
}

/** Whom a question is about. */
export interface Asked {
  /** Speakers that it names. */
  readonly named: ReadonlySet<string>
  /** The user: "Where do I live?" */
  readonly user: boolean
  /** The assistant: "What did you suggest?" */
  readonly assistant: boolean
  /** Matches a text that mentions one of the named; null when none is. */
  readonly mention: RegExp | null
}

/** More of a question is not read: a hostile one may hold thousands of names. */
const mostCharacters = 1_000
const mostMentioned = 16

const firstPerson = /(?<![\p{L}\p{N}'’])(?:[Ii]|[Mm]y|[Mm]e|[Mm]ine|[Mm]yself|[Ww]e|[Oo]ur|us)(?![\p{L}\p{N}]|\.\p{L})/u
const toldByAssistant =
  /\byou (?:\w+ )?(?:said|told|mentioned|recommended|suggested|provided|gave|listed|explained|shared|described|advised|created|wrote|referred)\b|\bdid you (?:\w+ )?(?:say|tell|mention|recommend|suggest|provide|give|list|explain|share|describe|advise|create|write|refer)\b/i
/** Both took part in it. */
const earlierTalk = /\bour (?:\w+ )?(?:chat|conversation|discussion|session)s?\b/i

/** Null: it is about nobody in particular. `speakers`: those of the memories that may answer. */
export function askedAbout(question: string, speakers: ReadonlySet<string>): Asked | null {
  const text = question.slice(0, mostCharacters)
  const { named, parts } = namedIn(text, speakers)
  const told = toldByAssistant.test(text)
  const both = !told && earlierTalk.test(text)
  const user = both || (!told && firstPerson.test(text))
  const assistant = both || told
  return named.size > 0 || user !== assistant ? { named, user, assistant, mention: mentionOf(parts) } : null
}

/** 0 to 1: how well it fits whom the question is about that this speaker (null: the user) said this. */
export function speakerFit(
  asked: Asked,
  memory: { readonly speaker: string | null; readonly content: string },
): number {
  const { speaker, content } = memory
  const said = speaker === null ? asked.user : asked.named.has(speaker) || (asked.assistant && isMachine(speaker))
  if (said) return 1
  // The user's own notes about somebody are as good as that person's words; another's words about them less so.
  if (asked.mention?.test(content.slice(0, mostCharacters))) return speaker === null ? 1 : 0.5
  if (asked.named.size > 0) return 0
  // Only a machine's words are surely not the user's: a name may be a label, such as "Note".
  return speaker === null || isMachine(speaker) ? 0 : 0.5
}

/* ------------------------------------------------------------------ names */

/** First names that are ordinary words too. */
const ordinary: ReadonlySet<string> = new Set(
  'april art august bill bob chase dawn drew faith frank gene grace grant guy hope jack jean joy june mark may pat ray rob rose sue will'.split(
    ' ',
  ),
)

const wordPattern = /[\p{L}\p{N}\p{M}]+/gu

interface Word {
  readonly text: string
  /** Written like a name where a name would be. */
  readonly capital: boolean
}

function namedIn(text: string, speakers: ReadonlySet<string>): { named: Set<string>; parts: Set<string> } {
  // Where nobody speaks, as in notes, the question need not be taken apart.
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

/** "Caroline Smith" is that Caroline and no other. */
function isMore(other: ReadonlySet<string>, parts: ReadonlySet<string>): boolean {
  return other.size > parts.size && [...parts].every((part) => other.has(part))
}

function isNamed(part: string, words: ReadonlyMap<string, Word>, text: string, typedSmall: boolean): boolean {
  // Scripts without capitals, and mostly without spaces.
  if (part.toLowerCase() === part.toUpperCase()) return part.length >= 2 && text.includes(part)
  const word = words.get(part.toLowerCase())
  if (!word) return false
  if (word.capital) return true
  // Who writes everything small writes names so too, and a name that its owner writes small may be anywhere.
  return (typedSmall || part === part.toLowerCase()) && !isOrdinary(part.toLowerCase())
}

function isOrdinary(word: string): boolean {
  return ordinary.has(word) || tokenize(word).every(isStopWord)
}

/** "Mel" for Melanie, where nobody is called Mel. */
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

/** In small letters. A capital counts but for one that begins a sentence before an ordinary word. */
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

/** Parts of names are letters and digits, so none of them means anything to the pattern. */
function mentionOf(parts: ReadonlySet<string>): RegExp | null {
  const words = [...parts].slice(0, mostMentioned)
  if (words.length === 0) return null
  const unspaced = words.filter((word) => word.toLowerCase() === word.toUpperCase())
  const spaced = words.filter((word) => !unspaced.includes(word))
  const whole = spaced.length > 0 ? [`(?<![\\p{L}\\p{N}])(?:${spaced.join('|')})(?![\\p{L}\\p{N}])`] : []
  return new RegExp([...whole, ...unspaced].join('|'), 'iu')
}
