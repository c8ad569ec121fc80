import type { EntityType } from '../../core/entity.js'
import { type Scope, userScope } from '../../core/scope.js'
import { isStorable } from '../domain/storable-text.js'
import type { Entity, EntityQuery } from '../ports/storage.js'
import type { Database, Value } from './database.js'
import { groupOf } from './entity-groups.js'
import { findOwner } from './owner.js'
import { entityOf, seenEntities } from './seen-entities.js'
import { containing } from './text.js'
import { UserData } from './user-data.js'
import { type Condition, notExpired, usersIn } from './user-rows.js'

interface EntityRow {
  readonly key: number
  readonly id: string
  readonly user_id: string
  readonly name: string
  readonly type: EntityType
  readonly last_seen: number
}

export async function listEntities(
  db: Database,
  scope: Scope,
  query: EntityQuery,
): Promise<{ items: readonly Entity[]; total: number }> {
  if (query.asOf !== undefined) {
    const { items, total } = await seenEntities(db, scope, { ...query, order: 'lastSeen' })
    return { items: items.map(entityOf), total }
  }
  const within = usersIn(scope, 'e')
  if (!within || (query.q !== undefined && !isStorable(query.q))) return { items: [], total: 0 }
  const where = [within.sql, 'e.merged_into IS NULL']
  const values: Value[] = [...within.values]
  if (query.type !== undefined) {
    where.push('e.type = ?')
    values.push(query.type)
  }
  if (query.q !== undefined) {
    const contains = containing('s.spelling', query.q)
    where.push(`EXISTS (SELECT 1 FROM entities part
       JOIN entity_spellings s ON s.user_id = part.user_id AND s.entity = part.key
       WHERE part.user_id = e.user_id AND (part.key = e.key OR part.merged_into = e.key) AND ${contains.sql})`)
    values.push(...contains.values)
  }
  const seen = lastSeen(scope, query.now)
  const condition = where.join(' AND ')
  const [counted, rows] = await Promise.all([
    db.get<{ total: number }>(
      `SELECT count(*) AS total FROM entities e WHERE ${condition} AND ${seen.sql} IS NOT NULL`,
      ...values,
      ...seen.values,
    ),
    db.all<EntityRow>(
      `SELECT * FROM (
         SELECT e.key, e.id, e.name, e.type, e.user_id, ${seen.sql} AS last_seen FROM entities e WHERE ${condition}) found
       WHERE last_seen IS NOT NULL ORDER BY last_seen DESC, id DESC LIMIT ? OFFSET ?`,
      ...seen.values,
      ...values,
      query.limit,
      query.offset,
    ),
  ])
  const items: Entity[] = []
  for (const row of rows) items.push(await described(new UserData(db, row.user_id), scope, query.now, row))
  return { items, total: counted?.total ?? 0 }
}

/** By the id of any entity that is part of it. */
export async function findEntity(
  db: Database,
  scope: Scope,
  entityId: string,
  now: number,
  asOf?: number,
): Promise<Entity | null> {
  const owner = await findOwner(db, scope, 'entities', entityId)
  if (!owner) return null
  if (asOf !== undefined) return findEntityAt(owner, scope, entityId, { now, asOf })
  const seen = lastSeen(scope, now)
  const row = await owner.get<EntityRow>(
    `SELECT * FROM (
       SELECT e.key, e.id, e.name, e.type, e.user_id, ${seen.sql} AS last_seen FROM entities e
       WHERE e.user_id = @user AND e.key = (SELECT coalesce(asked.merged_into, asked.key) FROM entities asked
         WHERE asked.id = ? AND asked.user_id = @user)) found
     WHERE last_seen IS NOT NULL`,
    ...seen.values,
    entityId,
  )
  return row ? described(owner, scope, now, row) : null
}

async function findEntityAt(
  owner: UserData,
  scope: Scope,
  entityId: string,
  moment: { readonly now: number; readonly asOf: number },
): Promise<Entity | null> {
  const asked = await entityKey(owner, entityId)
  if (asked === undefined || scope.kind === 'nobody') return null
  const group = await groupOf(owner, asked)
  const own = userScope(owner.userId, scope.project)
  const { items } = await seenEntities(owner.db, own, { ...moment, group, order: 'lastSeen', limit: 1, offset: 0 })
  return items[0] ? entityOf(items[0]) : null
}

/** The key of an entity that the scope has. */
export async function entityKey(user: UserData, entityId: string): Promise<number | undefined> {
  const row = await user.get<{ key: number }>('SELECT key FROM entities WHERE id = ? AND user_id = @user', entityId)
  return row?.key
}

/** Mentions `n` by memories `m` that the scope may see: superseded ones too, expired ones not. */
function mentionsSeen(scope: Scope, now: number): Condition {
  const project = scope.kind === 'nobody' ? undefined : scope.project
  return {
    sql: `FROM mentions n JOIN memories m ON m.user_id = n.user_id AND m.key = n.memory
          WHERE n.current AND ${notExpired}${project === undefined ? '' : ' AND m.project = ?'}`,
    values: project === undefined ? [now] : [now, project],
  }
}

/** Of `e` and of its parts. Each one's last is one step in an index, and most have no parts. Null: not seen. */
function lastSeen(scope: Scope, now: number): Condition {
  const { sql, values } = mentionsSeen(scope, now)
  const last = (
    entity: string,
  ) => `(SELECT n.memory_created_at ${sql} AND n.user_id = e.user_id AND n.entity = ${entity}
    ORDER BY n.memory_created_at DESC LIMIT 1)`
  return {
    sql: `greatest(${last('e.key')}, (SELECT max(${last('part.key')}) FROM entities part
      WHERE part.user_id = e.user_id AND part.merged_into = e.key))`,
    values: [...values, ...values],
  }
}

async function described(user: UserData, scope: Scope, now: number, row: EntityRow): Promise<Entity> {
  const group = await groupOf(user, row.key)
  const { sql, values } = mentionsSeen(scope, now)
  const ofGroup = `${sql} AND n.user_id = @user AND n.entity = ANY (?::bigint[])`
  const [seen, aliases] = await Promise.all([
    user.get<{ first: number | null; count: number }>(
      `SELECT min(n.memory_created_at) AS first,
         count(DISTINCT n.memory) FILTER (WHERE m.superseded_at IS NULL) AS count ${ofGroup}`,
      ...values,
      group,
    ),
    user.all<{ spelling: string }>(
      `SELECT DISTINCT s.spelling FROM entity_spellings s
       WHERE s.user_id = @user AND s.entity = ANY (?::bigint[]) AND s.spelling <> ? ORDER BY s.spelling`,
      group,
      row.name,
    ),
  ])
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    type: row.type,
    aliases: aliases.map((alias) => alias.spelling),
    memoryCount: seen?.count ?? 0,
    firstSeen: seen?.first ?? row.last_seen,
    lastSeen: row.last_seen,
  }
}
