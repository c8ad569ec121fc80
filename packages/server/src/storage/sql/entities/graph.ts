import type { Scope } from '../../../core/scope.js'
import { gathered } from '../../domain/gather-relationships.js'
import { isStorable } from '../../domain/storable-text.js'
import { type Graph, type GraphQuery, mostRelationships } from '../../ports/graph.js'
import type { Dialect } from '../dialect.js'
import { countTold, told } from '../relationships/read-relationships.js'
import type { Session } from '../session.js'
import { usersIn } from '../user-data.js'
import { rootOf } from './entity-groups.js'
import { seenEntities } from './seen-entities.js'

const nothing: Graph = { entities: [], relationships: [], totalEntities: 0, totalRelationships: 0 }

export async function graph(session: Session, scope: Scope, query: GraphQuery): Promise<Graph> {
  const within = await usersIn(session, scope, 'e')
  if (!within || scope.kind === 'nobody') return nothing
  if (scope.project !== undefined && !isStorable(scope.project)) return nothing
  const { items, total } = await seenEntities(session, scope, { ...query, order: 'memoryCount', offset: 0 })
  // By id: keys are unique only within a user, and the scope may be everyone.
  const ids = items.map(({ id }) => id)
  const [between, totalRelationships] = await Promise.all([
    told(session, scope, query, {
      sql: relationshipsBetween(session.dialect, within.sql),
      values: [...within.values, ids, ids],
    }),
    countTold(session, scope, query, {
      sql: `SELECT r.* FROM entities e CROSS JOIN relationships r
            WHERE ${within.sql} AND r.user_id = e.user_id AND r.source = e.key`,
      values: within.values,
    }),
  ])
  return {
    entities: items,
    relationships: gathered(between).slice(0, mostRelationships),
    totalEntities: total,
    totalRelationships,
  }
}

/** Both ends are any name of a chosen entity. Bind the ids of the chosen entities twice. */
function relationshipsBetween({ among }: Dialect, within: string): string {
  return `SELECT r.* FROM entities e CROSS JOIN entities part CROSS JOIN relationships r
      CROSS JOIN entities other CROSS JOIN entities shown
    WHERE ${within} AND ${among('e.id', 'text')}
      AND part.user_id = e.user_id AND (part.key = e.key OR part.merged_into = e.key)
      AND r.user_id = part.user_id AND r.source = part.key
      AND other.user_id = r.user_id AND other.key = r.target
      AND shown.user_id = r.user_id AND shown.key = ${rootOf('other')} AND ${among('shown.id', 'text')}`
}
