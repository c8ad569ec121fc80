/** What a person may be called, and why two names are taken for one. */
import { shortFormsOf } from '../../core/nicknames.js'
import type { MergeRule } from '../ports/entity-merges.js'

/** "Melanie Jones" may be called Melanie, Mel, Mel Jones. Longer first: Mel may be part of Melanie. */
export function callingNames(key: string): string[] {
  const [first = '', ...rest] = key.split(' ')
  const short = shortFormsOf(first)
  const whole = rest.length > 0 ? [first, ...short.map((form) => [form, ...rest].join(' '))] : []
  return [...whole, ...short]
}

/** For a person. */
export function whyMerged(rule: MergeRule, from: { readonly name: string }, into: { readonly name: string }): string {
  if (rule === 'stated') return `A text also calls ${into.name} by the name ${from.name}.`
  if (rule === 'full_name') return `${into.name} is the only person whose name begins with ${from.name}.`
  return `${from.name} is a short form, and ${into.name} is the only person whom it fits.`
}
