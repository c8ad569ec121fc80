/**
 * Reads any clause with a subject and a verb that no more specific rule matches: what someone is, has and does. "I play
 * tennis every week" and "I stopped playing tennis" share one slot with the values `yes` and `no`.
 */
import { pattern } from '../../core/pattern.js'
import { factStem } from '../../language/words/stem.js'
import { isPast, isVerb } from '../../language/words/words.js'
import { readBeing } from './being-rules.js'
import { readDoing } from './doing-rules.js'
import { type Reading, thingKey } from './reading.js'
import { nothingRead, type Read, restOf, type Subject, wordsOf } from './statement-rule.js'
import { eventSlots, habitSlots, possessionSlots } from './statement-slots.js'

const adverb = new RegExp(
  pattern`
    ^(?:now|also|still|just|really|recently|finally|currently|then|always|often|usually|sometimes|both|already
    |actually|absolutely|mostly|only|even|definitely|normally|typically|regularly|probably|happily|officially
    |severely|deathly|mildly|all|never|mainly|basically|pretty|quite|very|so|to|up|out|back) `,
  'u',
)

/** Returns whether the clause was read. */
export function readStatement(reading: Reading): boolean {
  const { slots } = statementIn(reading)
  for (const slot of slots) reading.slot(slot)
  return slots.length > 0
}

/** The slots of the clause, and the rule that reads it. */
export function statementIn(reading: Reading): Read {
  const parsed = subjectOf(reading)
  if (!parsed) return nothingRead
  const { subject, rest } = parsed
  const [form = '', ...others] = rest.split(' ')
  const after = others.join(' ')
  if (/^(?:am|is|are|was|were|'s)$/u.test(form))
    return readBeing({ reading, subject, form, text: stripped(after), past: false })
  if (/^(?:have|has|'ve)$/u.test(form)) return readHaving(reading, subject, stripped(after))
  if (form === 'can' || form === 'could') {
    const ability = `can ${factStem(wordsOf(after)[0] ?? '')}`
    return { rule: 'ability', slots: habitSlots(reading, subject, ability, restOf(after)) }
  }
  if (/^(?:will|would|shall|may|might|must|should|do|does|did)$/u.test(form)) return nothingRead
  if (!isVerb(form) && !/(?:s|ed|ing)$/u.test(form) && !subject.plain) return nothingRead
  return readDoing({ reading, subject, form, text: after, past: isPast(form) })
}

function subjectOf(reading: Reading): { subject: Subject; rest: string } | null {
  const text = reading.clause.stated
  const plain = /^⟦(\d+|s)⟧ (?!and )(.+)$/u.exec(text)
  if (plain) {
    const key = reading.keyOf(plain[1] ?? '')
    return key === null ? null : { subject: { key, plain: true }, rest: stripped(plain[2] ?? '') }
  }
  const tokens = text.split(' ').slice(0, 14)
  const at = verbAt(tokens)
  if (at < 1) return null
  const phrase = tokens.slice(0, at).join(' ')
  // "He" in a separate sentence refers to an unknown person.
  if (
    /^(?:i|we|he|she|it|they|this|that|these|those|who|which|what|someone|somebody|everyone|everybody|you|there|here)(?:'s)?(?: |$)/u.test(
      phrase,
    )
  )
    return null
  const key = thingKey(reading, phrase.replace(/^⟦s⟧'s /u, ''))
  return key === null
    ? null
    : { subject: { key: `the ${key}`, plain: false }, rest: text.split(' ').slice(at).join(' ') }
}

/** Position of the verb after a longer subject: "my work email is", "the store closes". */
function verbAt(tokens: readonly string[]): number {
  const sure = tokens.findIndex(
    (token, index) => index > 0 && /^(?:am|is|are|was|were|has|have|had|can|will)$/u.test(token),
  )
  const likely = tokens.findIndex((token, index) => index > 0 && /(?:s|ed)$/u.test(token) && isVerb(token))
  if (sure > 0 && (likely < 0 || sure < likely)) return sure
  return likely > 0 ? likely : tokens.findIndex((token, index) => index > 1 && isVerb(token))
}

function stripped(text: string): string {
  let rest = text
  for (let next = rest.replace(adverb, ''); next !== rest; next = rest.replace(adverb, '')) rest = next
  return rest
}

function readHaving(reading: Reading, subject: Subject, text: string): Read {
  const [first = '', ...others] = wordsOf(text)
  const rest = others.join(' ')
  if (first === 'been') return readBeing({ reading, subject, form: 'been', text: stripped(rest), past: false })
  if (first === 'got' && others.length > 0)
    return { rule: 'possession', slots: possessionSlots(reading, subject, rest) }
  const participle =
    isVerb(first) && !/^(?:an?|the|no|some|any)$/u.test(first) && /(?:ed|en|[^a]t|ne|wn|me)$/u.test(first)
  if (participle && others.length > 0) {
    if (/(?<![\p{L}])since (?:⟦s⟧ |\d|[\p{L}]+)|for (?:\d+|[\p{L}]+) years/u.test(rest))
      return readDoing({ reading, subject, form: first, text: rest, past: false })
    return { rule: 'event', slots: eventSlots(reading, subject, text) }
  }
  return { rule: 'possession', slots: possessionSlots(reading, subject, text) }
}
