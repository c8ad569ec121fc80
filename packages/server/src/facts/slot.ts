/**
 * The names of slots: a kind, whom or what it is about, and what it says, separated by `|`. `Slot` in core/entity.ts describes the
 * kinds. A key that is null is written as "null".
 */
const separator = '|'

export type SlotKind = 'ATTR' | 'SOME' | 'HOLDS' | 'WHEN' | 'WHO' | 'SAYS'
type Key = string | null

/** One value at a time: a diet, an address. */
export function attributeSlot(subject: Key, attribute: string): string {
  return named('ATTR', subject, attribute)
}

/** Several values may be true, unless the text says that one replaced another. */
export function someSlot(subject: Key, about: string): string {
  return named('SOME', subject, about)
}

/** True or not: its value starts with "yes" or "no". */
export function holdsSlot(subject: Key, statement: string): string {
  return named('HOLDS', subject, statement)
}

/** True or not, for a relationship that one source may have with several targets. */
export function relatedSlot(type: string, source: Key, target: string): string {
  return named('HOLDS', type, source, target)
}

/** The target of a relationship with one target at a time: `WORKS_AT`, `PARTNER`. */
export function relationSlot(type: string, source: Key): string {
  return named(type, source)
}

/** The day or the time of an appointment. */
export function whenSlot(thing: string, phase: string, part: string): string {
  return named('WHEN', thing, phase, part)
}

/** Identifies one of several people with the same name. */
export function whoSlot(key: string): string {
  return named('WHO', key)
}

/** Words that no rule understands. */
export function saysSlot(...words: readonly string[]): string {
  return named('SAYS', ...words)
}

function named(...parts: readonly Key[]): string {
  return parts.map(String).join(separator)
}

export function isSlotOf(kind: SlotKind, slot: string): boolean {
  return slot.startsWith(kind + separator)
}

/** The kind of a slot, followed by its other parts. */
export function slotParts(slot: string): string[] {
  return slot.split(separator)
}
