/** Entities by one pass over all mentions of the scope: for a moment of the past, and for a picture of all. */
import type { EntityType } from '../../core/entity.js'
import type { Scope } from '../../core/scope.js'
import { isStorable } from '../domain/storable-text.js'
import type { Entity } from '../ports/storage.js'
import { latestAt, versionNotExpired } from './as-of.js'
import type { Database, Value } from './database.js'
import { containing } from './text.js'
import { UserData } from './user-data.js'
import { type Condition, usersIn } from './user-rows.js'

export interface SeenQuery {
  readonly now: number
  readonly asOf?: number
  readonly type?: EntityType
  readonly q?: string
  /** Only this one and its parts. */
  readonly group?: readonly number[]
  readonly order: 'lastSeen' | 'memoryCount'
  readonly limit: number
  readonly offset: number
}

export interface SeenEntity extends Entity {
  readonly key: number
}

type Row = Omit<SeenEntity, 'aliases'>

const orders = {
  lastSeen: 'seen.last DESC, e.id DESC',
  memoryCount: 'seen.count DESC, seen.last DESC, e.id DESC',
}

export async function seenEntities(
  db: Database,
  scope: Scope,
  query: SeenQuery,
): Promise<{ items: SeenEntity[]; total: number }> {
  const within = partsIn(scope, query)
  if (!within || (query.q !== undefined && !isStorable(query.q))) return { items: [], total: 0 }
  const seen = seenAt(query)
  const shown = shownBy(query)
  const holds = query.asOf === undefined ? 'v.valid_to IS NULL' : '(v.valid_to IS NULL OR v.valid_to >= ?)'
  const sql = `FROM (SELECT part.user_id, coalesce(part.merged_into, part.key) AS root,
        min(n.memory_created_at) AS first, max(n.memory_created_at) AS last,
        count(DISTINCT n.memory) FILTER (WHERE ${holds}) AS count
      FROM entities part JOIN mentions n ON n.user_id = part.user_id AND n.entity = part.key
        JOIN versions v ON v.user_id = n.user_id AND v.row = n.version
      WHERE ${within.sql} AND ${seen.sql} GROUP BY 1, 2) seen
    JOIN entities e ON e.user_id = seen.user_id AND e.key = seen.root
    WHERE ${shown.sql}`
  const values = [...(query.asOf === undefined ? [] : [query.asOf]), ...within.values, ...seen.values, ...shown.values]
  const [counted, rows] = await Promise.all([
    db.get<{ total: number }>(`SELECT count(*) AS total ${sql}`, ...values),
    db.all<Row>(
      `SELECT e.key, e.id, e.user_id AS "userId", e.name, e.type, seen.first AS "firstSeen", seen.last AS "lastSeen",
         seen.count AS "memoryCount" ${sql} ORDER BY ${orders[query.order]} LIMIT ? OFFSET ?`,
      ...values,
      query.limit,
      query.offset,
    ),
  ])
  return { items: await described(db, rows), total: counted?.total ?? 0 }
}

/** Of every entity that the scope has, or of those asked for. */
function partsIn(scope: Scope, { group }: SeenQuery): Condition | null {
  const users = usersIn(scope, 'part')
  if (!users || scope.kind === 'nobody') return null
  const where = [users.sql]
  const values: Value[] = [...users.values]
  if (group) {
    where.push('part.key = ANY (?::bigint[])')
    values.push(group)
  }
  if (scope.project !== undefined) {
    if (!isStorable(scope.project)) return null
    where.push('v.project = ?')
    values.push(scope.project)
  }
  return { sql: where.join(' AND '), values }
}

/** By the version that a memory had then, superseded or not, unless it had expired. */
function seenAt({ now, asOf }: SeenQuery): Condition {
  const latest = asOf === undefined ? { sql: 'n.current', values: [] } : latestAt(asOf)
  return { sql: `${latest.sql} AND ${versionNotExpired}`, values: [...latest.values, asOf ?? now] }
}

function shownBy({ type, q }: SeenQuery): Condition {
  const where = ['TRUE']
  const values: Value[] = []
  if (type !== undefined) {
    where.push('e.type = ?')
    values.push(type)
  }
  if (q !== undefined) {
    const contains = containing('s.spelling', q)
    where.push(`EXISTS (SELECT 1 FROM entities own
       JOIN entity_spellings s ON s.user_id = own.user_id AND s.entity = own.key
       WHERE own.user_id = e.user_id AND (own.key = e.key OR own.merged_into = e.key) AND ${contains.sql})`)
    values.push(...contains.values)
  }
  return { sql: where.join(' AND '), values }
}

async function described(db: Database, rows: readonly Row[]): Promise<SeenEntity[]> {
  const aliases = new Map<string, string[]>()
  for (const userId of new Set(rows.map((row) => row.userId))) {
    const keys = rows.flatMap((row) => (row.userId === userId ? [row.key] : []))
    const spellings = await new UserData(db, userId).all<{ root: number; spelling: string }>(
      `SELECT DISTINCT coalesce(own.merged_into, own.key) AS root, s.spelling
       FROM entities own JOIN entity_spellings s ON s.user_id = own.user_id AND s.entity = own.key
       WHERE own.user_id = @user AND (own.key = ANY (?::bigint[]) OR own.merged_into = ANY (?::bigint[]))
       ORDER BY s.spelling`,
      keys,
      keys,
    )
    for (const { root, spelling } of spellings) {
      const known = aliases.get(`${root} ${userId}`)
      if (known) known.push(spelling)
      else aliases.set(`${root} ${userId}`, [spelling])
    }
  }
  return rows.map((row) => ({
    ...row,
    aliases: (aliases.get(`${row.key} ${row.userId}`) ?? []).filter((spelling) => spelling !== row.name),
  }))
}

/** Without the number that only the engine knows. */
export function entityOf({ key: _, ...entity }: SeenEntity): Entity {
  return entity
}
