import type { RelationshipFound } from '../core/entity.js'
import { startOfDate } from '../core/partial-date.js'
import { withStatedAliases } from '../ingest/stated-aliases.js'
import type { Tagged } from '../models/models.js'
import type { Deps } from './deps.js'

/**
 * What was found in a content, ready to be written: ids for the entities and relationships that turn out to be new, other
 * names that the text states, and when relationships began and ended. What was flagged ends no relationship.
 */
export function withIds(deps: Deps, content: string, tagged: Tagged, flagged: boolean) {
  const dated = tagged.relationships.map(withDates)
  const told = flagged ? dated.filter(({ ends, validTo }) => !ends && validTo === undefined) : dated
  return {
    entities: withStatedAliases(content, tagged.entities).map((entity) => ({ ...entity, newId: deps.ids.next('ent') })),
    relationships: told.map((relationship) => ({
      ...relationship,
      exclusive: relationship.exclusive && !flagged,
      newId: deps.ids.next('rel'),
    })),
    slots: tagged.slots,
  }
}

/** "Since 2019" is a property that says when. */
function withDates(found: RelationshipFound): RelationshipFound {
  const { since, until } = found.properties
  const validFrom = found.validFrom ?? (since === undefined ? null : startOfDate(since))
  const validTo = found.validTo ?? (until === undefined ? null : startOfDate(until))
  return {
    ...found,
    ...(validFrom === null ? {} : { validFrom }),
    // A range that ends before it begins says nothing.
    ...(validTo === null || (validFrom !== null && validTo < validFrom) ? {} : { validTo }),
  }
}
