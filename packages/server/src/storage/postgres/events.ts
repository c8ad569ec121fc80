import {
  type EventAction,
  type EventMark,
  type EventType,
  endOf,
  isBefore,
  type MemoryEvent,
} from '../../core/memory-event.js'
import type { NobodyScope, Scope, UserScope } from '../../core/scope.js'
import { isStorable } from '../domain/storable-text.js'
import type { EventSlice } from '../ports/event-log.js'
import type { Database } from './database.js'
import type { Transact } from './forget.js'
import { UserData } from './user-data.js'
import { dataOf, UserWrite, usersIn } from './user-rows.js'
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
  readonly related: readonly string[]
}

const nothing: EventSlice = { events: [], mark: endOf(0), more: false, missedUpTo: null }

export async function events(
  db: Database,
  scope: UserScope | NobodyScope,
  after: EventMark | null,
  limit: number,
): Promise<EventSlice> {
  const data = scope.kind === 'user' ? dataOf(db, scope) : undefined
  if (scope.kind !== 'user' || !data) return nothing
  const user = await data.get<{ revision: number; event_floor: number }>(
    'SELECT revision, event_floor FROM users WHERE user_id = @user',
  )
  if (!user) return nothing
  const floor = endOf(user.event_floor)
  const isMissing = after !== null && (isBefore(after, floor) || after.revision > user.revision)
  const from = after === null || isMissing ? floor : after
  const rows = isStorable(scope.project ?? '') ? await rowsAfter(data, from, scope.project, limit + 1) : []
  const more = rows.length > limit
  const shown = rows.slice(0, limit).map((row) => eventOf(row, scope.userId))
  const mark = more ? (shown.at(-1)?.mark ?? from) : endOf(user.revision)
  return { events: shown, mark, more, missedUpTo: isMissing ? floor : null }
}

/** What was forgotten has no project any more: it concerns everyone. */
function rowsAfter(data: UserData, from: EventMark, project: string | undefined, limit: number): Promise<EventRow[]> {
  const inProject = project === undefined ? '' : ` AND (project = ? OR type = 'memory.forgotten')`
  return data.all<EventRow>(
    `SELECT revision, position, at, type, action, memory_id, project, checksum, related FROM events
     WHERE user_id = @user AND (revision, position) > (?::bigint, ?::bigint)${inProject}
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
    memoryId: row.memory_id,
    project: row.project,
    checksum: row.checksum,
    relatedIds: [...row.related],
    at: row.at,
  }
}

export async function revisionsOf(db: Database, userIds: readonly string[]): Promise<number[]> {
  const rows = await db.all<{ user_id: string; revision: number }>(
    'SELECT user_id, revision FROM users WHERE user_id = ANY (?::text[])',
    userIds.filter(isStorable),
  )
  const revisions = new Map(rows.map(({ user_id, revision }) => [user_id, revision]))
  return userIds.map((userId) => revisions.get(userId) ?? 0)
}

/* ------------------------------------------------------------------ what expires by itself */

const isUntold = 'm.expires_at > u.expiry_told AND m.superseded_at IS NULL'

export async function usersToTellOfExpiry(db: Database, scope: Scope, since: number, now: number): Promise<string[]> {
  const within = usersIn(scope, 'm')
  if (!within) return []
  const rows = await db.all<{ user_id: string }>(
    `SELECT DISTINCT m.user_id FROM memories m JOIN users u ON u.user_id = m.user_id
     WHERE m.expires_at > ? AND m.expires_at <= ? AND ${within.sql} AND ${isUntold}`,
    since,
    now,
    ...within.values,
  )
  return rows.map(({ user_id }) => user_id)
}

export async function tellOfExpiry(db: Database, scope: UserScope, now: number): Promise<number> {
  // Whoever comes second waits here, and finds that all is told.
  const write = await UserWrite.begin(db, scope.userId)
  if (!write) return 0
  const rows = await write.all<{ id: string; project: string | null }>(
    `SELECT m.id, m.project FROM memories m JOIN users u ON u.user_id = m.user_id
     WHERE m.user_id = @user AND m.expires_at <= ? AND ${isUntold} ORDER BY m.expires_at, m.key`,
    now,
  )
  if (rows.length === 0) return 0
  for (const { id, project } of rows) {
    const memory = { memoryId: id, project, checksum: null, relatedIds: [] }
    // When it is told, not when it elapsed: the log is in the order of time.
    write.tell({ type: 'memory.expired', action: 'EXPIRE', ...memory, at: now })
  }
  await write.end()
  await write.send('UPDATE users SET expiry_told = ? WHERE user_id = @user', now)
  return rows.length
}

/* ------------------------------------------------------------------ what is not kept */

export async function trimEvents(transact: Transact, scope: Scope, before: number): Promise<number> {
  const within = usersIn(scope, 'e')
  if (!within) return 0
  const rows = await transact(scope, (db) =>
    db.all<{ user_id: string; revision: number }>(
      `SELECT e.user_id, max(e.revision) AS revision FROM events e WHERE e.at < ? AND ${within.sql} GROUP BY e.user_id`,
      before,
      ...within.values,
    ),
  )
  let trimmed = 0
  for (const { user_id: userId, revision } of rows) {
    trimmed += await transact({ kind: 'user', userId }, (db) => trimUpTo(new UserData(db, userId), revision))
  }
  return trimmed
}
