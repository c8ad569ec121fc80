import type { RelationshipFound } from '../../core/entity.js'
import { startOfDate } from '../../core/partial-date.js'
import { withStatedAliases } from '../../facts/tagging/stated-aliases.js'
import type { Tagged } from '../../models/models.js'
import type { Deps } from '../deps.js'

/**
 * The tags of a content, ready to be written: ids for new entities and relationships, aliases that the text states, and the dates of
 * relationships. Doubted text ends no relationship, and neither does text that may be about another person with the same name.
 * Implied slots are not stored.
 */
export function withIds(deps: Deps, content: string, tagged: Tagged, doubted: boolean, doubtful: readonly string[]) {
  const ends = (sourceKey: string) => !doubted && !doubtful.includes(sourceKey)
  return {
    entities: withStatedAliases(content, tagged.entities).map((entity) => ({ ...entity, newId: deps.ids.next('ent') })),
    relationships: tagged.relationships
      .map(withDates)
      .filter((found) => (!found.ends && found.validTo === undefined) || ends(found.sourceKey))
      .map((relationship) => ({
        ...relationship,
        exclusive: relationship.exclusive && ends(relationship.sourceKey),
        newId: deps.ids.next('rel'),
      })),
    slots: tagged.slots.filter(({ implied }) => !implied).map(({ slot, value }) => ({ slot, value })),
  }
}

/** The properties `since` and `until` become dates. */
function withDates(found: RelationshipFound): RelationshipFound {
  const { since, until } = found.properties
  const validFrom = found.validFrom ?? (since === undefined ? null : startOfDate(since))
  const validTo = found.validTo ?? (until === undefined ? null : startOfDate(until))
  return {
    ...found,
    ...(validFrom === null ? {} : { validFrom }),
    // A range that ends before it begins is ignored.
    ...(validTo === null || (validFrom !== null && validTo < validFrom) ? {} : { validTo }),
  }
}
