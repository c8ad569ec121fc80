/**
 * The people and things that a sentence mentions, so that pronouns in later sentences can be resolved: names, and
 * people and things without a name ("my sister", "a guy", "the gym"). The latter matter because they make a pronoun
 * ambiguous.
 */

import { nameKey } from '../../core/entity.js'
import { pattern } from '../../core/pattern.js'
import { namesIn } from '../names/find-names.js'
import { type Gender, genderOfName } from '../names/name-genders.js'
import { ordinaryWords } from '../words/common-words.js'
import { genderOfNoun, groupNouns, isOrganisationNoun, isPlaceNoun, personNouns } from './person-nouns.js'

export interface Mention {
  /** Equal for the same person or thing. */
  readonly key: string
  readonly kind: 'person' | 'group' | 'organisation' | 'place' | 'unknown'
  readonly gender: Gender | null
  readonly start: number
  readonly end: number
  /** Its name; null if nothing can replace a pronoun. */
  readonly name: string | null
  /** "My sister": whose, and which relation. */
  readonly kin: Kin | null
  /** Plural things, which "them" may refer to. */
  readonly weak?: boolean
  /** Mentioned as a place: "at Acme". */
  readonly isAt?: boolean
  /** An unknown name that is used like a person's. */
  readonly isSomeone?: boolean
}

interface Kin {
  /** The speaker's name, null for a speaker without one; someone else mentioned in the text otherwise. */
  readonly owner: string | null
  /** "older sister" */
  readonly noun: string
  /** "Our", not "my". */
  readonly shared: boolean
}

/** "My sister Julia": from here on that sister is Julia. */
export interface Alias {
  readonly kin: Kin | null
  readonly noun: string
  readonly name: string
}

export interface Speakers {
  readonly speaker: string | null
  /** The only other speaker; undefined if there are none or several. */
  readonly addressee: string | null | undefined
}

const adjectives =
  'best|good|old|older|elder|younger|little|big|new|former|twin|dear|late|lovely|eldest|oldest|youngest|only|other|next-door|close|childhood|favou?rite|female|male|young|great'
const phrasePattern = new RegExp(
  pattern`
    (?<![\p{L}\p{N}'’-])([Mm]y|[Yy]our|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir|[Tt]he|[Aa]n?|[Tt]his|[Tt]hat|[Ss]ome|[Tt]wo
    |[Tt]hree|\p{Lu}[\p{L}-]{1,30}['’]s) ((?:(?:${adjectives}) ){0,2})(?:(?:\d{1,2}
    |(?!and |or |with |of |to |for |in |at |the |is |was |name |that |who )\p{Ll}[\p{Ll}-]*) ){0,3}?
    (${[...personNouns, ...groupNouns].join('|')})(?![\p{L}\p{N}-])
  `,
  'gu',
)
const placePattern =
  /(?<![\p{L}\p{N}])(?:to|at|in|from|near|visit|visited|visiting|found|love|like|open|opened|into) (?:the|a|an|my|our|his|her|their|this|that) (?:[\p{Ll}-]+ ){0,2}?([\p{Ll}-]+)(?![\p{L}-])/gu
const calledPattern =
  /(?<![\p{L}])([\p{Ll}-]{3,20})(?: (?:is|was))?,? (?:called|named|by the name of) (\p{Lu}[\p{L}\p{N}’'&-]*(?: \p{Lu}[\p{L}\p{N}’'&-]*){0,3})/gu
const pluralPattern =
  /(?<![\p{L}\p{N}'’])((?:(?:the|my|our|your|his|her|their|some|many|several|these|those|two|three|four|five|\d{1,3}) )?)([\p{Ll}-]{3,40}s)(?![\p{L}\p{N}'’-])/gu
const openingName = new RegExp(
  pattern`
    ^["'“(]?(\p{Lu}[\p{Ll}\p{M}]{2,})(?<!ing|ly)(?= (?:is|was|has|had|will|can|works?|lives?|makes?|builds?|sells?
    |moved|likes?|loves?|hates?|said|told|called|went|plays?|studie[sd]|runs?|got|came|bought|met|wants?|needs?
    |gave|and (?:\p{Lu}|I\b)))
  `,
  'u',
)

interface Name {
  readonly name: string
  readonly start: number
  readonly end: number
  readonly kind: Mention['kind']
  /** Its name does not reveal its gender. */
  readonly isPet: boolean
}

/** `text`: a sentence with quotations blanked. Returned in order of position. */
export function mentionsIn(text: string, speakers: Speakers): { mentions: Mention[]; aliases: Alias[] } {
  const called = calledThings(text)
  const names = allNames(text, called)
  const phrases = [...text.matchAll(phrasePattern)].map((match) => phraseOf(match, speakers))
  const aliases: Alias[] = called.map(({ noun, name }) => ({ kin: null, noun, name }))
  const mentions: Mention[] = []
  const named = new Set<Phrase>()
  for (const name of names) {
    const phrase = phrases.find((candidate) => isNamed(text, candidate, name))
    if (phrase) {
      named.add(phrase)
      if (phrase.kin) aliases.push({ kin: phrase.kin, noun: phrase.noun, name: name.name })
    }
    mentions.push(namedMention(text, name, phrase))
  }
  for (const phrase of phrases) if (!named.has(phrase)) mentions.push(mentionOf(phrase))
  mentions.push(...pairs(text, mentions), ...plurals(text), ...places(text, called))
  return { mentions: mentions.sort((a, b) => a.start - b.start), aliases }
}

function namedMention(text: string, name: Name, phrase: Phrase | undefined): Mention {
  const { start, end } = name
  const isAt = /\b(?:at|in|to|for|from|with|visit|visited|join|joined) (?:the )?$/i.test(
    text.slice(Math.max(0, start - 12), start),
  )
  const place = { start, end, kin: null, isAt, isSomeone: name.kind === 'unknown' && isSpokenOf(text, name) }
  if (phrase && groupNouns.has(phrase.noun))
    return { ...place, key: nameKey(name.name), kind: 'group', gender: null, name: `the ${name.name}` }
  const kind = phrase ? 'person' : name.kind
  const gender = phrase ? genderOfNoun(phrase.noun) : titleGender(text, start)
  const known = gender ?? (kind === 'person' && !name.isPet ? genderOfName(name.name) : null)
  return { ...place, key: keyOf(name.name, kind), kind, gender: known, name: titled(text, name) }
}

const workBefore = new RegExp(
  pattern`
    \b(?:start(?:s|ed|ing)?|work(?:s|ed|ing)?|join(?:s|ed|ing)?|left|leaving|hired|appl(?:y|ies|ied|ying)
    |interview(?:ed|ing)?|intern(?:ed|ing|ship)?|job|position|role|employed|contract)(?: (?:at|for|with|by
    |to))? (?:the )?$
  `,
  'i',
)

/**
 * Names that the tagger finds, names given with "called", and an unknown word at the start of a sentence, which the
 * tagger skips.
 */
function allNames(text: string, called: readonly Called[]): Name[] {
  const names: Name[] = called.map(({ name, start, end, kind, noun }) => ({
    name,
    start,
    end,
    kind,
    isPet: personNouns.has(noun),
  }))
  for (const { name, start, end, type } of namesIn(text)) {
    if (names.some((other) => start < other.end && other.start < end)) continue
    const known = ({ PERSON: 'person', ORG: 'organisation', LOCATION: 'place' } as const)[type as string] ?? 'unknown'
    const works = known === 'unknown' && workBefore.test(text.slice(Math.max(0, start - 24), start))
    names.push({ name, start, end, kind: works ? 'organisation' : known, isPet: false })
  }
  const word = openingName.exec(text)?.[1]
  if (word === undefined || ordinaryWords.has(word.toLowerCase()) || names.some(({ start }) => start <= 1)) return names
  const start = text.indexOf(word)
  const kind = genderOfName(word) ? 'person' : 'unknown'
  return [{ name: word, start, end: start + word.length, kind, isPet: false }, ...names]
}

const personBefore =
  /\b(?:with|met|meet|meeting|saw|asked|told|called|named|know|knew|and|married|dating|helped|invited|hired|thanked|hugged|miss|between|character is|hero is|author is|singer is|friend|name is) $/i
const personAfter = new RegExp(
  pattern`
    ^(?:['’]s (?:wife|husband|mother|father|sister|brother|son|daughter|house|birthday|name)| (?:said|says|told
    |works|worked|lives|lived|moved|married|likes|loves|hates|thinks|wants|studied|studies|plays|met|is (?:my|our
    |one of my|married|a (?:\p{Ll}+ )?(?:friend|teacher|doctor|nurse|engineer|student|writer
    |character)))(?![\p{L}]))
  `,
  'u',
)

function isSpokenOf(text: string, { start, end }: Name): boolean {
  return personBefore.test(text.slice(Math.max(0, start - 16), start)) || personAfter.test(text.slice(end, end + 40))
}

/** Includes a title: "Dr. Klein". */
function titled(text: string, { name, start }: Name): string {
  const [title = ''] = /(?:Dr|Mrs?|Ms|Prof|Uncle|Aunt)\.? $/.exec(text.slice(Math.max(0, start - 6), start)) ?? []
  return title + name
}

/** For people the first name is enough: "Anna Schmidt" and "Anna". */
export function keyOf(name: string, kind: Mention['kind']): string {
  const key = nameKey(name)
  return kind === 'person' ? (key.split(' ')[0] ?? key) : key
}

function titleGender(text: string, start: number): Gender | null {
  const [, title] =
    /\b(Mrs?|Ms|Miss|Sir|Lady|Madam|Aunt|Uncle|King|Queen|Prince|Princess|Sister|Brother)\.? $/.exec(
      text.slice(Math.max(0, start - 9), start),
    ) ?? []
  if (title === undefined) return null
  return /^(?:Mr|Sir|Uncle|King|Prince|Brother)$/.test(title) ? 'm' : 'f'
}

/* ------------------------------------------------------------------ my sister */

interface Phrase {
  readonly start: number
  readonly end: number
  readonly noun: string
  readonly kin: Kin | null
}

function phraseOf(match: RegExpExecArray, { speaker, addressee }: Speakers): Phrase {
  const [whole, determiner = '', adjective = '', noun = ''] = match
  const word = determiner.toLowerCase()
  const full = (adjective + noun).toLowerCase()
  const base = { start: match.index, end: match.index + whole.length, noun: noun.toLowerCase() }
  if (word === 'my' || word === 'our') return { ...base, kin: { owner: speaker, noun: full, shared: word === 'our' } }
  if (word === 'your' && addressee !== undefined)
    return { ...base, kin: { owner: addressee, noun: full, shared: false } }
  if (/['’]s$/.test(word)) return { ...base, kin: { owner: determiner.slice(0, -2), noun: full, shared: false } }
  return { ...base, kin: null }
}

function mentionOf({ start, end, noun, kin }: Phrase): Mention {
  const key = kin ? `${kin.owner ?? ''}|${kin.noun}` : `a ${noun} at ${start}`
  return {
    key,
    kind: groupNouns.has(noun) ? 'group' : 'person',
    gender: genderOfNoun(noun),
    start,
    end,
    name: null,
    kin,
  }
}

/** "My sister Julia", "my boss is called Frank", "Frank is my boss". */
function isNamed(text: string, phrase: Phrase, name: Name): boolean {
  if (groupNouns.has(phrase.noun)) return /^ are (?:called )?the $/.test(text.slice(phrase.end, name.start))
  if (name.kind === 'place' || name.kind === 'organisation') return false
  if (name.start >= phrase.end && name.start - phrase.end < 20) {
    const gap = text.slice(phrase.end, name.start).replace(/(?:Dr|Mrs?|Ms|Prof)\.? $/, '')
    if (/^(?: |['’]s name is | is | (?:is |was )?(?:called|named) |, (?:called|named) )$/.test(gap)) return true
    return gap === ', ' && /^(?:[,.!;)]|$)/.test(text.slice(name.end, name.end + 1))
  }
  const gap = text.slice(name.end, phrase.start)
  if (name.end > phrase.start || gap.length > 8 || phrase.kin === null) return false
  return /^(?: is | was )$/.test(gap) || (gap === ', ' && /^(?:[,.!;)]|$)/.test(text.slice(phrase.end, phrase.end + 1)))
}

/* ------------------------------------------------------------------ things, groups and places */

interface Called {
  readonly noun: string
  readonly name: string
  readonly start: number
  readonly end: number
  readonly kind: Mention['kind']
}

/** "A startup called Nimbus", "our dog is called Bella". */
function calledThings(text: string): Called[] {
  return [...text.matchAll(calledPattern)].flatMap((match) => {
    const [whole, noun = '', name = ''] = match
    const isPerson = personNouns.has(noun)
    if ((isPerson && genderOfNoun(noun) !== null) || groupNouns.has(noun) || ordinaryWords.has(noun)) return []
    const kind = isPlaceNoun(noun)
      ? 'place'
      : isOrganisationNoun(noun)
        ? 'organisation'
        : isPerson
          ? 'person'
          : 'unknown'
    const end = match.index + whole.length
    return [{ noun, name, start: end - name.length, end, kind }]
  })
}

/** "Tom and Lena", "my daughter Mia and my son Leo". */
function pairs(text: string, mentions: readonly Mention[]): Mention[] {
  return mentions.flatMap((first) => {
    if (first.kind !== 'person') return []
    const second = mentions.find(
      ({ start, kind, end }) =>
        kind === 'person' && start > first.end && joins.test(text.slice(first.end, start)) && end > start,
    )
    if (!second) return []
    const name = first.name !== null && second.name !== null ? `${first.name} and ${second.name}` : null
    const both = { start: first.start, end: second.end, gender: null, kin: null }
    return [{ ...both, key: `${first.key}+${second.key}`, kind: 'group' as const, name }]
  })
}

const joins = /^,? and (?:(?:my|our|your|his|her|their) (?:[\p{Ll}-]+ )?[\p{Ll}-]+ )?$/u

/** "Two apples", "activities and games": "they" may refer to them. */
function plurals(text: string): Mention[] {
  return [...text.matchAll(pluralPattern)].flatMap((match) => {
    const [whole, determiner = '', noun = ''] = match
    if (groupNouns.has(noun) && determiner !== '') return []
    if (
      /(?:ss|us|is|days|weeks|months|years|hours|minutes|times|always|sometimes|perhaps|does|was|has|his|thanks|congratulations|congrats|wishes|towards|besides|afterwards|news|lots|means|says)$/.test(
        noun,
      )
    )
      return []
    const place = { start: match.index, end: match.index + whole.length }
    return [{ ...place, key: `the ${noun}`, kind: 'group' as const, gender: null, name: null, kin: null, weak: true }]
  })
}

function places(text: string, called: readonly { start: number }[]): Mention[] {
  return [...text.matchAll(placePattern)].flatMap((match) => {
    const [whole, noun = ''] = match
    const end = match.index + whole.length
    if (!isPlaceNoun(noun) || called.some(({ start }) => start > end && start - end < 14)) return []
    return [
      { key: `the ${noun}`, kind: 'place' as const, gender: null, start: match.index, end, name: null, kin: null },
    ]
  })
}
