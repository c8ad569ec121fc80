/** Slots of relationships: what a relationship conflicts with, and what it implies. */
import type { RelationshipFound, RelationshipType, Slot } from '../../core/entity.js'

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
    const wide = { slot: `LIVES_REGION|${sourceKey}`, value: vague ? no + targetKey : '*', change }
    const near = { slot: `LIVES_IN|${sourceKey}`, value: no + targetKey, change }
    put(vague ? wide : near)
    if (!vague && no === '') put({ ...wide, implied: true })
    if (region !== null && no === '') put({ slot: wide.slot, value: region, change })
  } else if (exclusiveTypes.has(type) && !beside) {
    put({ slot: `${type}|${sourceKey}`, value: no + targetKey, change })
    // "I work at a bakery" names no employer.
    if (type === 'WORKS_AT') put({ slot: `SOME|${sourceKey}|work`, value: no + targetKey, change: true, implied: true })
    if (type === 'SPOUSE_OF') {
      put({ slot: `SPOUSE_OF|${targetKey}`, value: no + sourceKey, implied: true })
      for (const [one, other] of [
        [sourceKey, targetKey],
        [targetKey, sourceKey],
      ]) {
        put({ slot: `PARTNER|${one}`, value: no === '' ? `married ${other}` : `!${other}`, implied: true })
        put({ slot: `ATTR|${one}|relationship status`, value: no === '' ? 'married' : '!married', implied: true })
      }
    }
  } else if (type === 'LOCATED_IN') {
    put({ slot: `SOME|${sourceKey}|seat`, value: no + targetKey, change })
  } else if (type === 'STUDIES_AT') {
    put({ slot: `SOME|${sourceKey}|school`, value: no + targetKey, change })
  } else {
    // A fact that can coexist with others gets its own slot: a memory that contains it is not replaced by one that does
    // not.
    const kind = type === 'KNOWS' && relation ? `|${relation}` : ''
    put({ slot: `HOLDS|${type}|${sourceKey}|${targetKey}${kind}`, value: no === '' ? 'yes' : 'no' })
  }
}
