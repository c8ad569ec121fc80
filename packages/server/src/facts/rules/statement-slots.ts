/** The slots of the general statements: a possession, a habit or state, an event. */
import type { Slot } from '../../core/entity.js'
import { factStem } from '../../language/words/stem.js'
import { adjectives, daySource, digits, withoutTimes } from '../../language/words/words.js'
import { attributeSlot, holdsSlot, relationSlot, someSlot } from '../slot.js'
import { phraseKey, type Reading } from './reading.js'
import { type Subject, wordsOf } from './statement-rule.js'

export function partnershipsEnded(key: string): Slot[] {
  return [
    { slot: relationSlot('SPOUSE_OF', key), value: '-', implied: true },
    { slot: relationSlot('PARTNER', key), value: '-', implied: true },
  ]
}

const named =
  /,? (?:named|called|whose name|by the name|who|which|that|because|since|where|when|but|so) .*$|[,:;(] ?.*$/u

/**
 * The noun of a phrase, and the words that qualify it ("a small bakery in Rome" is a bakery); the latter start with a
 * space.
 */
export function thingParts(reading: Reading, phrase: string): { key: string; detail: string } {
  const { object, detail } = objectOf(phrase)
  const words = wordsOf(object)
  const plain = words.filter((word) => !adjectives.has(word))
  const rest = [...words.filter((word) => adjectives.has(word)), detail].join(' ')
  const narrowed = phraseKey(reading, rest)
  return {
    key: phraseKey(reading, (plain.length > 0 ? plain : words).join(' ')),
    detail: narrowed === '' ? '' : ` ${narrowed}`,
  }
}

/** Possessions, with their number where the text gives one. */
export function possessionSlots(reading: Reading, subject: Subject, phrase: string): Slot[] {
  return phrase
    .split(/,? and (?=(?:an?|the|\d+|two|three|four|five|six|some|⟦s⟧'s) )/u)
    .slice(0, 6)
    .flatMap((thing) => onePossession(reading, subject, thing))
}

function onePossession(reading: Reading, subject: Subject, phrase: string): Slot[] {
  const { holds } = reading.clause
  const bare = withoutTimes(phrase.replace(named, ''))
  const [first = '', ...others] = wordsOf(bare)
  const count = digits(first)
  if (/^\d+$/u.test(count) && count !== '1' && others.length > 0 && holds === 'yes') {
    const things = thingParts(reading, others.join(' ')).key
    return [{ slot: attributeSlot(subject.key, `number of ${things}`), value: count }]
  }
  const { key, detail } = thingParts(reading, bare.replace(/^(?:no|any) /u, ''))
  if (key === '') return []
  const no = holds !== 'yes' || first === 'no'
  const had: Slot = { slot: holdsSlot(subject.key, `have ${key}`), value: (no ? 'no' : 'yes') + detail }
  if (!/^(?:girlfriend|boyfriend|partner|wife|husband|fianc[ée]+)$/u.test(key)) return [had]
  if (no) return [had, ...partnershipsEnded(subject.key)]
  return [had, { slot: attributeSlot(subject.key, 'relationship status'), value: 'in a relationship', implied: true }]
}

const contrast = /^(.*?),? (?:not|instead of|rather than) (?!only|just|really)(.+)$/u

/** A habit or a state; the words after its object qualify it. */
export function habitSlots(reading: Reading, subject: Subject, verb: string, rest: string): Slot[] {
  const { holds, change } = reading.clause
  const [, kept = rest, not] = contrast.exec(rest) ?? []
  const thing = thingParts(reading, withoutTimes(kept))
  const key = `${verb} ${thing.key}`.trim()
  if (key === 'be' || key === '' || key === 'do') return []
  // "I sleep eight hours": the amount is the statement.
  const amount = thing.key === '' ? phraseKey(reading, kept) : ''
  if (/^\d/u.test(amount))
    return [{ slot: someSlot(subject.key, verb), value: (holds === 'yes' ? '' : '!') + amount, change }]
  const habit: Slot = {
    slot: holdsSlot(subject.key, key),
    value: (holds === 'yes' ? 'yes' : 'no') + thing.detail,
  }
  if (not === undefined) return [habit]
  const other = phraseKey(reading, objectOf(withoutTimes(not)).object)
  return [habit, { slot: holdsSlot(subject.key, `${verb} ${other}`), value: 'no' }]
}

const links = /^(?:to|at|in|on|with|for|of|about|from|into|as|by|near|over|under|like)$/u

/** The first phrase after the verb, and everything after it. */
export function objectOf(text: string): { object: string; detail: string } {
  const cut =
    text.split(
      /,| (?:because|since|when|while|where|who|which|that|so|but|if|although|though|until|before|after) /u,
      1,
    )[0] ?? ''
  const words = wordsOf(cut)
  const start = words[0] !== undefined && links.test(words[0]) ? 1 : 0
  let end = start
  while (end < words.length && end - start < 6 && !(links.test(words[end] ?? '') && words[end] !== 'of')) end += 1
  return {
    object: words.slice(start, end).join(' '),
    detail: [...words.slice(end), text.slice(cut.length)].join(' '),
  }
}

const eventDate = new RegExp(`^(?<what>.*?),? (?:in|on) (?<when>${daySource})(?![\\p{L}\\p{N}])`, 'u')

/** An event: it remains true whatever happens later. Its time can be corrected. */
export function eventSlots(reading: Reading, subject: Subject, text: string): Slot[] {
  const { holds, change } = reading.clause
  const dated = eventDate.exec(text)?.groups
  if (dated && holds === 'yes') {
    const what = phraseKey(reading, dated.what ?? '')
    const value = (dated.when ?? '').replace(/^(?:in|on|the) /u, '')
    return [{ slot: someSlot(subject.key, `when ${what}`), value, change }]
  }
  const [verb = '', ...rest] = wordsOf(text)
  const { object, detail } = objectOf(rest.join(' '))
  const key = `${factStem(verb)} ${phraseKey(reading, object)}`.trim()
  const narrowed = phraseKey(reading, detail)
  const value = `${holds === 'yes' ? 'yes' : 'no'}${narrowed === '' ? '' : ` ${narrowed}`}`
  return [{ slot: holdsSlot(subject.key, `did ${key}`), value }]
}
