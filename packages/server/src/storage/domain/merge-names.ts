/** The names that a person may go by, and the reasons for treating two names as one. */
import { fullFormsOf, shortFormsOf } from '../../core/nicknames.js'
import type { MergeRule } from '../ports/entity-merges.js'

/** "Melanie Jones" may be called Melanie, Mel or Mel Jones. Longer names first: Mel may be part of Melanie. */
export function callingNames(key: string): string[] {
  const [first = '', ...rest] = key.split(' ')
  const short = shortFormsOf(first)
  const whole = rest.length > 0 ? [first, ...short.map((form) => [form, ...rest].join(' '))] : []
  return [...whole, ...short]
}

/** Name keys from `first` to `last`, both included. */
export interface NameRange {
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
    return names.map((name) => ({ first: name, last: name, rule: 'short_form' }))
  }
  return [
    { first: `${given} `, last: `${given}!`, rule: 'full_name' },
    ...forms.map((form): NameRange => ({ first: form, last: `${form}!`, rule: 'short_form' })),
  ]
}

/** An explanation for people. */
export function whyMerged(rule: MergeRule, from: { readonly name: string }, into: { readonly name: string }): string {
  if (rule === 'stated') return `A text says that ${from.name} is another name for ${into.name}.`
  if (rule === 'full_name') return `${into.name} is the only person whose name begins with ${from.name}.`
  return `${from.name} is a short form that fits only ${into.name}.`
}
