import type { EntityType } from '../../../core/entity.js'
import type { Scope } from '../../../core/scope.js'
import { isStorable } from '../../domain/storable-text.js'
import type { Entity, EntityQuery } from '../../ports/entities.js'
import type { Condition, Dialect } from '../dialect.js'
import type { Session, UserKey } from '../session.js'
import { findOwner, notExpired, type UserData, usersIn } from '../user-data.js'
import { groupOf, rootOf } from './entity-groups.js'
import { paged, pageOf } from './paged.js'
import { entitiesShown, entityOf, keysByUser, loadAliases, placeOf, seenEntities } from './seen-entities.js'

interface EntityRow {
  readonly user_id: UserKey
  readonly key: number
  readonly id: string
  readonly userId: string
  readonly name: string
  readonly type: EntityType
  readonly lastSeen: number
}

export async function listEntities(
  session: Session,
  scope: Scope,
  query: EntityQuery,
): Promise<{ items: readonly Entity[]; total: number }> {
  if (query.asOf !== undefined) return seenEntities(session, scope, { ...query, order: 'lastSeen' })
  const within = await usersIn(session, scope, 'e')
  const mentions = mentionsSeen(scope, query.now)
  if (!within || !mentions || (query.q !== undefined && !isStorable(query.q))) return { items: [], total: 0 }
  const shown = entitiesShown(session, query)
  const seen = lastSeen(session.dialect, mentions)
  const rows = await session.all<EntityRow & { readonly total: number }>(
    paged(
      session.dialect,
      `SELECT e.user_id, e.key, e.id, e.name, e.type, ${seen.sql} AS "lastSeen" FROM entities e
       WHERE ${within.sql} AND e.merged_into IS NULL${shown.sql}`,
      '"lastSeen" DESC, id DESC',
    ),
    ...seen.values,
    ...within.values,
    ...shown.values,
    query.limit,
    query.offset,
  )
  const page = pageOf<EntityRow>(rows)
  return { items: await described(session, mentions, page.rows), total: page.total }
}

/** By the id of any of its names. */
export async function findEntity(
  session: Session,
  scope: Scope,
  entityId: string,
  now: number,
  asOf?: number,
): Promise<Entity | null> {
  const owner = await findOwner(session, scope, 'entities', entityId)
  const mentions = mentionsSeen(scope, now)
  if (!owner || !mentions) return null
  if (asOf !== undefined) return findEntityAt(owner, scope, entityId, { now, asOf })
  const seen = lastSeen(session.dialect, mentions)
  const row = await owner.get<EntityRow>(
    `SELECT found.*, ${session.dialect.userId('found')} AS "userId" FROM (
       SELECT e.user_id, e.key, e.id, e.name, e.type, ${seen.sql} AS "lastSeen" FROM entities e
       WHERE e.user_id = @user AND e.key = (
         SELECT ${rootOf('asked')} FROM entities asked WHERE asked.id = ? AND asked.user_id = @user)) found
     WHERE "lastSeen" IS NOT NULL`,
    ...seen.values,
    entityId,
  )
  return row ? ((await described(session, mentions, [row]))[0] ?? null) : null
}

async function findEntityAt(
  owner: UserData,
  scope: Scope,
  entityId: string,
  moment: { readonly now: number; readonly asOf: number },
): Promise<Entity | null> {
  const asked = await entityKey(owner, entityId)
  if (asked === undefined) return null
  const group = { user: owner.key, members: await groupOf(owner, asked) }
  const { items } = await seenEntities(owner.session, scope, {
    ...moment,
    group,
    order: 'lastSeen',
    limit: 1,
    offset: 0,
  })
  return items[0] ?? null
}

/** Undefined: the user has no such entity. */
export async function entityKey(user: UserData, entityId: string): Promise<number | undefined> {
  const row = await user.get<{ key: number }>('SELECT key FROM entities WHERE id = ? AND user_id = @user', entityId)
  return row?.key
}

interface Mentions {
  readonly from: string
  readonly where: string
  readonly values: readonly (string | number)[]
}

/** Mentions `n` by memories `m` within the scope, including superseded but not expired ones. Null: the scope is empty. */
function mentionsSeen(scope: Scope, now: number): Mentions | null {
  if (scope.kind === 'nobody') return null
  // CROSS JOIN makes SQLite start with the mentions.
  const from = 'mentions n CROSS JOIN memories m'
  const where = `n.current AND m.user_id = n.user_id AND m.key = n.memory AND ${notExpired}`
  if (scope.project === undefined) return { from, where, values: [now] }
  return isStorable(scope.project) ? { from, where: `${where} AND m.project = ?`, values: [now, scope.project] } : null
}

/** Earlier and later than every real time. */
const [never, forever] = ['-9000000000000000', '9000000000000000']

/** When `e` was last seen under any of its names: one index look-up per name, and most entities have one. Null: never. */
function lastSeen({ greatest }: Dialect, mentions: Mentions): Condition {
  const lastOf = (entity: string) => `coalesce(${firstIn(mentions, entity, 'DESC')}, ${never})`
  const ofParts = `coalesce((SELECT max(${lastOf('part.key')}) ${parts}), ${never})`
  const values = [...mentions.values, ...mentions.values]
  return { sql: `nullif(${greatest}(${lastOf('e.key')}, ${ofParts}), ${never})`, values }
}

function firstSeen({ least }: Dialect, mentions: Mentions): Condition {
  const firstOf = (entity: string) => `coalesce(${firstIn(mentions, entity, 'ASC')}, ${forever})`
  const ofParts = `coalesce((SELECT min(${firstOf('part.key')}) ${parts}), ${forever})`
  const values = [...mentions.values, ...mentions.values]
  return { sql: `nullif(${least}(${firstOf('e.key')}, ${ofParts}), ${forever})`, values }
}

const parts = 'FROM entities part WHERE part.user_id = e.user_id AND part.merged_into = e.key'

function firstIn({ from, where }: Mentions, entity: string, order: 'ASC' | 'DESC'): string {
  return `(SELECT n.memory_created_at FROM ${from} WHERE ${where} AND n.user_id = e.user_id AND n.entity = ${entity}
    ORDER BY n.memory_created_at ${order} LIMIT 1)`
}

/**
 * Number of current memories that mention `e` under any of its names. Only an entity with several names can be mentioned twice in
 * one memory.
 */
function countOf({ from, where, values }: Mentions): Condition {
  const current = `${where} AND m.superseded_at IS NULL`
  return {
    sql: `CASE WHEN EXISTS (SELECT 1 ${parts}) THEN (
        SELECT count(DISTINCT n.memory) FROM entities own CROSS JOIN ${from} WHERE ${current} AND own.user_id = e.user_id
          AND (own.key = e.key OR own.merged_into = e.key) AND n.user_id = e.user_id AND n.entity = own.key)
      ELSE (SELECT count(*) FROM ${from} WHERE ${current} AND n.user_id = e.user_id AND n.entity = e.key) END`,
    values: [...values, ...values],
  }
}

async function described(session: Session, mentions: Mentions, rows: readonly EntityRow[]): Promise<Entity[]> {
  const [aliases, ...seenByUser] = await Promise.all([
    loadAliases(session, rows),
    ...keysByUser(session, rows).map(({ user, keys }) => loadSeen(user, mentions, keys)),
  ])
  const seen = new Map(seenByUser.flat().map((each) => [placeOf(each.user_id, each.key), each]))
  return rows.map((row) => {
    const { first = row.lastSeen, count = 0 } = seen.get(placeOf(row.user_id, row.key)) ?? {}
    return entityOf({ ...row, firstSeen: first, memoryCount: count }, aliases)
  })
}

interface Seen {
  readonly user_id: UserKey
  readonly key: number
  readonly first: number
  readonly count: number
}

function loadSeen(user: UserData, mentions: Mentions, keys: readonly number[]): Promise<Seen[]> {
  const first = firstSeen(user.dialect, mentions)
  const count = countOf(mentions)
  return user.all<Seen>(
    `SELECT e.user_id, e.key, ${first.sql} AS first, ${count.sql} AS count FROM entities e
     WHERE e.user_id = @user AND ${user.dialect.among('e.key', 'bigint')}`,
    ...first.values,
    ...count.values,
    keys,
  )
}
