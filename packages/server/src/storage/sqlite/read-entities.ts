import type { EntityType } from '../../core/entity.js'
import type { Scope } from '../../core/scope.js'
import type { Entity, EntityQuery } from '../ports/storage.js'
import type { Database, Value } from './database.js'
import { groupOf } from './entity-groups.js'
import { entityOf, seenEntities } from './seen-entities.js'
import { containing } from './text.js'
import { type Condition, findUser, notExpired } from './user-rows.js'

interface EntityRow {
  readonly key: number
  readonly id: string
  readonly user_id: string
  readonly name: string
  readonly type: EntityType
  readonly last_seen: number
}

export function listEntities(
  db: Database,
  scope: Scope,
  query: EntityQuery,
): { items: readonly Entity[]; total: number } {
  if (query.asOf !== undefined) {
    const { items, total } = seenEntities(db, scope, { ...query, order: 'lastSeen' })
    return { items: items.map(entityOf), total }
  }
  const within = entitiesIn(db, scope)
  if (!within) return { items: [], total: 0 }
  const where = [within.sql, 'e.merged_into IS NULL']
  const values: Value[] = [...within.values]
  if (query.type !== undefined) {
    where.push('e.type = ?')
    values.push(query.type)
  }
  if (query.q !== undefined) {
    const contains = containing('s.spelling', query.q)
    where.push(`EXISTS (SELECT 1 FROM entities part CROSS JOIN entity_spellings s ON s.entity = part.key
       WHERE (part.key = e.key OR part.merged_into = e.key) AND ${contains.sql})`)
    values.push(...contains.values)
  }
  const seen = seenAt(scope, query.now, 'last')
  const condition = where.join(' AND ')
  const counted = db.get<{ total: number }>(
    `SELECT count(*) AS total FROM entities e WHERE ${condition} AND ${seen.sql} IS NOT NULL`,
    ...values,
    ...seen.values,
  )
  const rows = db.all<EntityRow>(
    `SELECT * FROM (
       SELECT e.key, e.id, e.name, e.type, (SELECT id FROM users WHERE key = e.user) AS user_id, ${seen.sql} AS last_seen
       FROM entities e WHERE ${condition})
     WHERE last_seen IS NOT NULL ORDER BY last_seen DESC, id DESC LIMIT ? OFFSET ?`,
    ...seen.values,
    ...values,
    query.limit,
    query.offset,
  )
  return { items: rows.map((row) => described(db, scope, query.now, row)), total: counted?.total ?? 0 }
}

/** By the id of any entity that is part of it. */
export function findEntity(db: Database, scope: Scope, entityId: string, now: number, asOf?: number): Entity | null {
  const within = entitiesIn(db, scope)
  if (!within) return null
  if (asOf !== undefined) return findEntityAt(db, scope, entityId, { now, asOf })
  const seen = seenAt(scope, now, 'last')
  const row = db.get<EntityRow>(
    `SELECT * FROM (
       SELECT e.key, e.id, e.name, e.type, (SELECT id FROM users WHERE key = e.user) AS user_id, ${seen.sql} AS last_seen
       FROM entities e
       WHERE e.key = (SELECT ifnull(asked.merged_into, asked.key) FROM entities asked WHERE asked.id = ?) AND ${within.sql})
     WHERE last_seen IS NOT NULL`,
    ...seen.values,
    entityId,
    ...within.values,
  )
  return row ? described(db, scope, now, row) : null
}

function findEntityAt(
  db: Database,
  scope: Scope,
  entityId: string,
  moment: { readonly now: number; readonly asOf: number },
): Entity | null {
  const asked = db.get<{ key: number }>('SELECT key FROM entities WHERE id = ?', entityId)
  if (!asked) return null
  const group = groupOf(db, asked.key)
  const [found] = seenEntities(db, scope, { ...moment, group, order: 'lastSeen', limit: 1, offset: 0 }).items
  return found ? entityOf(found) : null
}

/** A condition on the table `e` (entities); the project is asked of the memories. */
export function entitiesIn(db: Database, scope: Scope): Condition | null {
  if (scope.kind === 'nobody') return null
  if (scope.kind === 'everyone') return { sql: 'TRUE', values: [] }
  const user = findUser(db, scope.userId)
  return user ? { sql: 'e.user = ?', values: [user.key] } : null
}

/** Mentions of `e` itself, or of a part of it, by memories that the scope may see: superseded ones too, expired ones not. */
function mentionsSeen(scope: Scope, now: number, of: 'e.key' | 'part.key'): Condition {
  const project = scope.kind === 'nobody' ? undefined : scope.project
  return {
    sql: `FROM mentions n CROSS JOIN memories m ON m.key = n.memory
          WHERE n.entity = ${of} AND n.current = 1 AND ${notExpired}${project === undefined ? '' : ' AND m.project = ?'}`,
    values: project === undefined ? [now] : [now, project],
  }
}

/** Before and after every moment. */
const [never, forEver] = [-9e15, 9e15]

/** Each one's first or last is one step in an index, and most have no parts. Null: not seen. */
function seenAt(scope: Scope, now: number, which: 'first' | 'last'): Condition {
  const own = mentionsSeen(scope, now, 'e.key')
  const ofParts = mentionsSeen(scope, now, 'part.key')
  const [pick, order, none] = which === 'last' ? ['max', 'DESC', never] : ['min', 'ASC', forEver]
  const step = (seen: string) =>
    `ifnull((SELECT n.memory_created_at ${seen} ORDER BY n.memory_created_at ${order} LIMIT 1), ${none})`
  return {
    sql: `nullif(${pick}(${step(own.sql)},
      ifnull((SELECT ${pick}(${step(ofParts.sql)}) FROM entities part WHERE part.merged_into = e.key), ${none})), ${none})`,
    values: [...own.values, ...ofParts.values],
  }
}

function countSeen(db: Database, scope: Scope, now: number, entity: number): number {
  const [root, ...parts] = groupOf(db, entity)
  if (parts.length === 0) {
    const own = mentionsSeen(scope, now, 'e.key')
    const row = db.get<{ count: number }>(
      `SELECT (SELECT count(*) ${own.sql} AND m.superseded_at IS NULL) AS count FROM entities e WHERE e.key = ?`,
      ...own.values,
      entity,
    )
    return row?.count ?? 0
  }
  const project = scope.kind === 'nobody' ? undefined : scope.project
  const row = db.get<{ count: number }>(
    `SELECT count(DISTINCT n.memory) AS count
     FROM json_each(?) wanted CROSS JOIN mentions n ON n.entity = wanted.value CROSS JOIN memories m ON m.key = n.memory
     WHERE n.current = 1 AND ${notExpired}${project === undefined ? '' : ' AND m.project = ?'}
       AND m.superseded_at IS NULL`,
    JSON.stringify([root, ...parts]),
    now,
    ...(project === undefined ? [] : [project]),
  )
  return row?.count ?? 0
}

function described(db: Database, scope: Scope, now: number, row: EntityRow): Entity {
  const first = seenAt(scope, now, 'first')
  const seen = db.get<{ first_seen: number | null }>(
    `SELECT ${first.sql} AS first_seen FROM entities e WHERE e.key = ?`,
    ...first.values,
    row.key,
  )
  const aliases = db.all<{ spelling: string }>(
    `SELECT DISTINCT s.spelling FROM entities part CROSS JOIN entity_spellings s ON s.entity = part.key
     WHERE (part.key = ? OR part.merged_into = ?) AND s.spelling <> ? ORDER BY s.spelling`,
    row.key,
    row.key,
    row.name,
  )
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    type: row.type,
    aliases: aliases.map((alias) => alias.spelling),
    memoryCount: countSeen(db, scope, now, row.key),
    firstSeen: seen?.first_seen ?? row.last_seen,
    lastSeen: row.last_seen,
  }
}
