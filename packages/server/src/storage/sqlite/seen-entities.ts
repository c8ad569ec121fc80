/** Entities by one pass over all mentions of the scope: for a moment of the past, and for a picture of all. */
import type { EntityType } from '../../core/entity.js'
import type { Scope } from '../../core/scope.js'
import type { Entity } from '../ports/storage.js'
import { latestAt, versionNotExpired } from './as-of.js'
import type { Database, Value } from './database.js'
import { containing } from './text.js'
import { type Condition, findUser } from './user-rows.js'

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

type Row = readonly [
  key: number,
  id: string,
  userId: string,
  name: string,
  type: EntityType,
  first: number,
  last: number,
  count: number,
]

const orders = {
  lastSeen: 'seen.last DESC, e.id DESC',
  memoryCount: 'seen.count DESC, seen.last DESC, e.id DESC',
}

export function seenEntities(db: Database, scope: Scope, query: SeenQuery): { items: SeenEntity[]; total: number } {
  const within = partsIn(db, scope, query)
  if (!within) return { items: [], total: 0 }
  const seen = seenAt(query)
  const holds = query.asOf === undefined ? 'v.valid_to IS NULL' : '(v.valid_to IS NULL OR v.valid_to >= ?)'
  const shown = shownBy(query)
  const rows = db.iterate<Row>(
    `SELECT e.key, e.id, u.id, e.name, e.type, seen.first, seen.last, seen.count
     FROM (SELECT ifnull(part.merged_into, part.key) AS root, min(n.memory_created_at) AS first,
             max(n.memory_created_at) AS last, count(DISTINCT CASE WHEN ${holds} THEN n.memory END) AS count
           FROM entities part CROSS JOIN mentions n ON n.entity = part.key CROSS JOIN versions v ON v.row = n.version
           WHERE ${within.sql} AND ${seen.sql} GROUP BY root) seen
       CROSS JOIN entities e ON e.key = seen.root CROSS JOIN users u ON u.key = e.user
     WHERE ${shown.sql} ORDER BY ${orders[query.order]}`,
    ...(query.asOf === undefined ? [] : [query.asOf]),
    ...within.values,
    ...seen.values,
    ...shown.values,
  )
  const page: Row[] = []
  let total = 0
  for (const row of rows) {
    if (total >= query.offset && page.length < query.limit) page.push(row)
    total++
  }
  return { items: described(db, page), total }
}

/** Of every entity that the scope has, or of those asked for. */
function partsIn(db: Database, scope: Scope, { group }: SeenQuery): Condition | null {
  if (scope.kind === 'nobody') return null
  const where: string[] = []
  const values: Value[] = []
  if (scope.kind === 'user') {
    const user = findUser(db, scope.userId)
    if (!user) return null
    where.push('part.user = ?')
    values.push(user.key)
  }
  if (group) {
    where.push('part.key IN (SELECT value FROM json_each(?))')
    values.push(JSON.stringify(group))
  }
  if (scope.project !== undefined) {
    where.push('v.project = ?')
    values.push(scope.project)
  }
  return { sql: where.length === 0 ? 'TRUE' : where.join(' AND '), values }
}

/** By the version that a memory had then, superseded or not, unless it had expired. */
function seenAt({ now, asOf }: SeenQuery): Condition {
  const latest = asOf === undefined ? { sql: 'n.current = 1', values: [] } : latestAt(asOf)
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
    where.push(`EXISTS (SELECT 1 FROM entities own CROSS JOIN entity_spellings s ON s.entity = own.key
       WHERE (own.key = e.key OR own.merged_into = e.key) AND ${contains.sql})`)
    values.push(...contains.values)
  }
  return { sql: where.join(' AND '), values }
}

function described(db: Database, page: readonly Row[]): SeenEntity[] {
  const aliases = new Map<number, string[]>()
  const spellings = db.all<{ root: number; spelling: string }>(
    `SELECT DISTINCT wanted.value AS root, s.spelling FROM json_each(?) wanted
       CROSS JOIN entities own ON own.key = wanted.value OR own.merged_into = wanted.value
       CROSS JOIN entity_spellings s ON s.entity = own.key
     ORDER BY s.spelling`,
    JSON.stringify(page.map(([key]) => key)),
  )
  for (const { root, spelling } of spellings) {
    const known = aliases.get(root)
    if (known) known.push(spelling)
    else aliases.set(root, [spelling])
  }
  return page.map(([key, id, userId, name, type, firstSeen, lastSeen, memoryCount]) => ({
    key,
    id,
    userId,
    name,
    type,
    aliases: (aliases.get(key) ?? []).filter((spelling) => spelling !== name),
    memoryCount,
    firstSeen,
    lastSeen,
  }))
}

/** Without the number that only the engine knows. */
export function entityOf({ key: _, ...entity }: SeenEntity): Entity {
  return entity
}
