/** What rules over one clause share: who the marks are, and where they put what they find. */
import type { EntityType, Slot } from '../core/entity.js'
import type { Clause } from './fact-clauses.js'
import { contentWords } from './fact-words.js'

export interface Reading {
  readonly clause: Clause
  /** Key of a mark (a number, or `s` for the speaker); null when nobody stands behind it. */
  keyOf(mark: string): string | null
  isA(mark: string, type: EntityType): boolean
  /** What it is for sure; null for a guess. */
  typeOf(mark: string): EntityType | null
  slot(slot: Slot): void
  relate(
    type: 'WORKS_AT' | 'LIVES_IN' | 'SPOUSE_OF' | 'USES' | 'STUDIES_AT' | 'MEMBER_OF' | 'LOCATED_IN' | 'OWNS',
    source: string,
    target: string,
    holds?: 'over' | 'denied',
    change?: boolean,
  ): void
}

/** The words that tell a phrase from others; names are keys. */
export function phraseKey(reading: Reading, phrase: string): string {
  return contentWords(phrase)
    .map((word) => {
      const mark = /^⟦(\d+)⟧$/u.exec(word)?.[1]
      return mark === undefined ? word : (reading.keyOf(mark) ?? '')
    })
    .filter((word) => word !== '')
    .join(' ')
    .slice(0, 120)
}

/**
 * Key of what a noun phrase names: "my dentist appointment" and "the dentist appointment" are one, "Anna's" is
 * another. Null for a phrase without words of its own.
 */
export function thingKey(reading: Reading, phrase: string): string | null {
  const owned = /^(?:⟦(\d+)⟧(?:'s|s'|') )(.+)$/u.exec(phrase.trim())
  const words = phraseKey(reading, owned?.[2] ?? phrase)
  if (words === '') return null
  const owner = owned?.[1] === undefined ? '' : (reading.keyOf(owned[1]) ?? '')
  return owner === '' ? words : `${owner}'s ${words}`
}

/** "I" without a word: whose a thing is when nobody is named. */
export function isSpeaker(mark: string): boolean {
  return mark === 's'
}
