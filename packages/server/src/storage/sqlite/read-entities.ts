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
  const where = [within.sql, 'e.merged_into IS NULL']
  const values: Value[] = [...within.values]
  if (query.type !== undefined) {
    where.push('e.type = ?')
    values.push(query.type)
  }
  if (query.q !== undefined) {
    const contains = containing('s.spelling', query.q)
    where.push(`EXISTS (SELECT 1 FROM entities part CROSS JOIN entity_spellings s ON s.entity = part.key
       WHERE ${parts} AND ${contains.sql})`)
    values.push(...contains.values)
  }
  const seen = lastSeen(scope, query.now)
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
export function findEntity(db: Database, scope: Scope, entityId: string, now: number): Entity | null {
  const within = entitiesIn(db, scope)
  if (!within) return null
  const seen = lastSeen(scope, now)
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

/** A condition on the table `e` (entities); the project is asked of the memories. */
export function entitiesIn(db: Database, scope: Scope): Condition | null {
  if (scope.kind === 'nobody') return null
  if (scope.kind === 'everyone') return { sql: 'TRUE', values: [] }
  const user = findUser(db, scope.userId)
  return user ? { sql: 'e.user = ?', values: [user.key] } : null
}

/** Parts of `e`, itself among them. */
const parts = '(part.key = e.key OR part.merged_into = e.key)'

const mentionsOfMemories = 'FROM mentions n CROSS JOIN memories m ON m.key = n.memory'

/** Mentions of a `part` by memories that the scope may see: superseded ones too, expired ones not. */
function mentionsSeen(scope: Scope, now: number): Condition {
  const project = scope.kind === 'nobody' ? undefined : scope.project
  return {
    sql: `n.entity = part.key AND n.current = 1 AND ${notExpired}${project === undefined ? '' : ' AND m.project = ?'}`,
    values: project === undefined ? [now] : [now, project],
  }
}

/** Each part's last is one step in an index. */
function lastSeen(scope: Scope, now: number): Condition {
  const seen = mentionsSeen(scope, now)
  return {
    sql: `(SELECT max((SELECT n.memory_created_at ${mentionsOfMemories} WHERE ${seen.sql} ORDER BY n.memory_created_at DESC LIMIT 1))
           FROM entities part WHERE ${parts})`,
    values: seen.values,
  }
}

function described(db: Database, scope: Scope, now: number, row: EntityRow): Entity {
  const seen = mentionsSeen(scope, now)
  const memories = db.get<{ count: number; first_seen: number }>(
    `SELECT (SELECT count(DISTINCT n.memory) FROM entities part CROSS JOIN mentions n ON n.entity = part.key
           CROSS JOIN memories m ON m.key = n.memory WHERE ${seen.sql} AND ${parts} AND m.superseded_at IS NULL) AS count,
       (SELECT min((SELECT n.memory_created_at ${mentionsOfMemories} WHERE ${seen.sql} ORDER BY n.memory_created_at LIMIT 1))
        FROM entities part WHERE ${parts}) AS first_seen
     FROM entities e WHERE e.key = ?`,
    ...seen.values,
    ...seen.values,
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
    memoryCount: memories?.count ?? 0,
    firstSeen: memories?.first_seen ?? row.last_seen,
    lastSeen: row.last_seen,
  }
}
