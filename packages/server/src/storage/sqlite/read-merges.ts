import type { EntityType } from '../../core/entity.js'
import type { Scope } from '../../core/scope.js'
import type { EntityMerge, MergeRule } from '../entity-merges.js'
import type { Database } from './database.js'
import { groupOf } from './entity-groups.js'
import { entitiesIn } from './read-entities.js'

interface MergeRow {
  readonly id: string
  readonly user_id: string
  readonly from_id: string
  readonly from_name: string
  readonly into_id: string
  readonly into_name: string
  readonly type: EntityType
  readonly rule: MergeRule
  readonly why: string
  readonly created_at: number
  readonly reverted_at: number | null
  readonly reverted_by: 'user' | 'rule' | null
}

const selected = `SELECT g.id, (SELECT u.id FROM users u WHERE u.key = g.user) AS user_id, e.id AS from_id,
    e.name AS from_name, i.id AS into_id, i.name AS into_name, e.type, g.rule, g.why, g.created_at, g.reverted_at,
    g.reverted_by
  FROM entity_merges g JOIN entities e ON e.key = g.entity JOIN entities i ON i.key = g.into_entity`

/** An entity is merged and taken back a few times at most; what a program does without end is cut here. */
const mostMerges = 500

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

function mergeOf(row: MergeRow): EntityMerge {
  return {
    id: row.id,
    userId: row.user_id,
    from: { id: row.from_id, name: row.from_name, type: row.type },
    into: { id: row.into_id, name: row.into_name, type: row.type },
    rule: row.rule,
    why: row.why,
    createdAt: row.created_at,
    revertedAt: row.reverted_at,
    revertedBy: row.reverted_by,
  }
}
