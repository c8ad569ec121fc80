import type { EntityType } from '../../core/entity.js'
import type { Scope } from '../../core/scope.js'
import type { Entity, EntityQuery } from '../storage.js'
import type { Database, Value } from './database.js'
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
  const within = entitiesIn(db, scope)
  if (!within) return { items: [], total: 0 }
  const where = [within.sql]
  const values: Value[] = [...within.values]
  if (query.type !== undefined) {
    where.push('e.type = ?')
    values.push(query.type)
  }
  if (query.q !== undefined) {
    const contains = containing('s.spelling', query.q)
    where.push(`EXISTS (SELECT 1 FROM entity_spellings s WHERE s.entity = e.key AND ${contains.sql})`)
    values.push(...contains.values)
  }
  const seen = mentionsSeen(scope, query.now)
  const condition = where.join(' AND ')
  const counted = db.get<{ total: number }>(
    `SELECT count(*) AS total FROM entities e WHERE ${condition} AND EXISTS (SELECT 1 ${seen.sql})`,
    ...values,
    ...seen.values,
  )
  const rows = db.all<EntityRow>(
    `SELECT * FROM (
       SELECT e.key, e.id, e.name, e.type, (SELECT id FROM users WHERE key = e.user) AS user_id,
         (SELECT n.memory_created_at ${seen.sql} ORDER BY n.memory_created_at DESC LIMIT 1) AS last_seen
       FROM entities e WHERE ${condition})
     WHERE last_seen IS NOT NULL ORDER BY last_seen DESC, id DESC LIMIT ? OFFSET ?`,
    ...seen.values,
    ...values,
    query.limit,
    query.offset,
  )
  return { items: rows.map((row) => described(db, scope, query.now, row)), total: counted?.total ?? 0 }
}

export function findEntity(db: Database, scope: Scope, entityId: string, now: number): Entity | null {
  const within = entitiesIn(db, scope)
  if (!within) return null
  const seen = mentionsSeen(scope, now)
  const row = db.get<EntityRow>(
    `SELECT * FROM (
       SELECT e.key, e.id, e.name, e.type, (SELECT id FROM users WHERE key = e.user) AS user_id,
         (SELECT n.memory_created_at ${seen.sql} ORDER BY n.memory_created_at DESC LIMIT 1) AS last_seen
       FROM entities e WHERE e.id = ? AND ${within.sql})
     WHERE last_seen IS NOT NULL`,
    ...seen.values,
    entityId,
    ...within.values,
  )
  return row ? described(db, scope, now, row) : null
}

/** A condition on the table `e` (entities); the project is asked of the memories. */
export function entitiesIn(db: Database, scope: Scope): Condition | null {
  if (scope.kind === 'nobody') return null
  if (scope.kind === 'everyone') return { sql: 'TRUE', values: [] }
  const user = findUser(db, scope.userId)
  return user ? { sql: 'e.user = ?', values: [user.key] } : null
}

/** Mentions of `e` by memories that the scope may see: superseded ones too, expired ones not. */
function mentionsSeen(scope: Scope, now: number): Condition {
  const project = scope.kind === 'nobody' ? undefined : scope.project
  return {
    sql: `FROM mentions n CROSS JOIN memories m ON m.key = n.memory
          WHERE n.entity = e.key AND n.current = 1 AND ${notExpired}${project === undefined ? '' : ' AND m.project = ?'}`,
    values: project === undefined ? [now] : [now, project],
  }
}

function described(db: Database, scope: Scope, now: number, row: EntityRow): Entity {
  const seen = mentionsSeen(scope, now)
  const memories = db.get<{ count: number; first_seen: number }>(
    `SELECT (SELECT count(*) ${seen.sql} AND m.superseded_at IS NULL) AS count,
       (SELECT n.memory_created_at ${seen.sql} ORDER BY n.memory_created_at LIMIT 1) AS first_seen
     FROM entities e WHERE e.key = ?`,
    ...seen.values,
    ...seen.values,
    row.key,
  )
  const aliases = db.all<{ spelling: string }>(
    'SELECT spelling FROM entity_spellings WHERE entity = ? AND spelling <> ? ORDER BY spelling',
    row.key,
    row.name,
  )
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    type: row.type,
    aliases: aliases.map((alias) => alias.spelling),
    memoryCount: memories?.count ?? 0,
    firstSeen: memories?.first_seen ?? row.last_seen,
    lastSeen: row.last_seen,
  }
}
