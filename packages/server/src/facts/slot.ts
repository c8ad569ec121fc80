/**
 * The names of slots: a kind, whom or what it is about, and what it says, separated by `|`. `Slot` in core/entity.ts lists the kinds.
 * A subject may itself have two parts: `HOLDS|USES|ann|git`.
 */
const separator = '|'

export type SlotKind = 'ATTR' | 'SOME' | 'HOLDS' | 'WHEN' | 'WHO' | 'SAYS'

/** One value at a time: a diet, an address. */
export function attributeSlot(subject: string, attribute: string): string {
  return nameOf('ATTR', subject, attribute)
}

/** Several values at a time, unless the text says that one replaced another. */
export function someSlot(subject: string, about: string): string {
  return nameOf('SOME', subject, about)
}

/** True or not: its value starts with "yes" or "no". */
export function holdsSlot(subject: string, statement: string): string {
  return nameOf('HOLDS', subject, statement)
}

/** The other end of a relationship that a person has once at a time: `WORKS_AT`, `PARTNER`. */
export function relationSlot(type: string, subject: string): string {
  return nameOf(type, subject)
}

function nameOf(...parts: readonly string[]): string {
  return parts.join(separator)
}

export function isSlotOf(kind: SlotKind, slot: string): boolean {
  return slot.startsWith(kind + separator)
}

/** The kind of a slot, followed by its other parts. */
export function slotParts(slot: string): string[] {
  return slot.split(separator)
}
