/** The names that a person or an organisation may go by, and the reasons for treating two names as one. */
import type { EntityType } from '../../core/entity.js'
import { fullFormsOf, shortFormsOf } from '../../core/nicknames.js'
import type { MergeRule } from '../ports/entity-merges.js'

/** A name key of a user's entity of this type. */
export interface TypedName {
  readonly type: string
  readonly name_key: string
}

const wordsOf = (text: string) => text.split(' ')
/** "Klarna AB" is Klarna. `nameKey` removes the commonest ones. */
const legalForms = wordsOf('ab ag as asa aps bv nv oy oyj sa se')
/** "Volvo Cars" may be called Volvo, unless there is a "Volvo Trucks" or "Volvo Group" too. */
const tails = wordsOf(
  'cars trucks motors motor automotive group holding holdings international global technologies technology software systems solutions industries enterprises pharma pharmaceuticals airlines airways',
)

/** Names of other entities whose merge may change when an entity with this name appears or disappears. */
export function namesAffectedBy({ type, name_key: key }: TypedName): TypedName[] {
  if (type === 'PERSON') return callingNames(key).map((name_key) => ({ type, name_key }))
  if (type !== 'ORG') return []
  const base = withoutTail(key, tails)
  return [
    ...(base === null ? [] : [{ type, name_key: base }]),
    ...legalForms.map((form) => ({ type, name_key: `${key} ${form}` })),
    { type: 'PRODUCT', name_key: key },
  ]
}

/** Ranges of keys that contain the names which this name may stand for. */
export function namesMeantBy({ type, name_key: key }: TypedName): NameRange[] {
  const exactly = (name: string, rule: MergeRule): NameRange => ({ type: 'ORG', first: name, last: name, rule })
  if (type === 'PERSON') return fullNameRanges(key)
  if (type === 'PRODUCT') return [exactly(key, 'same_name')]
  if (type !== 'ORG') return []
  const base = withoutTail(key, legalForms)
  return [
    ...(base === null ? [] : [exactly(base, 'company_name')]),
    ...tails.map((tail) => exactly(`${key} ${tail}`, 'company_name')),
  ]
}

function withoutTail(key: string, endings: readonly string[]): string | null {
  const at = key.lastIndexOf(' ')
  return at > 0 && endings.includes(key.slice(at + 1)) ? key.slice(0, at) : null
}

/** "Melanie Jones" may be called Melanie, Mel or Mel Jones. Longer names first: Mel may be part of Melanie. */
export function callingNames(key: string): string[] {
  const [first = '', ...rest] = key.split(' ')
  const short = shortFormsOf(first)
  const whole = rest.length > 0 ? [first, ...short.map((form) => [form, ...rest].join(' '))] : []
  return [...whole, ...short]
}

/** Name keys from `first` to `last`, both included, of entities of this type. */
export interface NameRange {
  readonly type: EntityType
  readonly first: string
  readonly last: string
  readonly rule: MergeRule
}

/**
 * Ranges of keys that contain the full names which a person's name may stand for: names that begin with it, and its full forms,
 * alone or with a surname. A key has single spaces, and no key contains "!", the character after the space.
 */
export function fullNameRanges(key: string): NameRange[] {
  const [given = '', ...rest] = key.split(' ')
  const forms = fullFormsOf(given)
  if (rest.length > 0) {
    const names = forms.map((form) => [form, ...rest].join(' '))
    return names.map((name) => ({ type: 'PERSON', first: name, last: name, rule: 'short_form' }))
  }
  return [
    { type: 'PERSON', first: `${given} `, last: `${given}!`, rule: 'full_name' },
    ...forms.map((form): NameRange => ({ type: 'PERSON', first: form, last: `${form}!`, rule: 'short_form' })),
  ]
}

/** An explanation for people. */
export function whyMerged(rule: MergeRule, from: { readonly name: string }, into: { readonly name: string }): string {
  if (rule === 'stated') return `A text says that ${from.name} is another name for ${into.name}.`
  if (rule === 'full_name') return `${into.name} is the only person whose name begins with ${from.name}.`
  if (rule === 'company_name') return `${into.name} is the only organisation whose name fits ${from.name}.`
  if (rule === 'same_name') return `${into.name} is also the name of an organisation.`
  return `${from.name} is a short form that fits only ${into.name}.`
}
