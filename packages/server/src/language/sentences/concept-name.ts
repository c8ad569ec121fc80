/**
 * The name of a thing that somebody likes, dislikes or uses: a noun phrase of at most three words. A gerund names an
 * activity ("swimming") or leads to the thing that is enjoyed ("playing tennis"); most others name nothing ("waiting
 * at the vet").
 */
import { monthPattern } from '../dates/month-names.js'
import { factStem } from '../words/stem.js'
import { isLight, isVerb } from '../words/words.js'

const mostWords = 3

const wordsOf = (text: string) => text.trim().split(/\s+/u)
const listed = (text: string): ReadonlySet<string> => new Set(wordsOf(text))
const stemsOf = (text: string): ReadonlySet<string> => new Set(wordsOf(text).map(factStem))

/** What people do for its own sake: the gerund is the name of the activity. */
const activities: ReadonlySet<string> = stemsOf(`
bake bike blog box camp climb code cook cycle dance dive draw drive fish fly garden hike hunt jog knit paint program
read ride run sail sew shop shoot sing skate ski smoke surf swim teach travel volunteer walk wrestle write gamble
meditate sketch row`)
/** With these verbs the liked thing is their object. */
const consuming: ReadonlySet<string> = stemsOf(`
play watch read eat drink cook bake collect study learn speak practice practise grow wear drive ride paint draw write
sing make listen do`)
const determiners = listed('a an the some any my our his her their its your to this that these those new')
const adverbs = listed(`
right away alone early late together outside inside again though anyway instead otherwise online abroad apart aside
upstairs downstairs nearby everywhere somewhere anywhere indoors outdoors soon yet around out up down back off else
less`)
const nounsInLy = listed(`
family jelly lily belly fly rally ally italy monopoly assembly butterfly dragonfly july bully gully melancholy anomaly`)
const noThing = listed(`
myself yourself himself herself itself ourselves yourselves themselves people person someone somebody anyone everyone
stuff things thing it both other others another`)
/** Times that people like or hate; other light words name nothing. */
const times = new RegExp(
  `^(?:spring|summer|autumn|fall|winter|morning|evening|night|news|${monthPattern}|(?:mon|tues|wednes|thurs|fri|satur|sun)day)$`,
  'u',
)
const links = listed('of de')
/** Words that cannot be inside a noun phrase: what follows them is not part of the thing. */
const breaks = listed(`
and or but because when while if since so that which who whom where in on at with for from by than as after before
during until about over under to is are was were be been will would can could has have had do does did how what why
not more most than into`)

const isAdverb = (word: string) => adverbs.has(word) || (/..ly$/u.test(word) && !nounsInLy.has(word))
const isAdjective = (word: string) => /(?:ous|ful|less|able|ible|ical)$/u.test(word)
const isGerund = (word: string) =>
  /^\p{L}{2,}ing$/u.test(word) && /[aeiouy]/u.test(word.slice(0, -3)) && !isGerundNoun(word)
/** "Thing", "ring", "king" are no gerunds. */
const isGerundNoun = (word: string) => word.length <= 5 && !isVerb(word.slice(0, -3))

export interface PhraseOf {
  /** In lower case; a name counts as one word. */
  readonly words: readonly string[]
  /** "Likes to swim" */
  readonly infinitive?: boolean
  /** The phrase goes on. */
  readonly unfinished?: boolean
}

/** Null if the phrase names nothing. */
export function conceptName({ words, infinitive = false, unfinished = false }: PhraseOf): string[] | null {
  if (unfinished) return null
  const trimmed = trim(words)
  const [first = '', ...rest] = trimmed
  if (infinitive || isGerund(first)) {
    const verb = factStem(first)
    const object = trim(rest)
    if (consuming.has(verb) && object.length > 0) return isGerund(object[0] ?? '') ? null : nounPhrase(object)
    if (infinitive || object.length > 0) return null
    return activities.has(verb) || !isVerb(infinitiveOf(first)) ? [first] : null
  }
  return nounPhrase(trimmed)
}

function infinitiveOf(gerund: string): string {
  const base = gerund.slice(0, -3)
  const candidates = [base, `${base}e`, base.replace(/(.)\1$/u, '$1')]
  return candidates.find((word) => isVerb(word)) ?? base
}

function nounPhrase(words: readonly string[]): string[] | null {
  if (words.length === 0 || words.length > mostWords) return null
  const last = words.at(-1) ?? ''
  if (links.has(last) || (isLight(last) && !times.test(last)) || noThing.has(last) || isAdjective(last)) return null
  if (words.some((word) => breaks.has(word) || isAdverb(word) || noThing.has(word))) return null
  return [...words]
}

function trim(words: readonly string[]): string[] {
  let [start, end] = [0, words.length]
  while (start < end && (determiners.has(words[start] ?? '') || isAdverb(words[start] ?? ''))) start += 1
  while (end > start && isAdverb(words[end - 1] ?? '')) end -= 1
  return words.slice(start, end)
}
