/** The graph as the page uses it: connections between entities, and search. */
import type { Entity, GetGraphAnswer, Relationship } from '@keepsake/client'

export interface Network {
  readonly entities: readonly Entity[]
  readonly relationships: readonly Relationship[]
  readonly entityById: ReadonlyMap<string, Entity>
  readonly relationshipsOf: ReadonlyMap<string, readonly Relationship[]>
}

export function networkOf({ entities, relationships }: GetGraphAnswer): Network {
  const relationshipsOf = new Map<string, Relationship[]>()
  for (const relationship of relationships) {
    for (const end of new Set([relationship.sourceId, relationship.targetId])) {
      const known = relationshipsOf.get(end)
      if (known === undefined) relationshipsOf.set(end, [relationship])
      else known.push(relationship)
    }
  }
  return {
    entities,
    relationships,
    entityById: new Map(entities.map((entity) => [entity.id, entity])),
    relationshipsOf,
  }
}

/** Finds entities by name or alias, ignoring case. An empty text finds all. */
export function fitting({ entities }: Network, text: string): readonly Entity[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return entities
  return entities.filter(({ name, aliases }) => [name, ...aliases].some((each) => each.toLowerCase().includes(wanted)))
}

/** The entity and everything connected to it. */
export function neighbourhood(network: Network, id: string): ReadonlySet<string> {
  const joined = (network.relationshipsOf.get(id) ?? []).flatMap(({ sourceId, targetId }) => [sourceId, targetId])
  return new Set([id, ...joined])
}

/** Only connected entities: the others would just form a ring of dots. If there are no relationships, all entities. */
export function joinedOnly(network: Network): Network {
  const { entities, relationships, relationshipsOf } = network
  return relationships.length === 0
    ? network
    : { ...network, entities: entities.filter(({ id }) => relationshipsOf.has(id)) }
}
