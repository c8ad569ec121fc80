import type { Memory } from '../../core/memory.js'
import type { Scope } from '../../core/scope.js'
import { isStorable } from '../domain/storable-text.js'
import type { ListQuery, Page } from '../ports/storage.js'
import { heldAt, versionNotExpired, versionsIn } from './as-of.js'
import type { Database, Value } from './database.js'
import { groupOf } from './entity-groups.js'
import { loadOwnMemories } from './memory-rows.js'
import { containing } from './text.js'
import { UserData } from './user-data.js'
import { memoriesIn, notExpired } from './user-rows.js'

interface Listed {
  readonly id: string
  readonly user_id: string
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

export async function list(db: Database, scope: Scope, page: ListQuery): Promise<Page<Memory>> {
  const selection =
    page.asOf === undefined ? await select(db, scope, page) : await selectAsOf(db, scope, page, page.asOf)
  if (!selection) return { items: [], total: 0, next: null }
  const { from, where, values } = selection
  const [rows, counted] = await Promise.all([
    pageOf(db, page, selection),
    db.get<{ total: number }>(`SELECT count(*) AS total FROM ${from} WHERE ${where}`, ...values),
  ])
  const shown = rows.slice(0, page.limit)
  const last = shown.at(-1)
  return {
    items: await loadOwnMemories(db, shown, page.asOf),
    total: counted?.total ?? 0,
    next:
      rows.length > page.limit && last && page.order !== 'expiry' ? { createdAt: last.created_at, id: last.id } : null,
  }
}

/** One more than the page holds, to tell whether another follows. */
function pageOf(db: Database, page: ListQuery, { from, where, order, row, values }: Selection): Promise<Listed[]> {
  const after = page.cursor ? [page.cursor.createdAt, page.cursor.id] : []
  return db.all<Listed>(
    `SELECT m.id, m.user_id, m.created_at, ${row} AS row FROM ${from}
     WHERE ${where}${page.cursor ? ' AND (m.created_at, m.id) < (?, ?)' : ''}
     ORDER BY ${order} LIMIT ? OFFSET ?`,
    ...values,
    ...after,
    page.limit + 1,
    page.offset ?? 0,
  )
}

async function select(db: Database, scope: Scope, page: ListQuery): Promise<Selection | null> {
  const within = memoriesIn(scope)
  if (!within) return null
  const from = ['memories m']
  const where = [within.sql, 'm.superseded_at IS NULL']
  const values: Value[] = [...within.values]
  if (page.entityId !== undefined) {
    const mentions = await mentionsOf(db, page.entityId, 'm.key IN (SELECT n.memory', 'n.current')
    if (!mentions) return null
    where.push(mentions.sql)
    values.push(...mentions.values)
  }
  if (!page.includeExpired) {
    where.push(notExpired)
    values.push(page.now)
  }
  if (page.q !== undefined) {
    if (!isStorable(page.q)) return null
    const contains = containing('v.content', page.q)
    from.push('JOIN versions v ON v.user_id = m.user_id AND v.row = m.current_row')
    where.push(contains.sql)
    values.push(...contains.values)
  }
  if (page.order === 'expiry') where.push('m.expires_at IS NOT NULL')
  return {
    from: from.join(' '),
    where: where.join(' AND '),
    order: page.order === 'expiry' ? 'm.expires_at, m.id' : 'm.created_at DESC, m.id DESC',
    row: 'm.current_row',
    values,
  }
}

/** The versions of that moment: a look at all of the scope, as no index knows what was current when. */
async function selectAsOf(db: Database, scope: Scope, page: ListQuery, asOf: number): Promise<Selection | null> {
  const within = versionsIn(scope)
  if (!within) return null
  const held = heldAt(asOf)
  const where = [within.sql, held.sql]
  const values: Value[] = [...within.values, ...held.values]
  if (page.entityId !== undefined) {
    const mentions = await mentionsOf(db, page.entityId, 'v.row IN (SELECT n.version', 'TRUE')
    if (!mentions) return null
    where.push(mentions.sql)
    values.push(...mentions.values)
  }
  if (!page.includeExpired) {
    where.push(versionNotExpired)
    values.push(asOf)
  }
  if (page.q !== undefined) {
    if (!isStorable(page.q)) return null
    const contains = containing('v.content', page.q)
    where.push(contains.sql)
    values.push(...contains.values)
  }
  if (page.order === 'expiry') where.push('v.expires_at IS NOT NULL')
  return {
    from: 'versions v JOIN memories m ON m.user_id = v.user_id AND m.key = v.memory',
    where: where.join(' AND '),
    order: page.order === 'expiry' ? 'v.expires_at, m.id' : 'm.created_at DESC, m.id DESC',
    row: 'v.row',
    values,
  }
}

/** That a memory, or a version, mentions the entity, under any of its names. */
async function mentionsOf(db: Database, entityId: string, chosen: string, condition: string) {
  if (!isStorable(entityId)) return null
  const entity = await db.get<{ user_id: string; key: number }>(
    'SELECT user_id, key FROM entities WHERE id = ?',
    entityId,
  )
  if (!entity) return null
  const group = await groupOf(new UserData(db, entity.user_id), entity.key)
  return {
    sql: `m.user_id = ? AND ${chosen} FROM mentions n
      WHERE n.user_id = ? AND n.entity = ANY (?::bigint[]) AND ${condition})`,
    values: [entity.user_id, entity.user_id, group],
  }
}
