/** Why one memory contradicts another, for a program and for a person. */
import type { ContradictionReason } from '../core/contradiction.js'
import type { Slot } from '../core/entity.js'

export interface Explained {
  readonly why: string
  readonly reason: ContradictionReason
}

/** By the slot whose value changed; where none did, the new memory says the same and more. */
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
      rule: 'changed',
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
  return `${subjectOf(reason.slot)}: "${reason.oldValue}" before, "${reason.newValue}" now.`
}

/** `WORKS_AT|john` and `ATTR|user:ana|favourite colour`, as a person says it. */
function subjectOf(slot: string): string {
  const [kind = '', owner = '', attribute] = slot.split('|')
  const who = owner.replace(/^user:/, '')
  return kind === 'ATTR' ? `${who}, ${attribute ?? 'attribute'}` : `${who} ${kind.toLowerCase().replaceAll('_', ' ')}`
}
