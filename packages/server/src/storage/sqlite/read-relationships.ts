import { symmetricTypes } from '../../core/entity.js'
import type { Scope } from '../../core/scope.js'
import { gathered, type SupportedRow, seenFrom } from '../domain/gather-relationships.js'
import { holdingAt, type RelationshipQuery } from '../domain/relationship-validity.js'
import type { Relationship } from '../ports/storage.js'
import type { Database } from './database.js'
import { groupOf } from './entity-groups.js'
import { entitiesIn } from './read-entities.js'
import type { Condition } from './user-rows.js'

export function relationships(db: Database, scope: Scope, entityId: string, query: RelationshipQuery): Relationship[] {
  const within = entitiesIn(db, scope)
  if (!within || scope.kind === 'nobody') return []
  const entity = db.get<{ key: number }>(
    `SELECT e.key FROM entities e WHERE e.id = ? AND ${within.sql}`,
    entityId,
    ...within.values,
  )
  if (!entity) return []
  const group = groupOf(db, entity.key)
  const groupJson = JSON.stringify(group)
  const rows = told(db, scope, query, {
    sql: `SELECT key FROM relationships WHERE source IN (SELECT value FROM json_each(?))
          UNION SELECT key FROM relationships WHERE target IN (SELECT value FROM json_each(?))`,
    values: [groupJson, groupJson],
  })
  const root = db.get<{ id: string }>('SELECT id FROM entities WHERE key = ?', group[0] ?? entity.key)
  return gathered(rows).map((relationship) => seenFrom(relationship, root?.id ?? entityId))
}

type Reached = Exclude<Scope, { kind: 'nobody' }>

/** All that tells of the relationships with the keys that `own` selects. */
export function told(db: Database, scope: Reached, query: RelationshipQuery, own: Condition): SupportedRow[] {
  const { sql, values } = tellings(scope, query, own)
  const rows = db.all<Omit<SupportedRow, 'properties'> & { properties: string }>(
    `SELECT r.id, a.name AS source, a.id AS source_id, b.name AS target, b.id AS target_id, r.type,
       r.valid_from, r.valid_to, o.properties, m.id AS memory_id
     ${sql} ORDER BY r.valid_from, r.key, o.version`,
    ...values,
  )
  return rows.map((row) => ({ ...row, properties: JSON.parse(row.properties) }))
}

/** How many they are as they are shown: what names that were merged say of each other is one. */
export function countTold(db: Database, scope: Reached, query: RelationshipQuery, own: Condition): number {
  const { sql, values } = tellings(scope, query, own)
  const turned = 'r.type IN (SELECT value FROM json_each(?)) AND b.key < a.key'
  const symmetric = JSON.stringify(symmetricTypes)
  const counted = db.get<{ total: number }>(
    `SELECT count(*) AS total FROM (SELECT DISTINCT r.type, CASE WHEN ${turned} THEN b.key ELSE a.key END,
       CASE WHEN ${turned} THEN a.key ELSE b.key END ${sql})`,
    symmetric,
    symmetric,
    ...values,
  )
  return counted?.total ?? 0
}

/** Both ends are shown as the entities that they are part of now. */
function tellings(scope: Reached, query: RelationshipQuery, own: Condition): Condition {
  const holding = holdingAt(query)
  return {
    sql: `FROM (${own.sql}) own
       CROSS JOIN relationships r ON r.key = own.key
       CROSS JOIN relationship_sources o ON o.relationship = r.key CROSS JOIN versions v ON v.row = o.version
       CROSS JOIN memories m ON m.key = v.memory
       CROSS JOIN entities s ON s.key = r.source CROSS JOIN entities t ON t.key = r.target
       CROSS JOIN entities a ON a.key = ifnull(s.merged_into, s.key)
       CROSS JOIN entities b ON b.key = ifnull(t.merged_into, t.key)
     WHERE ${holding.sql}${scope.project === undefined ? '' : ' AND v.project = ?'} AND a.key <> b.key`,
    values: [...own.values, ...holding.values, ...(scope.project === undefined ? [] : [scope.project])],
  }
}
