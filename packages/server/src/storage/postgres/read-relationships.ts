import { symmetricTypes } from '../../core/entity.js'
import type { Scope } from '../../core/scope.js'
import { gathered, type SupportedRow, seenFrom } from '../domain/gather-relationships.js'
import { holdingAt, type RelationshipQuery } from '../domain/relationship-validity.js'
import { isStorable } from '../domain/storable-text.js'
import type { Relationship } from '../ports/storage.js'
import type { Database } from './database.js'
import { groupOf } from './entity-groups.js'
import { findOwner } from './owner.js'
import { entityKey } from './read-entities.js'
import type { Condition } from './user-rows.js'

export async function relationships(
  db: Database,
  scope: Scope,
  entityId: string,
  query: RelationshipQuery,
): Promise<Relationship[]> {
  if (scope.kind === 'nobody' || (scope.project !== undefined && !isStorable(scope.project))) return []
  const owner = await findOwner(db, scope, 'entities', entityId)
  const entity = owner && (await entityKey(owner, entityId))
  if (!owner || entity === undefined) return []
  const group = await groupOf(owner, entity)
  const rows = await told(db, scope, query, {
    sql: 'r.user_id = ? AND (r.source = ANY (?::bigint[]) OR r.target = ANY (?::bigint[]))',
    values: [owner.userId, group, group],
  })
  const root = await owner.get<{ id: string }>(
    'SELECT id FROM entities WHERE user_id = @user AND key = ?',
    group[0] ?? entity,
  )
  return gathered(rows).map((relationship) => seenFrom(relationship, root?.id ?? entityId))
}

type Reached = Exclude<Scope, { kind: 'nobody' }>

/** All that tells of the relationships that `own` selects: a condition on `r`, and on its ends `a` and `b` as shown. */
export function told(db: Database, scope: Reached, query: RelationshipQuery, own: Condition): Promise<SupportedRow[]> {
  const { sql, values } = tellings(scope, query, own)
  return db.all<SupportedRow>(
    `SELECT r.id, a.name AS source, a.id AS source_id, b.name AS target, b.id AS target_id, r.type,
       r.valid_from, r.valid_to, o.properties, m.id AS memory_id
     ${sql} ORDER BY r.valid_from, r.key, o.version`,
    ...values,
  )
}

/** How many they are as they are shown: what names that were merged say of each other is one. */
export async function countTold(
  db: Database,
  scope: Reached,
  query: RelationshipQuery,
  own: Condition,
): Promise<number> {
  const { sql, values } = tellings(scope, query, own)
  const turned = 'r.type = ANY (?::text[]) AND b.key < a.key'
  const counted = await db.get<{ total: number }>(
    `SELECT count(*) AS total FROM (SELECT DISTINCT r.user_id, r.type, CASE WHEN ${turned} THEN b.key ELSE a.key END,
       CASE WHEN ${turned} THEN a.key ELSE b.key END ${sql}) told`,
    symmetricTypes,
    symmetricTypes,
    ...values,
  )
  return counted?.total ?? 0
}

/** Both ends are shown as the entities that they are part of now. */
function tellings(scope: Reached, query: RelationshipQuery, own: Condition): Condition {
  const holding = holdingAt(query)
  return {
    sql: `FROM relationships r
       JOIN relationship_sources o ON o.user_id = r.user_id AND o.relationship = r.key
       JOIN versions v ON v.user_id = r.user_id AND v.row = o.version
       JOIN memories m ON m.user_id = r.user_id AND m.key = v.memory
       JOIN entities s ON s.user_id = r.user_id AND s.key = r.source
       JOIN entities t ON t.user_id = r.user_id AND t.key = r.target
       JOIN entities a ON a.user_id = r.user_id AND a.key = coalesce(s.merged_into, s.key)
       JOIN entities b ON b.user_id = r.user_id AND b.key = coalesce(t.merged_into, t.key)
     WHERE ${own.sql} AND ${holding.sql}
       ${scope.project === undefined ? '' : 'AND v.project = ?'} AND a.key <> b.key`,
    values: [...own.values, ...holding.values, ...(scope.project === undefined ? [] : [scope.project])],
  }
}
