/** Explains why one memory contradicts another, for programs and for people. */

import type { ContradictionReason } from '../core/contradiction.js'
import type { Slot } from '../core/entity.js'
import { slotParts } from './slot.js'

export interface Explained {
  readonly why: string
  readonly reason: ContradictionReason
}

/** Names the slot whose value changed; if none did, the new memory says the same and more. */
export function explainContradiction(older: readonly Slot[], newer: readonly Slot[]): Explained {
  const values = new Map<string, string>()
  const said = new Set<string>()
  for (const { slot, value } of newer) {
    if (!values.has(slot)) values.set(slot, value)
    said.add(`${slot}\n${value}`)
  }
  const changed = older.find(({ slot, value }) => values.has(slot) && !said.has(`${slot}\n${value}`))
  if (changed) {
    const reason = {
      slot: changed.slot,
      oldValue: changed.value,
      newValue: values.get(changed.slot) ?? '',
      rule: 'contradicted',
    }
    return { reason, why: explainReason(reason) }
  }
  const kept = older.find(({ slot }) => values.has(slot))
  const reason = { slot: kept?.slot ?? '', oldValue: kept?.value ?? '', newValue: kept?.value ?? '', rule: 'refined' }
  return { reason, why: explainReason(reason) }
}

/** One sentence in plain words. */
export function explainReason(reason: ContradictionReason): string {
  if (reason.rule === 'refined') return 'The new memory says the same as the old one, and more.'
  if (reason.rule === 'judged') return 'The new memory changes what the old one says.'
  if (reason.rule === 'repeated') return 'The new memory says the same as the old one in other words.'
  if (reason.rule === 'chatter') return 'The memory says nothing worth remembering.'
  if (reason.rule === 'advised') return 'The language model says that the new memory takes the place of the old one.'
  return `${subjectOf(reason.slot)}: "${inWords(reason.oldValue)}" before, "${inWords(reason.newValue)}" now.`
}

const relation = /^[A-Z]+(?:_[A-Z]+)*$/
/** Prefixes that describe how a fact is stored, not what it says. */
const plainKinds = new Set(['ATTR', 'SOME', 'HOLDS', 'SAYS', 'WHEN', 'WHO'])

/** `WORKS_AT|john`, `ATTR|user:ana|favourite colour` and `HOLDS|LIKES|john|tea`, in plain words. */
function subjectOf(slot: string): string {
  const parts = slotParts(slot).map((part) => part.replace(/^user:/, '').replace(/^~+/, ''))
  const [kind = '', ...rest] = plainKinds.has(parts[0] ?? '') ? parts.slice(1) : parts
  if (!relation.test(kind)) return [kind, ...rest].filter(Boolean).join(', ')
  const [who = '', ...what] = rest
  return [who, kind.toLowerCase().replaceAll('_', ' '), ...what].filter(Boolean).join(' ')
}

/** A value may deny another, or mean that there is none. */
function inWords(value: string): string {
  if (value === '-' || value === '!*') return 'none'
  return value.startsWith('!') ? `not ${value.slice(1)}` : value
}
