import {
  type EventAction,
  type EventMark,
  type EventType,
  endOf,
  isBefore,
  type MemoryEvent,
} from '../../../core/memory-event.js'
import type { NobodyScope, Scope, UserScope } from '../../../core/scope.js'
import { isStorable } from '../../domain/storable-text.js'
import type { EventSlice } from '../../ports/event-log.js'
import { type TextsColumn, textsOf } from '../columns.js'
import type { Session, Transact } from '../session.js'
import { dataOf, type UserData, usersIn } from '../user-data.js'
import { UserWrite } from '../user-write.js'
import { allItems, subjectIn } from './item-events.js'
import { trimUpTo } from './write-events.js'

export interface EventRow {
  readonly revision: number
  readonly position: number
  readonly at: number
  readonly type: EventType
  readonly action: EventAction
  readonly memory_id: string
  readonly project: string | null
  readonly checksum: string | null
  readonly related: TextsColumn
}

const nothing: EventSlice = { events: [], mark: endOf(0), more: false, missedUpTo: null }

export async function events(
  session: Session,
  scope: UserScope | NobodyScope,
  after: EventMark | null,
  limit: number,
): Promise<EventSlice> {
  const data = scope.kind === 'user' ? await dataOf(session, scope.userId) : undefined
  const user = await data?.get<{ revision: number; event_floor: number }>(
    'SELECT revision, event_floor FROM users WHERE user_id = @user',
  )
  if (scope.kind !== 'user' || !data || !user) return nothing
  const floor = endOf(user.event_floor)
  const isMissing = after !== null && (isBefore(after, floor) || after.revision > user.revision)
  const from = after === null || isMissing ? floor : after
  const rows = isStorable(scope.project ?? '') ? await rowsAfter(data, from, scope.project, limit + 1) : []
  const more = rows.length > limit
  const shown = rows.slice(0, limit).map((row) => eventOf(row, scope.userId))
  const mark = more ? (shown.at(-1)?.mark ?? from) : endOf(user.revision)
  return { events: shown, mark, more, missedUpTo: isMissing ? floor : null }
}

/** A forgotten memory no longer has a project, so its event goes to every project. So do items that were erased with everything else. */
function rowsAfter(data: UserData, from: EventMark, project: string | undefined, limit: number): Promise<EventRow[]> {
  const inProject =
    project === undefined ? '' : ` AND (project = ? OR type = 'memory.forgotten' OR memory_id = '${allItems}')`
  return data.all<EventRow>(
    `SELECT revision, position, at, type, action, memory_id, project, checksum, related FROM events
     WHERE user_id = @user AND (revision, position) > (CAST(? AS bigint), CAST(? AS bigint))${inProject}
     ORDER BY revision, position LIMIT ?`,
    from.revision,
    from.position,
    ...(project === undefined ? [] : [project]),
    limit,
  )
}

export function eventOf(row: EventRow, userId: string): MemoryEvent {
  return {
    mark: { revision: row.revision, position: row.position },
    userId,
    type: row.type,
    action: row.action,
    project: row.project,
    checksum: row.checksum,
    ...subjectIn(row.type, row.memory_id, [...textsOf(row.related)]),
    at: row.at,
  }
}

export async function revisionsOf(session: Session, userIds: readonly string[]): Promise<number[]> {
  const { dialect } = session
  const id = dialect.idOfUser('u')
  const rows = await session.all<{ id: string; revision: number }>(
    `SELECT ${id} AS id, u.revision FROM users u WHERE ${dialect.among(id, 'text')}`,
    userIds.filter(isStorable),
  )
  const revisions = new Map(rows.map((row) => [row.id, row.revision]))
  return userIds.map((userId) => revisions.get(userId) ?? 0)
}

/* ------------------------------------------------------------------ memories that expire */

const isUntold = 'm.expires_at > u.expiry_told AND m.superseded_at IS NULL'

export async function usersToTellOfExpiry(
  session: Session,
  scope: Scope,
  since: number,
  now: number,
): Promise<string[]> {
  const within = await usersIn(session, scope, 'm')
  if (!within) return []
  // CROSS JOIN fixes SQLite's order of the loops: few memories expire in a second, and there may be many users.
  const rows = await session.all<{ id: string }>(
    `SELECT DISTINCT ${session.dialect.idOfUser('u')} AS id FROM memories m CROSS JOIN users u
     WHERE u.user_id = m.user_id AND m.expires_at > ? AND m.expires_at <= ? AND ${within.sql} AND ${isUntold} ORDER BY id`,
    since,
    now,
    ...within.values,
  )
  return rows.map(({ id }) => id)
}

export async function tellOfExpiry(session: Session, scope: UserScope, now: number): Promise<number> {
  // A second instance waits here, and then finds nothing left to report.
  const user = await dataOf(session, scope.userId)
  const write = user && (await UserWrite.begin(user))
  if (!write) return 0
  const rows = await write.all<{ id: string; project: string | null }>(
    `SELECT m.id, m.project FROM memories m JOIN users u ON u.user_id = m.user_id
     WHERE m.user_id = @user AND m.expires_at <= ? AND ${isUntold} ORDER BY m.expires_at, m.key`,
    now,
  )
  if (rows.length === 0) return 0
  for (const { id, project } of rows) {
    const memory = { memoryId: id, project, checksum: null, relatedIds: [] }
    // The time of the report, not of the expiry: the log is ordered by time.
    write.tell({ type: 'memory.expired', action: 'EXPIRE', ...memory, at: now })
  }
  await write.end()
  await write.send('UPDATE users SET expiry_told = ? WHERE user_id = @user', now)
  return rows.length
}

/* ------------------------------------------------------------------ events that are too old */

export async function trimEvents(transact: Transact, scope: Scope, before: number): Promise<number> {
  let trimmed = 0
  for (const { userId, revision } of await transact(scope, findOldEvents, scope, before)) {
    const owner = { kind: 'user', userId } as const
    trimmed += await transact(owner, trimUser, owner, revision)
  }
  return trimmed
}

interface OldEvents {
  readonly userId: string
  /** The latest of them. */
  readonly revision: number
}

export async function findOldEvents(session: Session, scope: Scope, before: number): Promise<OldEvents[]> {
  const within = await usersIn(session, scope, 'e')
  if (!within) return []
  return session.all<OldEvents>(
    `SELECT ${session.dialect.userId('old')} AS "userId", old.revision
     FROM (SELECT e.user_id, max(e.revision) AS revision FROM events e WHERE e.at < ? AND ${within.sql} GROUP BY e.user_id) old`,
    before,
    ...within.values,
  )
}

export async function trimUser(session: Session, scope: UserScope, revision: number): Promise<number> {
  const user = await dataOf(session, scope.userId)
  return user ? trimUpTo(user, revision) : 0
}
