import type { Scope } from '../../../core/scope.js'
import { type MergeRow, mergeOf, mostMerges } from '../../domain/merge-row.js'
import type { EntityMerge } from '../../ports/entity-merges.js'
import type { Dialect } from '../dialect.js'
import type { Session } from '../session.js'
import { findOwner, type UserData } from '../user-data.js'
import { groupOf } from './entity-groups.js'
import { entityKey } from './read-entities.js'

function selected({ userId }: Dialect): string {
  return `SELECT g.id, ${userId('g')} AS user_id, e.id AS from_id, e.name AS from_name, i.id AS into_id, i.name AS into_name,
      e.type, g.rule, g.why, g.created_at, g.reverted_at, g.reverted_by
    FROM entity_merges g JOIN entities e ON e.user_id = g.user_id AND e.key = g.entity
      JOIN entities i ON i.user_id = g.user_id AND i.key = g.into_entity WHERE g.user_id = @user`
}

export async function listMerges(session: Session, scope: Scope, entityId: string): Promise<EntityMerge[]> {
  const owner = await findOwner(session, scope, 'entities', entityId)
  const entity = owner && (await entityKey(owner, entityId))
  if (!owner || entity === undefined) return []
  const { among } = session.dialect
  const group = await groupOf(owner, entity)
  const rows = await owner.all<MergeRow>(
    `${selected(session.dialect)} AND (${among('g.entity', 'bigint')} OR ${among('g.into_entity', 'bigint')})
     ORDER BY g.created_at DESC, g.key DESC LIMIT ?`,
    group,
    group,
    mostMerges,
  )
  return rows.map(mergeOf)
}

export async function findMerge(user: UserData, mergeId: string): Promise<EntityMerge | null> {
  const row = await user.get<MergeRow>(`${selected(user.dialect)} AND g.id = ?`, mergeId)
  return row ? mergeOf(row) : null
}
