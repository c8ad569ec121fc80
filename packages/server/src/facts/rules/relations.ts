/** Direction and period of relationships, and their slots: what a relationship conflicts with, and what it implies. */

import type { RelationshipFound, RelationshipType, Slot } from '../../core/entity.js'
import { startOfDate } from '../../core/partial-date.js'
import { attributeSlot, relatedSlot, relationSlot, someSlot } from '../slot.js'

/** A person has one of these at a time. */
export const exclusiveTypes: ReadonlySet<RelationshipType> = new Set([
  'WORKS_AT',
  'LIVES_IN',
  'BORN_IN',
  'SPOUSE_OF',
  'REPORTS_TO',
])

interface Told {
  readonly holds?: 'over' | 'denied' | undefined
  readonly change?: boolean
  /** "A second job": in addition to another. */
  readonly beside: boolean
  /** Only a country, without a town. */
  readonly vague: boolean
  /** Key of the country or state that the text also names. */
  readonly region: string | null
  readonly relation?: string | undefined
}

export function putRelation(
  put: (slot: Slot) => void,
  { type, sourceKey, targetKey }: Pick<RelationshipFound, 'type' | 'sourceKey' | 'targetKey'>,
  { holds, change = false, beside, vague, region, relation }: Told,
): void {
  const no = holds === undefined ? '' : '!'
  if (type === 'LIVES_IN' && !beside) {
    // A town is more precise than its country; a country leaves the town open.
    const wide = { slot: relationSlot('LIVES_REGION', sourceKey), value: vague ? no + targetKey : '*', change }
    const near = { slot: relationSlot('LIVES_IN', sourceKey), value: no + targetKey, change }
    put(vague ? wide : near)
    if (!vague && no === '') put({ ...wide, implied: true })
    if (region !== null && no === '') put({ slot: wide.slot, value: region, change })
  } else if (exclusiveTypes.has(type) && !beside) {
    put({ slot: relationSlot(type, sourceKey), value: no + targetKey, change })
    // "I work at a bakery" names no employer.
    if (type === 'WORKS_AT')
      put({ slot: someSlot(sourceKey, 'work'), value: no + targetKey, change: true, implied: true })
    if (type === 'SPOUSE_OF') {
      put({ slot: relationSlot('SPOUSE_OF', targetKey), value: no + sourceKey, implied: true })
      for (const [one, other] of [
        [sourceKey, targetKey],
        [targetKey, sourceKey],
      ] as const) {
        put({ slot: relationSlot('PARTNER', one), value: no === '' ? `married ${other}` : `!${other}`, implied: true })
        put({
          slot: attributeSlot(one, 'relationship status'),
          value: no === '' ? 'married' : '!married',
          implied: true,
        })
      }
    }
  } else if (type === 'LOCATED_IN') {
    put({ slot: someSlot(sourceKey, 'seat'), value: no + targetKey, change })
  } else if (type === 'STUDIES_AT') {
    put({ slot: someSlot(sourceKey, 'school'), value: no + targetKey, change })
  } else {
    // A fact that can coexist with others gets its own slot: a memory that contains it is not replaced by one that does
    // not.
    const kind = type === 'KNOWS' && relation ? `|${relation}` : ''
    put({ slot: relatedSlot(type, sourceKey, `${targetKey}${kind}`), value: no === '' ? 'yes' : 'no' })
  }
}

/**
 * A symmetric relationship, or one with an inverse, is stored in one direction: the speaker first, otherwise by name; a
 * boss last.
 */
export function canonical(
  found: Pick<RelationshipFound, 'type' | 'sourceKey' | 'targetKey'>,
  symmetric: boolean,
): Pick<RelationshipFound, 'type' | 'sourceKey' | 'targetKey'> {
  const { type, sourceKey, targetKey } = found
  if (!symmetric) return found
  const swap = targetKey.startsWith('user:') || (!sourceKey.startsWith('user:') && targetKey < sourceKey)
  return swap ? { type, sourceKey: targetKey, targetKey: sourceKey } : found
}

/**
 * When the fact was true, as far as the text says. A fact that is over and has an end date becomes history through that
 * date; without a date it ends the known relationship, as a denial does.
 */
export function periodOf(
  { since, until }: Readonly<Record<string, string>>,
  holds: 'over' | 'denied' | undefined,
): Pick<RelationshipFound, 'validFrom' | 'validTo' | 'ends'> {
  const validFrom = since === undefined ? null : startOfDate(since)
  const validTo = until === undefined ? null : startOfDate(until)
  const dated = {
    ...(validFrom === null ? {} : { validFrom }),
    // A range that ends before it begins carries no information.
    ...(validTo === null || (validFrom !== null && validTo < validFrom) ? {} : { validTo }),
  }
  const isOver = holds !== undefined && (holds === 'denied' || dated.validTo === undefined)
  return isOver ? { ...dated, ends: true } : dated
}
