import type { RelationshipType } from '../../core/entity.js'
import type { Scope } from '../../core/scope.js'
import type { EntityReads, Relationship } from '../storage.js'
import type { Database } from './database.js'
import { entitiesIn } from './read-entities.js'
import type { Condition } from './user-rows.js'

type Query = Parameters<EntityReads['relationships']>[2]

interface SupportedRow {
  readonly id: string
  readonly source: string
  readonly source_id: string
  readonly target: string
  readonly target_id: string
  readonly type: RelationshipType
  readonly valid_from: number
  readonly valid_to: number | null
  readonly properties: string
  readonly memory_id: string
}

export function relationships(db: Database, scope: Scope, entityId: string, query: Query): Relationship[] {
  const within = entitiesIn(db, scope)
  if (!within || scope.kind === 'nobody') return []
  const entity = db.get<{ key: number }>(
    `SELECT e.key FROM entities e WHERE e.id = ? AND ${within.sql}`,
    entityId,
    ...within.values,
  )
  if (!entity) return []
  const holding = condition(query)
  const project = scope.project === undefined ? [] : [scope.project]
  const rows = db.all<SupportedRow>(
    `SELECT r.id, a.name AS source, a.id AS source_id, b.name AS target, b.id AS target_id, r.type, r.valid_from,
       r.valid_to, o.properties, m.id AS memory_id
     FROM (SELECT key FROM relationships WHERE source = ? UNION SELECT key FROM relationships WHERE target = ?) own
       CROSS JOIN relationships r ON r.key = own.key
       CROSS JOIN relationship_sources o ON o.relationship = r.key CROSS JOIN versions v ON v.row = o.version
       CROSS JOIN memories m ON m.key = v.memory
       CROSS JOIN entities a ON a.key = r.source CROSS JOIN entities b ON b.key = r.target
     WHERE ${holding.sql}${scope.project === undefined ? '' : ' AND v.project = ?'}
     ORDER BY r.valid_from, r.key, o.version`,
    entity.key,
    entity.key,
    ...holding.values,
    ...project,
  )
  return gathered(rows)
}

/**
 * Both the relationship and the version that tells of it must hold. At the moment of a change the old
 * still holds (what began at that very moment was not there before it), so that nothing is in between.
 */
function condition({ now, asOf, includeHistory }: Query): Condition {
  if (asOf !== undefined) {
    const ended = includeHistory
      ? { sql: '', values: [] }
      : {
          sql: 'AND (r.valid_to IS NULL OR r.valid_to >= ?) AND (v.valid_to IS NULL OR v.valid_to >= ?)',
          values: [asOf, asOf],
        }
    return {
      sql: `r.valid_from < ? AND v.valid_from < ? AND (v.expires_at IS NULL OR v.expires_at > ?) ${ended.sql}`,
      values: [asOf, asOf, asOf, ...ended.values],
    }
  }
  const alive = '(m.expires_at IS NULL OR m.expires_at > ?)'
  if (includeHistory) return { sql: alive, values: [now] }
  return {
    sql: `(r.valid_to IS NULL OR r.valid_to > ?) AND m.current_row = v.row AND ${alive}`,
    values: [now, now],
  }
}

/** One relationship of all its sources; what a later version tells of it wins. */
function gathered(rows: readonly SupportedRow[]): Relationship[] {
  const found = new Map<string, { first: SupportedRow; properties: Record<string, string>; memoryIds: Set<string> }>()
  for (const row of rows) {
    const entry = found.get(row.id) ?? { first: row, properties: {}, memoryIds: new Set() }
    found.set(row.id, entry)
    Object.assign(entry.properties, JSON.parse(row.properties))
    entry.memoryIds.add(row.memory_id)
  }
  return [...found.values()].map(({ first, properties, memoryIds }) => ({
    id: first.id,
    source: first.source,
    sourceId: first.source_id,
    target: first.target,
    targetId: first.target_id,
    type: first.type,
    properties,
    validFrom: first.valid_from,
    validTo: first.valid_to,
    memoryIds: [...memoryIds],
  }))
}
