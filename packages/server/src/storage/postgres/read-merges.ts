import type { EntityType } from '../../core/entity.js'
import type { Scope } from '../../core/scope.js'
import type { EntityMerge, MergeRule } from '../entity-merges.js'
import type { Database } from './database.js'
import { groupOf } from './entity-groups.js'
import { findOwner } from './owner.js'
import { entityKey } from './read-entities.js'

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

const selected = `SELECT g.id, g.user_id, e.id AS from_id, e.name AS from_name, i.id AS into_id, i.name AS into_name,
    e.type, g.rule, g.why, g.created_at, g.reverted_at, g.reverted_by
  FROM entity_merges g JOIN entities e ON e.user_id = g.user_id AND e.key = g.entity
    JOIN entities i ON i.user_id = g.user_id AND i.key = g.into_entity WHERE g.user_id = @user`

/** An entity is merged and taken back a few times at most; what a program does without end is cut here. */
const mostMerges = 500

export async function listMerges(db: Database, scope: Scope, entityId: string): Promise<EntityMerge[]> {
  const owner = await findOwner(db, scope, 'entities', entityId)
  const entity = owner && (await entityKey(owner, entityId))
  if (!owner || entity === undefined) return []
  const group = await groupOf(owner, entity)
  const rows = await owner.all<MergeRow>(
    `${selected} AND (g.entity = ANY (?::bigint[]) OR g.into_entity = ANY (?::bigint[]))
     ORDER BY g.created_at DESC, g.key DESC LIMIT ?`,
    group,
    group,
    mostMerges,
  )
  return rows.map(mergeOf)
}

export async function findMerge(db: Database, scope: Scope, mergeId: string): Promise<EntityMerge | null> {
  const owner = await findOwner(db, scope, 'entity_merges', mergeId)
  const row = owner && (await owner.get<MergeRow>(`${selected} AND g.id = ?`, mergeId))
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
