import type { Memory } from '../../core/memory.js'
import type { Scope } from '../../core/scope.js'
import { isStorable } from '../storable-text.js'
import type { ListQuery, Page } from '../storage.js'
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
  readonly values: readonly Value[]
}

export async function list(db: Database, scope: Scope, page: ListQuery): Promise<Page<Memory>> {
  const selection = await select(db, scope, page)
  if (!selection) return { items: [], total: 0, next: null }
  const { from, where, values } = selection
  const [rows, counted] = await Promise.all([
    pageOf(db, page, selection),
    db.get<{ total: number }>(`SELECT count(*) AS total FROM ${from} WHERE ${where}`, ...values),
  ])
  const shown = rows.slice(0, page.limit)
  const last = shown.at(-1)
  return {
    items: await loadOwnMemories(db, shown),
    total: counted?.total ?? 0,
    next: rows.length > page.limit && last ? { createdAt: last.created_at, id: last.id } : null,
  }
}

/** One more than the page holds, to tell whether another follows. */
function pageOf(db: Database, page: ListQuery, { from, where, values }: Selection): Promise<Listed[]> {
  const after = page.cursor ? [page.cursor.createdAt, page.cursor.id] : []
  return db.all<Listed>(
    `SELECT m.id, m.user_id, m.created_at, m.current_row AS row FROM ${from}
     WHERE ${where}${page.cursor ? ' AND (m.created_at, m.id) < (?, ?)' : ''}
     ORDER BY m.created_at DESC, m.id DESC LIMIT ? OFFSET ?`,
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
    const mentions = await mentionsOf(db, page.entityId)
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
  return { from: from.join(' '), where: where.join(' AND '), values }
}

/** That a memory mentions the entity, under any of its names. */
async function mentionsOf(db: Database, entityId: string) {
  if (!isStorable(entityId)) return null
  const entity = await db.get<{ user_id: string; key: number }>(
    'SELECT user_id, key FROM entities WHERE id = ?',
    entityId,
  )
  if (!entity) return null
  const group = await groupOf(new UserData(db, entity.user_id), entity.key)
  return {
    sql: `m.user_id = ? AND m.key IN (SELECT n.memory FROM mentions n
      WHERE n.user_id = ? AND n.entity = ANY (?::bigint[]) AND n.current)`,
    values: [entity.user_id, entity.user_id, group],
  }
}
