import type { Scope } from '../../../core/scope.js'
import { type ContradictionRow, contradictionOf } from '../../domain/contradiction-row.js'
import { isStorable } from '../../domain/storable-text.js'
import type { Contradiction, ContradictionQuery } from '../../ports/contradictions.js'
import type { Page } from '../../ports/memory-reads.js'
import type { Condition, Dialect } from '../dialect.js'
import { fitting } from '../page-bytes.js'
import type { Session, Value } from '../session.js'
import { usersIn } from '../user-data.js'

export async function listContradictions(
  session: Session,
  scope: Scope,
  query: ContradictionQuery,
): Promise<Page<Contradiction>> {
  const within = await contradictionsIn(session, scope)
  if (!within) return { items: [], total: 0, next: null }
  const where = [within.sql]
  const values: Value[] = [...within.values]
  if (query.status !== undefined) {
    where.push('c.status = ?')
    values.push(query.status)
  }
  if (!query.includeExpired) {
    where.push(bothAlive)
    values.push(query.now, query.now)
  }
  const condition = where.join(' AND ')
  const after = query.cursor ? [query.cursor.at, query.cursor.id] : []
  const read = <Row>(columns: string, most: number) =>
    session.all<Row>(
      `${columns} WHERE ${condition}${query.cursor ? ' AND (c.created_at, c.id) < (?, ?)' : ''}
       ORDER BY c.created_at DESC, c.id DESC LIMIT ? OFFSET ?`,
      ...values,
      ...after,
      most,
      query.offset ?? 0,
    )
  const [counted, sizes] = await Promise.all([
    session.get<{ total: number }>(`SELECT count(*) AS total ${joined} WHERE ${condition}`, ...values),
    read<{ bytes: number }>(
      `SELECT octet_length(${content('old_version')}) + octet_length(${content('new_version')}) AS bytes ${joined}`,
      query.limit + 1,
    ),
  ])
  const { length } = fitting(sizes.slice(0, query.limit), ({ bytes }) => bytes)
  const items = (await read<ContradictionRow>(selected(session.dialect), length)).map(contradictionOf)
  const last = items.at(-1)
  return {
    items,
    total: counted?.total ?? 0,
    next: last && sizes.length > length ? { at: last.createdAt, id: last.id } : null,
  }
}

export async function findContradiction(
  session: Session,
  scope: Scope,
  contradictionId: string,
  now: number,
): Promise<Contradiction | null> {
  const within = await contradictionsIn(session, scope)
  if (!within || !isStorable(contradictionId)) return null
  const row = await session.get<ContradictionRow>(
    `${selected(session.dialect)} WHERE c.id = ? AND ${within.sql} AND ${bothAlive}`,
    contradictionId,
    ...within.values,
    now,
    now,
  )
  return row ? contradictionOf(row) : null
}

const bothAlive = '(o.expires_at IS NULL OR o.expires_at > ?) AND (n.expires_at IS NULL OR n.expires_at > ?)'

const joined = `FROM contradictions c JOIN memories o ON o.user_id = c.user_id AND o.key = c.old_memory
  JOIN memories n ON n.user_id = c.user_id AND n.key = c.new_memory`

const content = (version: string) =>
  `(SELECT v.content FROM versions v WHERE v.user_id = c.user_id AND v.row = c.${version})`
const successor = (side: string) =>
  `(SELECT s.id FROM memories s WHERE s.user_id = c.user_id AND s.key = ${side}.superseded_by)`

const selected = (dialect: Dialect) => `SELECT c.id, ${dialect.userId('c')} AS user_id, n.project, c.status, c.why,
    ${dialect.jsonText('c.reason')} AS reason, c.created_at, c.decided_at, c.part_start, c.part_end,
    o.id AS old_id, ${content('old_version')} AS old_content,
    o.created_at AS old_created_at, o.expires_at AS old_expires_at, o.superseded_at AS old_superseded_at,
    ${successor('o')} AS old_superseded_by,
    n.id AS new_id, ${content('new_version')} AS new_content,
    n.created_at AS new_created_at, n.expires_at AS new_expires_at, n.superseded_at AS new_superseded_at,
    ${successor('n')} AS new_superseded_by
  ${joined}`

/** With a project: only where both sides are in it. */
async function contradictionsIn(session: Session, scope: Scope): Promise<Condition | null> {
  const users = await usersIn(session, scope, 'c')
  if (!users || scope.kind === 'nobody' || scope.project === undefined) return users
  if (!isStorable(scope.project)) return null
  return {
    sql: `${users.sql} AND o.project = ? AND n.project = ?`,
    values: [...users.values, scope.project, scope.project],
  }
}
