/** Entities from one pass over all mentions in the scope, for `as_of` and for the graph. */
import type { EntityType } from '../../../core/entity.js'
import type { Scope } from '../../../core/scope.js'
import { isStorable } from '../../domain/storable-text.js'
import type { Entity } from '../../ports/entities.js'
import { containing } from '../containing.js'
import { latestAt, versionNotExpired } from '../memories/as-of.js'
import type { Session, UserKey, Value } from '../session.js'
import { UserData, usersIn } from '../user-data.js'
import { namesOfRoots, rootOf } from './entity-groups.js'
import { paged, pageOf } from './paged.js'

export interface SeenQuery {
  readonly now: number
  readonly asOf?: number
  readonly type?: EntityType
  readonly q?: string
  /** Only this entity. */
  readonly group?: { readonly user: UserKey; readonly members: readonly number[] }
  readonly order: 'lastSeen' | 'memoryCount'
  readonly limit: number
  readonly offset: number
}

interface Where {
  readonly sql: string
  readonly values: readonly Value[]
}

interface Row extends Omit<Entity, 'aliases'> {
  readonly key: number
  readonly user_id: UserKey
}

const orders = {
  lastSeen: '"lastSeen" DESC, id DESC',
  memoryCount: '"memoryCount" DESC, "lastSeen" DESC, id DESC',
}

export async function seenEntities(
  session: Session,
  scope: Scope,
  query: SeenQuery,
): Promise<{ items: Entity[]; total: number }> {
  const within = await partsIn(session, scope, query)
  if (!within || (query.q !== undefined && !isStorable(query.q))) return { items: [], total: 0 }
  const seen = seenAt(query)
  const shown = entitiesShown(session, query)
  const holds = query.asOf === undefined ? 'v.valid_to IS NULL' : '(v.valid_to IS NULL OR v.valid_to >= ?)'
  const rows = await session.all<Row & { readonly total: number }>(
    paged(
      session.dialect,
      `SELECT e.user_id, e.key, e.id, e.name, e.type, seen.first AS "firstSeen", seen.last AS "lastSeen",
         seen.count AS "memoryCount"
       FROM (SELECT part.user_id, ${rootOf('part')} AS root, min(n.memory_created_at) AS first,
           max(n.memory_created_at) AS last, count(DISTINCT CASE WHEN ${holds} THEN n.memory END) AS count
         FROM entities part CROSS JOIN mentions n CROSS JOIN versions v
         WHERE ${within.sql} AND n.user_id = part.user_id AND n.entity = part.key
           AND v.user_id = n.user_id AND v.row = n.version AND ${seen.sql} GROUP BY 1, 2) seen
         CROSS JOIN entities e
       WHERE e.user_id = seen.user_id AND e.key = seen.root${shown.sql}`,
      orders[query.order],
    ),
    ...(query.asOf === undefined ? [] : [query.asOf]),
    ...within.values,
    ...seen.values,
    ...shown.values,
    query.limit,
    query.offset,
  )
  const page = pageOf<Row>(rows)
  const aliases = await loadAliases(session, page.rows)
  return { items: page.rows.map((row) => entityOf(row, aliases)), total: page.total }
}

/** Every entity within the scope, or only the requested one. The project is that of the version. */
async function partsIn(session: Session, scope: Scope, { group }: SeenQuery): Promise<Where | null> {
  if (scope.kind === 'nobody') return null
  const users = group ? ofGroup(session, group) : await usersIn(session, scope, 'part')
  if (!users || scope.project === undefined) return users
  if (!isStorable(scope.project)) return null
  return { sql: `${users.sql} AND v.project = ?`, values: [...users.values, scope.project] }
}

function ofGroup({ dialect }: Session, { user, members }: NonNullable<SeenQuery['group']>): Where {
  return { sql: `part.user_id = ? AND ${dialect.among('part.key', 'bigint')}`, values: [user, members] }
}

/** By the version that a memory had at that time, superseded or not, unless it had expired. */
function seenAt({ now, asOf }: SeenQuery): Where {
  const latest = asOf === undefined ? { sql: 'n.current', values: [] } : latestAt(asOf)
  return { sql: `${latest.sql} AND ${versionNotExpired}`, values: [...latest.values, asOf ?? now] }
}

/** Further conditions on `e`, each starting with AND: its type, and a text in one of its names. */
export function entitiesShown({ dialect }: Session, { type, q }: Pick<SeenQuery, 'type' | 'q'>): Where {
  const where: string[] = []
  const values: Value[] = []
  if (type !== undefined) {
    where.push('AND e.type = ?')
    values.push(type)
  }
  if (q !== undefined) {
    const contains = containing(dialect, 's.spelling', q)
    where.push(`AND EXISTS (SELECT 1 FROM entities own CROSS JOIN entity_spellings s
       WHERE own.user_id = e.user_id AND (own.key = e.key OR own.merged_into = e.key)
         AND s.user_id = own.user_id AND s.entity = own.key AND ${contains.sql})`)
    values.push(...contains.values)
  }
  return { sql: where.map((condition) => ` ${condition}`).join(''), values }
}

/** Entity keys are looked up per user: on PostgreSQL two users may have the same key. */
export function keysByUser(
  session: Session,
  rows: readonly { readonly user_id: UserKey; readonly key: number }[],
): { readonly user: UserData; readonly keys: readonly number[] }[] {
  return [...new Set(rows.map((row) => row.user_id))].map((user) => ({
    user: new UserData(session, user),
    keys: rows.flatMap((row) => (row.user_id === user ? [row.key] : [])),
  }))
}

export function placeOf(user: UserKey, entity: number): string {
  return `${entity} ${user}`
}

type Aliases = ReadonlyMap<string, readonly string[]>

/** All spellings of these entities, by `placeOf`. */
export async function loadAliases(
  session: Session,
  rows: readonly { readonly user_id: UserKey; readonly key: number }[],
): Promise<Aliases> {
  const aliases = new Map<string, string[]>()
  const load = async (user: UserData, keys: readonly number[]) => {
    const spellings = await user.all<{ root: number; spelling: string }>(
      `SELECT DISTINCT ${rootOf('own')} AS root, s.spelling FROM entities own CROSS JOIN entity_spellings s
       WHERE own.user_id = @user AND own.key IN (${namesOfRoots(user.dialect)})
         AND s.user_id = @user AND s.entity = own.key ORDER BY s.spelling`,
      keys,
      keys,
    )
    for (const { root, spelling } of spellings) {
      const place = placeOf(user.key, root)
      const known = aliases.get(place)
      if (known) known.push(spelling)
      else aliases.set(place, [spelling])
    }
  }
  await Promise.all(keysByUser(session, rows).map(({ user, keys }) => load(user, keys)))
  return aliases
}

export function entityOf(row: Row, aliases: Aliases): Entity {
  const spellings = aliases.get(placeOf(row.user_id, row.key)) ?? []
  return {
    id: row.id,
    userId: row.userId,
    name: row.name,
    type: row.type,
    aliases: spellings.filter((spelling) => spelling !== row.name),
    memoryCount: row.memoryCount,
    firstSeen: row.firstSeen,
    lastSeen: row.lastSeen,
  }
}
