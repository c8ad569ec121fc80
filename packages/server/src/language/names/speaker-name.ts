/** Whether the words before a colon name a speaker ("Audrey: …") or are a label ("Note: …", "Berlin: …", "TODO: …"). */

import { commonNouns } from '../words/common-nouns.js'
import { ordinaryWords, personTitles } from '../words/common-words.js'
import { labelEnding, labelWords, timeWords } from '../words/label-words.js'
import { speakerNames } from './further-names.js'
import { givenNames, wordNames } from './given-names.js'
import { eventHeads, events, organisationHeads, organisations, products } from './organisations.js'
import { placeHeads, placePrefixes, places } from './places.js'

/** `person`: surely somebody's name. `name`: looks like one, and the text has to confirm it. Null: a label. */
export type NameKind = 'person' | 'name' | null

export function nameKind(name: string): NameKind {
  const [first = '', ...others] = name.split(' ')
  if (others.length > 0) return fullNameKind(first, others)
  if (/^@[\p{L}\p{N}_.-]{2,}$/u.test(first)) return 'person'
  const small = first.toLowerCase()
  const handle = /^(\p{L}{2,})[\p{N}_.-][\p{L}\p{N}_.-]*$/u.exec(small)
  if (handle) return handleKind(small, handle[1] ?? '')
  if (isGivenName(small)) return isAlsoWord(small) ? 'name' : 'person'
  if (mayBeName(small)) return 'name'
  return isUnknownName(first) ? 'name' : null
}

/** "Fahim Khan", "Dr. Osei"; not "Next Steps", "Acme Corp" or "Lake Como". */
function fullNameKind(first: string, others: readonly string[]): NameKind {
  const whole = [first, ...others].join(' ').toLowerCase()
  const last = others.at(-1)?.toLowerCase() ?? ''
  if (isThing(whole) || organisationHeads.has(last) || placeHeads.has(last) || eventHeads.has(last)) return null
  const small = first.toLowerCase()
  const isNamed = others.every((word) => isSurname(word) || isGivenName(word.toLowerCase()) || isInitial(word))
  if (isGivenName(small)) return isNamed ? 'person' : 'name'
  if (personTitles.has(small)) return isNamed ? 'person' : null
  return isNamed && (isUnknownName(first) || mayBeName(small)) ? 'name' : null
}

/** "dave_92"; not "user_id" or "step2". */
function handleKind(handle: string, stem: string): NameKind {
  if (isGivenName(stem)) return isAlsoWord(stem) ? 'name' : 'person'
  return /\p{N}/u.test(handle) && stem.length >= 3 && !isWord(stem) ? 'name' : null
}

const kin = new Set('mom mum mommy mummy mama dad daddy papa grandma granny nana grandpa granddad auntie'.split(' '))

function isGivenName(word: string): boolean {
  return givenNames.has(word) || speakerNames.has(word)
}

/** "Grace", "Will", "Mum": names as well as words. A month is more often a month. */
function mayBeName(word: string): boolean {
  return kin.has(word) || (wordNames.has(word) && !timeWords.has(word))
}

/** A given name that is also a word or a place: "Frank", "Charlotte". */
function isAlsoWord(word: string): boolean {
  return wordNames.has(word) || isWord(word)
}

function isWord(word: string): boolean {
  return isLabel(word) || commonNouns.has(word)
}

function isLabel(word: string): boolean {
  return ordinaryWords.has(word) || labelWords.has(word) || labelEnding.test(word) || isThing(word)
}

function isThing(name: string): boolean {
  return (
    places.has(name) || placePrefixes.has(name) || organisations.has(name) || products.has(name) || events.has(name)
  )
}

const capitalised =
  /^\p{Lu}\p{Ll}{2,}(?:[-'’]\p{Lu}?\p{Ll}+)*$|^(?:Mc|Mac|O['’]|D['’]|De|Di|La|Le|Van|Von)\p{Lu}\p{Ll}+$/u

function isUnknownName(word: string): boolean {
  return capitalised.test(word) && !isWord(word.toLowerCase())
}

/** Many surnames are nouns: "Marta Stone". */
function isSurname(word: string): boolean {
  return capitalised.test(word) && !isLabel(word.toLowerCase())
}

function isInitial(word: string): boolean {
  return /^\p{Lu}\.?$/u.test(word)
}

const mostCharacters = 2_000
const firstPerson =
  /(?<![\p{L}\p{N}'’_-])(?:i|i['’]?(?:m|ve)|i['’](?:d|ll)|my|me|mine|myself)(?![\p{L}\p{N}'’_-]|\.\p{L})/iu

/** Whether the words are somebody's about themselves, which tells a speaker from a topic. */
export function saysI(text: string): boolean {
  return firstPerson.test(text.slice(0, mostCharacters))
}

/** Whether it reads like a sentence, unlike the value of a field. */
export function isSentence(text: string): boolean {
  const start = text.slice(0, mostCharacters).trim()
  return saysI(start) || (/[.?!…]["'”’)]*$/u.test(start) && start.split(/\s+/u).length >= 3)
}
