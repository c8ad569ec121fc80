import type { Memory } from '../../../core/memory.js'
import type { Scope } from '../../../core/scope.js'
import { isStorable } from '../../domain/storable-text.js'
import type { ListQuery, Page } from '../../ports/memory-reads.js'
import { containing } from '../containing.js'
import { groupOf } from '../entities/entity-groups.js'
import { type BoundCondition, filterCondition } from '../filter.js'
import { fittingVersions } from '../page-bytes.js'
import type { Session, UserKey, Value } from '../session.js'
import { memoriesIn, notExpired, UserData } from '../user-data.js'
import { heldAt, versionNotExpired, versionsIn } from './as-of.js'
import { loadOwnMemories } from './memory-rows.js'

interface Listed {
  readonly id: string
  readonly user_id: UserKey
  /** The time that the list is ordered by. */
  readonly at: number
  readonly row: number
}

/** Conditions of a page, and of the count over all pages. */
interface Selection {
  readonly from: string
  readonly where: string
  readonly values: readonly Value[]
  readonly order: Order
  /** The version to show. */
  readonly row: 'm.current_row' | 'v.row'
}

interface Order {
  readonly column: 'm.created_at' | 'm.expires_at' | 'v.expires_at'
  readonly direction: 'ASC' | 'DESC'
}

export async function list(session: Session, scope: Scope, page: ListQuery): Promise<Page<Memory>> {
  const selection =
    page.asOf === undefined ? await select(session, scope, page) : await selectAsOf(session, scope, page, page.asOf)
  if (!selection) return { items: [], total: 0, next: null }
  const [rows, total] = await Promise.all([pageOf(session, page, selection), count(session, scope, page, selection)])
  const shown = await fittingVersions(session, rows.slice(0, page.limit))
  const last = shown.at(-1)
  return {
    items: await loadOwnMemories(session, shown, page.asOf),
    total,
    next: rows.length > shown.length && last ? { at: last.at, id: last.id } : null,
  }
}

const newestFirst: Order = { column: 'm.created_at', direction: 'DESC' }

/** One more than the page size, to see whether another page follows. */
function pageOf(session: Session, page: ListQuery, selection: Selection): Promise<Listed[]> {
  const { from, where, order, row, values } = selection
  const { column, direction } = order
  const after = page.cursor ? [page.cursor.at, page.cursor.id] : []
  return session.all<Listed>(
    `SELECT m.id, m.user_id, ${column} AS at, ${row} AS row FROM ${from}
     WHERE ${where}${page.cursor ? ` AND (${column}, m.id) ${direction === 'ASC' ? '>' : '<'} (?, ?)` : ''}
     ORDER BY ${column} ${direction}, m.id ${direction} LIMIT ? OFFSET ?`,
    ...values,
    ...after,
    page.limit + 1,
    page.offset ?? 0,
  )
}

async function count(session: Session, scope: Scope, page: ListQuery, selection: Selection): Promise<number> {
  const { from, where, values } = selection
  const total = (sql: string, ...bound: readonly Value[]) =>
    session.get<{ total: number }>(sql, ...bound).then((row) => row?.total ?? 0)
  const isPlain =
    [page.q, page.entityId, page.asOf, page.flagged, page.filter].every((asked) => asked === undefined) &&
    page.order !== 'expiry'
  const within = isPlain && !page.includeExpired ? await memoriesIn(session, scope) : null
  if (!within) return total(`SELECT count(*) AS total FROM ${from} WHERE ${where}`, ...values)
  // Two ranges of one index instead of a scan of all memories.
  const range = (expiry: string) =>
    `(SELECT count(*) FROM memories m WHERE ${within.sql} AND m.superseded_at IS NULL AND ${expiry})`
  return total(
    `SELECT ${range('m.expires_at IS NULL')} + ${range('m.expires_at > ?')} AS total`,
    ...within.values,
    ...within.values,
    page.now,
  )
}

async function select(session: Session, scope: Scope, page: ListQuery): Promise<Selection | null> {
  const within = await memoriesIn(session, scope)
  const asked = within && (await askedFor(session, scope, page, 'm.key IN (SELECT n.memory', 'n.current'))
  if (!asked) return null
  const conditions = [within, { sql: 'm.superseded_at IS NULL', values: [] }, ...asked]
  if (!page.includeExpired) conditions.push({ sql: notExpired, values: [page.now] })
  if (page.order === 'expiry') conditions.push({ sql: 'm.expires_at IS NOT NULL', values: [] })
  const isOfVersion = [page.q, page.flagged, page.filter].some((asked) => asked !== undefined)
  const versions = !isOfVersion ? '' : ' JOIN versions v ON v.user_id = m.user_id AND v.row = m.current_row'
  return {
    from: `memories m${versions}`,
    ...joined(conditions),
    order: page.order === 'expiry' ? { column: 'm.expires_at', direction: 'ASC' } : newestFirst,
    row: 'm.current_row',
  }
}

/** The versions of that time. This reads the whole scope: no index covers past states. */
async function selectAsOf(session: Session, scope: Scope, page: ListQuery, asOf: number): Promise<Selection | null> {
  const within = await versionsIn(session, scope)
  const asked = within && (await askedFor(session, scope, page, 'v.row IN (SELECT n.version', 'TRUE'))
  if (!asked) return null
  const conditions = [within, heldAt(asOf), ...asked]
  if (!page.includeExpired) conditions.push({ sql: versionNotExpired, values: [asOf] })
  if (page.order === 'expiry') conditions.push({ sql: 'v.expires_at IS NOT NULL', values: [] })
  return {
    from: 'versions v JOIN memories m ON m.user_id = v.user_id AND m.key = v.memory',
    ...joined(conditions),
    order: page.order === 'expiry' ? { column: 'v.expires_at', direction: 'ASC' } : newestFirst,
    row: 'v.row',
  }
}

function joined(conditions: readonly BoundCondition[]): Pick<Selection, 'where' | 'values'> {
  return {
    where: conditions.map(({ sql }) => sql).join(' AND '),
    values: conditions.flatMap(({ values }) => values),
  }
}

/** The conditions for `entityId`, `q`, `flagged` and `filter`. Null: nothing can meet them. */
async function askedFor(
  session: Session,
  scope: Scope,
  page: ListQuery,
  chosen: string,
  condition: string,
): Promise<BoundCondition[] | null> {
  const asked: BoundCondition[] = []
  if (page.entityId !== undefined) {
    const mentions = await mentionsOf(session, page.entityId, chosen, condition)
    if (!mentions) return null
    asked.push(mentions)
  }
  if (page.q !== undefined) {
    if (!isStorable(page.q)) return null
    asked.push(containing(session.dialect, 'v.content', page.q))
  }
  if (page.flagged !== undefined) asked.push({ sql: 'v.flagged = ?', values: [page.flagged] })
  if (page.filter !== undefined) {
    const condition = await filterCondition(session, scope, page.filter)
    if (!condition) return null
    asked.push(condition)
  }
  return asked
}

/** The memory, or the version, mentions the entity under any of its names. */
async function mentionsOf(
  session: Session,
  entityId: string,
  chosen: string,
  condition: string,
): Promise<BoundCondition | null> {
  if (!isStorable(entityId)) return null
  const entity = await session.get<{ user_id: UserKey; key: number }>(
    'SELECT user_id, key FROM entities WHERE id = ?',
    entityId,
  )
  if (!entity) return null
  const group = await groupOf(new UserData(session, entity.user_id), entity.key)
  return {
    sql: `m.user_id = ? AND ${chosen} FROM mentions n
      WHERE n.user_id = ? AND ${session.dialect.among('n.entity', 'bigint')} AND ${condition})`,
    values: [entity.user_id, entity.user_id, group],
  }
}
