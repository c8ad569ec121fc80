import { inverseOf, isSymmetric, type RelationshipType } from '../../core/entity.js'
import type { Scope } from '../../core/scope.js'
import type { EntityReads, Relationship } from '../storage.js'
import type { Database } from './database.js'
import { groupOf } from './entity-groups.js'
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
  const group = groupOf(db, entity.key)
  const groupJson = JSON.stringify(group)
  // Both ends are shown as the entities that they are part of now.
  const rows = db.all<SupportedRow>(
    `SELECT r.id, a.name AS source, a.id AS source_id, b.name AS target, b.id AS target_id, r.type,
       r.valid_from, r.valid_to, o.properties, m.id AS memory_id
     FROM (SELECT key FROM relationships WHERE source IN (SELECT value FROM json_each(?))
           UNION SELECT key FROM relationships WHERE target IN (SELECT value FROM json_each(?))) own
       CROSS JOIN relationships r ON r.key = own.key
       CROSS JOIN relationship_sources o ON o.relationship = r.key CROSS JOIN versions v ON v.row = o.version
       CROSS JOIN memories m ON m.key = v.memory
       CROSS JOIN entities s ON s.key = r.source CROSS JOIN entities t ON t.key = r.target
       CROSS JOIN entities a ON a.key = ifnull(s.merged_into, s.key)
       CROSS JOIN entities b ON b.key = ifnull(t.merged_into, t.key)
     WHERE ${holding.sql}${scope.project === undefined ? '' : ' AND v.project = ?'} AND a.key <> b.key
     ORDER BY r.valid_from, r.key, o.version`,
    groupJson,
    groupJson,
    ...holding.values,
    ...project,
  )
  const root = db.get<{ id: string }>('SELECT id FROM entities WHERE key = ?', group[0] ?? entity.key)
  return gathered(rows).map((relationship) => seenFrom(relationship, root?.id ?? entityId))
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
    sql: `(r.valid_to IS NULL OR r.valid_to > ?) AND m.current_row = v.row AND m.superseded_at IS NULL AND ${alive}`,
    values: [now, now],
  }
}

interface Gathered extends Omit<Relationship, 'properties' | 'memoryIds' | 'validTo'> {
  validTo: number | null
  readonly properties: Record<string, string>
  readonly memoryIds: Set<string>
}

/**
 * One relationship of all its sources; what a later version tells of it wins. Rows come by when they began; where names
 * were merged, two of them may say the same of the same time.
 */
function gathered(rows: readonly SupportedRow[]): Relationship[] {
  const byId = new Map<string, Gathered>()
  const lastOfPair = new Map<string, Gathered>()
  for (const row of rows) {
    const entry = byId.get(row.id) ?? sameTime(lastOfPair.get(pairOf(row)), row) ?? newlyGathered(row)
    byId.set(row.id, entry)
    lastOfPair.set(pairOf(row), entry)
    if (entry.validTo !== null) {
      entry.validTo = row.valid_to === null ? null : Math.max(entry.validTo, row.valid_to)
    }
    Object.assign(entry.properties, JSON.parse(row.properties))
    entry.memoryIds.add(row.memory_id)
  }
  return [...new Set(byId.values())].map((entry) => ({ ...entry, memoryIds: [...entry.memoryIds] }))
}

function pairOf({ type, source_id: source, target_id: target }: SupportedRow): string {
  return isSymmetric(type) && target < source ? `${type} ${target} ${source}` : `${type} ${source} ${target}`
}

function sameTime(before: Gathered | undefined, row: SupportedRow): Gathered | undefined {
  return before && (before.validTo === null || row.valid_from < before.validTo) ? before : undefined
}

function newlyGathered(row: SupportedRow): Gathered {
  return {
    id: row.id,
    source: row.source,
    sourceId: row.source_id,
    target: row.target,
    targetId: row.target_id,
    type: row.type,
    properties: {},
    validFrom: row.valid_from,
    validTo: row.valid_to,
    memoryIds: new Set(),
  }
}

/** What is stored once is shown from the end that was asked about. */
function seenFrom(relationship: Relationship, entityId: string): Relationship {
  if (relationship.sourceId === entityId) return relationship
  const type = isSymmetric(relationship.type) ? relationship.type : inverseOf(relationship.type)
  if (type === null || relationship.type === 'MANAGES') return relationship
  const { source, sourceId, target, targetId } = relationship
  return { ...relationship, type, source: target, sourceId: targetId, target: source, targetId: sourceId }
}
