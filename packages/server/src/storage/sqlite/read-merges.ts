import type { Scope } from '../../core/scope.js'
import { type MergeRow, mergeOf, mostMerges } from '../domain/merge-row.js'
import type { EntityMerge } from '../ports/entity-merges.js'
import type { Database } from './database.js'
import { groupOf } from './entity-groups.js'
import { entitiesIn } from './read-entities.js'

const selected = `SELECT g.id, (SELECT u.id FROM users u WHERE u.key = g.user) AS user_id, e.id AS from_id,
    e.name AS from_name, i.id AS into_id, i.name AS into_name, e.type, g.rule, g.why, g.created_at, g.reverted_at,
    g.reverted_by
  FROM entity_merges g JOIN entities e ON e.key = g.entity JOIN entities i ON i.key = g.into_entity`

export function listMerges(db: Database, scope: Scope, entityId: string): EntityMerge[] {
  const within = entitiesIn(db, scope)
  if (!within) return []
  const entity = db.get<{ key: number }>(
    `SELECT e.key FROM entities e WHERE e.id = ? AND ${within.sql}`,
    entityId,
    ...within.values,
  )
  if (!entity) return []
  const group = JSON.stringify(groupOf(db, entity.key))
  return db
    .all<MergeRow>(
      `${selected} WHERE g.entity IN (SELECT value FROM json_each(?)) OR g.into_entity IN (SELECT value FROM json_each(?))
       ORDER BY g.created_at DESC, g.key DESC LIMIT ?`,
      group,
      group,
      mostMerges,
    )
    .map(mergeOf)
}

export function findMerge(db: Database, scope: Scope, mergeId: string): EntityMerge | null {
  const within = entitiesIn(db, scope)
  if (!within) return null
  const row = db.get<MergeRow>(`${selected} WHERE g.id = ? AND ${within.sql}`, mergeId, ...within.values)
  return row ? mergeOf(row) : null
}
