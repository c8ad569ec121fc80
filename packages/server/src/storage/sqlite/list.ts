import type { Memory } from '../../core/memory.js'
import type { Scope } from '../../core/scope.js'
import type { ListCursor, ListQuery, Page } from '../ports/storage.js'
import { heldAt, versionNotExpired, versionsIn } from './as-of.js'
import type { Database, Value } from './database.js'
import { groupOf } from './entity-groups.js'
import { loadMemories } from './memory-rows.js'
import { containing } from './text.js'
import { memoriesIn, notExpired } from './user-rows.js'

interface Listed {
  readonly id: string
  readonly created_at: number
  readonly row: number
}

/** The conditions of a page, and of the count of all its pages. */
interface Selection {
  readonly from: string
  readonly where: string
  readonly order: string
  /** The version that is shown. */
  readonly row: 'm.current_row' | 'v.row'
  readonly values: readonly Value[]
}

export function list(db: Database, scope: Scope, page: ListQuery): Page<Memory> {
  const selection = page.asOf === undefined ? select(db, scope, page) : selectAsOf(db, scope, page, page.asOf)
  if (!selection) return { items: [], total: 0, next: null }
  const { rows, total } =
    page.q === undefined
      ? { rows: pageOf(db, page, selection), total: count(db, scope, page, selection) }
      : scan(db, page, selection)
  const shown = rows.slice(0, page.limit)
  const last = shown.at(-1)
  const loaded = loadMemories(
    db,
    shown.map(({ row }) => row),
    page.asOf,
  )
  return {
    items: loaded.map(({ memory }) => memory),
    total,
    next:
      rows.length > page.limit && last && page.order !== 'expiry' ? { createdAt: last.created_at, id: last.id } : null,
  }
}

/** One more than the page holds, to tell whether another follows. */
function pageOf(db: Database, page: ListQuery, { from, where, order, row, values }: Selection): Listed[] {
  const after = page.cursor ? [page.cursor.createdAt, page.cursor.id] : []
  return db.all<Listed>(
    `SELECT m.id, m.created_at, ${row} AS row FROM ${from}
     WHERE ${where}${page.cursor ? ' AND (m.created_at, m.id) < (?, ?)' : ''} ORDER BY ${order} LIMIT ? OFFSET ?`,
    ...values,
    ...after,
    page.limit + 1,
    page.offset ?? 0,
  )
}

/** Text is looked for in every memory anyway: one pass gives the page and the count. */
function scan(db: Database, page: ListQuery, { from, where, order, row: shown, values }: Selection) {
  const rows: Listed[] = []
  let total = 0
  let toSkip = page.offset ?? 0
  const matches = db.iterate<readonly [id: string, createdAt: number, row: number]>(
    `SELECT m.id, m.created_at, ${shown} FROM ${from} WHERE ${where} ORDER BY ${order}`,
    ...values,
  )
  for (const [id, created_at, row] of matches) {
    total++
    if (rows.length > page.limit || !isAfter(page.cursor, created_at, id)) continue
    if (toSkip > 0) toSkip--
    else rows.push({ id, created_at, row })
  }
  return { rows, total }
}

function isAfter(cursor: ListCursor | undefined, createdAt: number, id: string): boolean {
  return !cursor || createdAt < cursor.createdAt || (createdAt === cursor.createdAt && id < cursor.id)
}

function select(db: Database, scope: Scope, page: ListQuery): Selection | null {
  const within = memoriesIn(db, scope)
  if (!within) return null
  const from: string[] = []
  const where = [within.sql, 'm.superseded_at IS NULL']
  const values: Value[] = []
  if (page.entityId === undefined) from.push('memories m')
  else {
    const entity = db.get<{ key: number }>('SELECT key FROM entities WHERE id = ?', page.entityId)
    if (!entity) return null
    const [root, ...parts] = groupOf(db, entity.key)
    from.push('mentions n CROSS JOIN memories m ON m.key = n.memory')
    where.unshift(parts.length === 0 ? 'n.entity = ? AND n.current = 1' : mentionsOnce)
    const group = JSON.stringify([root, ...parts])
    values.push(...(parts.length === 0 ? [root ?? entity.key] : [group, group]))
  }
  values.push(...within.values)
  if (!page.includeExpired) {
    where.push(notExpired)
    values.push(page.now)
  }
  if (page.q !== undefined) {
    const contains = containing('v.content', page.q)
    from.push('CROSS JOIN versions v ON v.row = m.current_row')
    where.push(contains.sql)
    values.push(...contains.values)
  }
  const age = page.entityId === undefined ? 'm.created_at' : 'n.memory_created_at'
  if (page.order === 'expiry') where.push('m.expires_at IS NOT NULL')
  const order = page.order === 'expiry' ? 'm.expires_at, m.id' : `${age} DESC, m.id DESC`
  return { from: from.join(' '), where: where.join(' AND '), order, row: 'm.current_row', values }
}

/** The versions of that moment: a look at all of the scope, as no index knows what was current when. */
function selectAsOf(db: Database, scope: Scope, page: ListQuery, asOf: number): Selection | null {
  const within = versionsIn(db, scope)
  if (!within) return null
  const held = heldAt(asOf)
  const where = [within.sql, held.sql]
  const values: Value[] = [...within.values, ...held.values]
  if (page.entityId !== undefined) {
    const entity = db.get<{ key: number }>('SELECT key FROM entities WHERE id = ?', page.entityId)
    if (!entity) return null
    where.push('v.row IN (SELECT n.version FROM mentions n WHERE n.entity IN (SELECT value FROM json_each(?)))')
    values.push(JSON.stringify(groupOf(db, entity.key)))
  }
  if (!page.includeExpired) {
    where.push(versionNotExpired)
    values.push(asOf)
  }
  if (page.q !== undefined) {
    const contains = containing('v.content', page.q)
    where.push(contains.sql)
    values.push(...contains.values)
  }
  if (page.order === 'expiry') where.push('v.expires_at IS NOT NULL')
  return {
    from: 'versions v CROSS JOIN memories m ON m.key = v.memory',
    where: where.join(' AND '),
    order: page.order === 'expiry' ? 'v.expires_at, m.id' : 'm.created_at DESC, m.id DESC',
    row: 'v.row',
    values,
  }
}

/** A memory may name two that were merged: one of its mentions stands for it. */
const mentionsOnce = `n.entity IN (SELECT value FROM json_each(?)) AND n.current = 1 AND NOT EXISTS (
  SELECT 1 FROM mentions o WHERE o.version = n.version AND o.entity < n.entity
    AND o.entity IN (SELECT value FROM json_each(?)))`

function count(db: Database, scope: Scope, page: ListQuery, selection: Selection): number {
  const plain =
    page.q === undefined &&
    page.entityId === undefined &&
    page.asOf === undefined &&
    page.order !== 'expiry' &&
    !page.includeExpired
  const within = plain && scope.kind === 'user' ? memoriesIn(db, scope) : null
  if (within) {
    // Two ranges of one covering index, instead of a look at every memory.
    const range = (expiry: string) =>
      `(SELECT count(*) FROM memories m INDEXED BY memories_to_count
        WHERE ${within.sql} AND m.superseded_at IS NULL AND ${expiry})`
    return (
      db.get<{ total: number }>(
        `SELECT ${range('m.expires_at IS NULL')} + ${range('m.expires_at > ?')} AS total`,
        ...within.values,
        ...within.values,
        page.now,
      )?.total ?? 0
    )
  }
  const { from, where, values } = selection
  return db.get<{ total: number }>(`SELECT count(*) AS total FROM ${from} WHERE ${where}`, ...values)?.total ?? 0
}
