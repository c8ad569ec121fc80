import type { Tagged } from '../models/models.js'
import type { Deps } from './deps.js'

/**
 * Ids for the entities and relationships that turn out to be new. What was flagged ends no relationship, and neither
 * does what may be about another person of the same name. Slots that only follow from the text are not kept.
 */
export function withIds(deps: Deps, tagged: Tagged, flagged: boolean, doubtful: readonly string[]) {
  const ends = (sourceKey: string) => !flagged && !doubtful.includes(sourceKey)
  return {
    entities: tagged.entities.map((entity) => ({ ...entity, newId: deps.ids.next('ent') })),
    relationships: tagged.relationships
      .filter((found) => (!found.ends && found.validTo === undefined) || ends(found.sourceKey))
      .map((relationship) => ({
        ...relationship,
        exclusive: relationship.exclusive && ends(relationship.sourceKey),
        newId: deps.ids.next('rel'),
      })),
    slots: tagged.slots.filter(({ implied }) => !implied).map(({ slot, value }) => ({ slot, value })),
  }
}
