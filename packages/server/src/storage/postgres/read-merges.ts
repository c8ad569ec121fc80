import type { Scope } from '../../core/scope.js'
import { type MergeRow, mergeOf, mostMerges } from '../domain/merge-row.js'
import type { EntityMerge } from '../ports/entity-merges.js'
import type { Database } from './database.js'
import { groupOf } from './entity-groups.js'
import { findOwner } from './owner.js'
import { entityKey } from './read-entities.js'

const selected = `SELECT g.id, g.user_id, e.id AS from_id, e.name AS from_name, i.id AS into_id, i.name AS into_name,
    e.type, g.rule, g.why, g.created_at, g.reverted_at, g.reverted_by
  FROM entity_merges g JOIN entities e ON e.user_id = g.user_id AND e.key = g.entity
    JOIN entities i ON i.user_id = g.user_id AND i.key = g.into_entity WHERE g.user_id = @user`

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
