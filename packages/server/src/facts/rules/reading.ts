/** Shared by all rules over one clause: the people behind the marks, and the place for findings. */
import type { EntityType, Slot } from '../../core/entity.js'
import type { Clause } from '../../language/sentences/clauses.js'
import { startOf } from '../../language/words/start-of.js'
import { contentWords } from '../../language/words/words.js'

export interface Reading {
  readonly clause: Clause
  /** Key of a mark (a number, or `s` for the speaker); null if it refers to nobody. */
  keyOf(mark: string): string | null
  isA(mark: string, type: EntityType): boolean
  /** Its type if certain; null for a guess. */
  typeOf(mark: string): EntityType | null
  slot(slot: Slot): void
  relate(
    type: 'WORKS_AT' | 'LIVES_IN' | 'SPOUSE_OF' | 'USES' | 'STUDIES_AT' | 'MEMBER_OF' | 'LOCATED_IN' | 'OWNS',
    source: string,
    target: string,
    holds?: 'over' | 'denied',
    change?: boolean,
  ): void
  /** A couple that is not married; null: they have parted. The caller sets the slots. */
  relatePartners(first: string, second: string, relation: 'partner' | 'fiancé' | null): void
}

/** The words that distinguish a phrase from others; names become keys. */
export function phraseKey(reading: Reading, phrase: string): string {
  const words = contentWords(phrase)
    .map((word) => {
      const mark = /^⟦(\d+)⟧$/u.exec(word)?.[1]
      return mark === undefined ? word : (reading.keyOf(mark) ?? '')
    })
    .filter((word) => word !== '')
  return startOf(words.join(' '), 120)
}

/**
 * Key of the thing that a noun phrase names: "my dentist appointment" and "the dentist appointment" are the same,
 * "Anna's" is a different one. Null for a phrase without content words.
 */
export function thingKey(reading: Reading, phrase: string): string | null {
  const owned = /^(?:⟦(\d+)⟧(?:'s|s'|') )(.+)$/u.exec(phrase.trim())
  const words = phraseKey(reading, owned?.[2] ?? phrase)
  if (words === '') return null
  const owner = owned?.[1] === undefined ? '' : (reading.keyOf(owned[1]) ?? '')
  return owner === '' ? words : `${owner}'s ${words}`
}

/** The owner of a thing when the text names nobody is the speaker. */
export function isSpeaker(mark: string): boolean {
  return mark === 's'
}
