import {
  type EventAction,
  type EventMark,
  type EventType,
  endOf,
  isBefore,
  type MemoryEvent,
} from '../../core/memory-event.js'
import type { NobodyScope, Scope, UserScope } from '../../core/scope.js'
import type { EventSlice } from '../ports/event-log.js'
import type { Database } from './database.js'
import { findUser, memoriesIn, type User, UserWrite } from './user-rows.js'
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
  readonly related: string
}

export function events(
  db: Database,
  scope: UserScope | NobodyScope,
  after: EventMark | null,
  limit: number,
): EventSlice {
  const user = scope.kind === 'user' ? findUser(db, scope.userId) : undefined
  if (scope.kind !== 'user' || !user) return { events: [], mark: endOf(0), more: false, missedUpTo: null }
  const floor = endOf(floorOf(db, user))
  const isMissing = after !== null && (isBefore(after, floor) || after.revision > user.revision)
  const from = after === null || isMissing ? floor : after
  const project = scope.project === undefined ? [] : [scope.project]
  const rows = db.all<EventRow>(
    `SELECT revision, position, at, type, action, memory_id, project, checksum, related FROM events
     WHERE user = ? AND (revision, position) > (?, ?)${inProject(project.length > 0)}
     ORDER BY revision, position LIMIT ?`,
    user.key,
    from.revision,
    from.position,
    ...project,
    limit + 1,
  )
  const more = rows.length > limit
  const shown = rows.slice(0, limit).map((row) => eventOf(row, scope.userId))
  const mark = more ? (shown.at(-1)?.mark ?? from) : endOf(user.revision)
  return { events: shown, mark, more, missedUpTo: isMissing ? floor : null }
}

/** What was forgotten has no project any more: it concerns everyone. */
function inProject(isAsked: boolean): string {
  return isAsked ? ` AND (project = ? OR type = 'memory.forgotten')` : ''
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
    // Ids that this engine has written itself.
    relatedIds: JSON.parse(row.related) as string[],
    at: row.at,
  }
}

export function revisionsOf(db: Database, userIds: readonly string[]): number[] {
  return userIds.map((userId) => findUser(db, userId)?.revision ?? 0)
}

/* ------------------------------------------------------------------ what expires by itself */

const isUntold = 'm.expires_at > u.expiry_told AND m.superseded_at IS NULL'

export function usersToTellOfExpiry(db: Database, scope: Scope, since: number, now: number): string[] {
  const within = memoriesIn(db, withoutProject(scope))
  if (!within) return []
  const rows = db.all<{ id: string }>(
    `SELECT DISTINCT u.id FROM memories m JOIN users u ON u.key = m.user
     WHERE m.expires_at > ? AND m.expires_at <= ? AND ${within.sql} AND ${isUntold}`,
    since,
    now,
    ...within.values,
  )
  return rows.map(({ id }) => id)
}

export function tellOfExpiry(db: Database, scope: UserScope, now: number): number {
  const user = findUser(db, scope.userId)
  return user ? tellOfExpiryOf(db, user, now) : 0
}

export function tellOfExpiryOf(db: Database, user: User, now: number): number {
  const rows = db.all<{ id: string; project: string | null }>(
    `SELECT m.id, m.project FROM memories m JOIN users u ON u.key = m.user
     WHERE m.user = ? AND m.expires_at <= ? AND ${isUntold} ORDER BY m.expires_at, m.key`,
    user.key,
    now,
  )
  if (rows.length === 0) return 0
  const write = UserWrite.begin(db, user.key)
  for (const { id, project } of rows) {
    const memory = { memoryId: id, project, checksum: null, relatedIds: [] }
    // When it is told, not when it elapsed: the log is in the order of time.
    write.tell({ type: 'memory.expired', action: 'EXPIRE', ...memory, at: now })
  }
  write.end()
  db.run('UPDATE users SET expiry_told = ? WHERE key = ?', now, user.key)
  return rows.length
}

function withoutProject(scope: Scope): Scope {
  if (scope.kind === 'nobody') return scope
  const { project: _, ...rest } = scope
  return rest
}

/* ------------------------------------------------------------------ what is not kept */

function floorOf(db: Database, user: User): number {
  return db.get<{ event_floor: number }>('SELECT event_floor FROM users WHERE key = ?', user.key)?.event_floor ?? 0
}

export function* trimEvents(db: Database, scope: Scope, before: number): Generator<void, number> {
  if (scope.kind === 'nobody') return 0
  const user = scope.kind === 'user' ? findUser(db, scope.userId) : undefined
  if (scope.kind === 'user' && !user) return 0
  const rows = db.all<{ user: number; revision: number }>(
    `SELECT user, max(revision) AS revision FROM events WHERE at < ?${user ? ' AND user = ?' : ''} GROUP BY user`,
    before,
    ...(user ? [user.key] : []),
  )
  let trimmed = 0
  for (const [index, row] of rows.entries()) {
    // Others may write in between.
    if (index > 0 && index % 50 === 0) yield
    trimmed += trimUpTo(db, row.user, row.revision)
  }
  return trimmed
}
