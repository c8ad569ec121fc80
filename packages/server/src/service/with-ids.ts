import type { Tagged } from '../models/models.js'
import type { Deps } from './deps.js'

/** Ids for the entities and relationships that turn out to be new. What was flagged ends no relationship. */
export function withIds(deps: Deps, tagged: Tagged, flagged: boolean) {
  return {
    entities: tagged.entities.map((entity) => ({ ...entity, newId: deps.ids.next('ent') })),
    relationships: tagged.relationships.map((relationship) => ({
      ...relationship,
      exclusive: relationship.exclusive && !flagged,
      newId: deps.ids.next('rel'),
    })),
    slots: tagged.slots,
  }
}
