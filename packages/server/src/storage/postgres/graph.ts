import type { Scope } from '../../core/scope.js'
import { gathered } from '../domain/gather-relationships.js'
import { isStorable } from '../domain/storable-text.js'
import { type Graph, type GraphQuery, mostRelationships } from '../ports/graph.js'
import type { Database } from './database.js'
import { countTold, told } from './read-relationships.js'
import { entityOf, seenEntities } from './seen-entities.js'
import { usersIn } from './user-rows.js'

const nothing: Graph = { entities: [], relationships: [], totalEntities: 0, totalRelationships: 0 }

export async function graph(db: Database, scope: Scope, query: GraphQuery): Promise<Graph> {
  const within = usersIn(scope, 'r')
  if (!within || scope.kind === 'nobody') return nothing
  if (scope.project !== undefined && !isStorable(scope.project)) return nothing
  const { items, total } = await seenEntities(db, scope, { ...query, order: 'memoryCount', offset: 0 })
  // Ids, as numbers are a user's own and this may be a picture of everyone.
  const ids = items.map(({ id }) => id)
  const between = await told(db, scope, query, {
    sql: `${within.sql} AND a.id = ANY (?::text[]) AND b.id = ANY (?::text[])`,
    values: [...within.values, ids, ids],
  })
  return {
    entities: items.map(entityOf),
    relationships: gathered(between).slice(0, mostRelationships),
    totalEntities: total,
    totalRelationships: await countTold(db, scope, query, within),
  }
}
