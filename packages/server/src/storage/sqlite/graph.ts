import type { Scope } from '../../core/scope.js'
import { gathered } from '../domain/gather-relationships.js'
import { type Graph, type GraphQuery, mostRelationships } from '../ports/graph.js'
import type { Database } from './database.js'
import { entitiesIn } from './read-entities.js'
import { countTold, told } from './read-relationships.js'
import { entityOf, seenEntities } from './seen-entities.js'

export function graph(db: Database, scope: Scope, query: GraphQuery): Graph {
  const within = entitiesIn(db, scope)
  if (!within || scope.kind === 'nobody') {
    return { entities: [], relationships: [], totalEntities: 0, totalRelationships: 0 }
  }
  const { items, total } = seenEntities(db, scope, { ...query, order: 'memoryCount', offset: 0 })
  const chosen = JSON.stringify(items.map(({ key }) => key))
  const between = told(db, scope, query, {
    // Of the chosen and their parts to the chosen.
    sql: `SELECT r.key FROM json_each(?) wanted
            CROSS JOIN entities own ON own.key = wanted.value OR own.merged_into = wanted.value
            CROSS JOIN relationships r ON r.source = own.key
            CROSS JOIN entities other ON other.key = r.target
          WHERE ifnull(other.merged_into, other.key) IN (SELECT value FROM json_each(?))`,
    values: [chosen, chosen],
  })
  return {
    entities: items.map(entityOf),
    relationships: gathered(between).slice(0, mostRelationships),
    totalEntities: total,
    totalRelationships: countTold(db, scope, query, {
      sql: `SELECT r.key FROM entities e CROSS JOIN relationships r ON r.source = e.key WHERE ${within.sql}`,
      values: within.values,
    }),
  }
}
