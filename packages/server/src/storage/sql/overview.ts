/** What the store contains, as counts: users, the projects of a scope, and when its memories were made. */
import { msPerDay } from '../../core/clock.js'
import type { Scope } from '../../core/scope.js'
import { isStorable } from '../domain/storable-text.js'
import type { DayCount, Overview, ProjectCount, UserCount, UserPage, UserQuery } from '../ports/storage.js'
import { containing } from './containing.js'
import type { Condition } from './dialect.js'
import type { Session, Transact } from './session.js'
import { memoriesIn, notExpired } from './user-data.js'

/** @param engine - called for each transaction, because an engine sets these up after this. */
export function overviewOf(engine: () => { readonly read: Transact }): Overview {
  return {
    users: (query) => engine().read('totals', users, query),
    projects: (scope, now) => engine().read(scope, projects, scope, now),
    activity: (scope) => engine().read(scope, activity, scope),
  }
}

/** A space owns memories like a user, and is left out. */
export async function users(session: Session, { q, limit, offset }: UserQuery): Promise<UserPage> {
  if (q !== undefined && !isStorable(q)) return { items: [], total: 0 }
  const id = session.dialect.idOfUser('u')
  const named = q === undefined ? { sql: 'TRUE', values: [] } : containing(session.dialect, id, q)
  const from = `FROM users u WHERE u.memories > 0 AND ${named.sql}
    AND NOT EXISTS (SELECT 1 FROM spaces s WHERE s.user_id = ${id})`
  const [items, counted] = await Promise.all([
    session.all<UserCount>(
      `SELECT ${id} AS "userId", u.memories ${from} ORDER BY ${id} LIMIT ? OFFSET ?`,
      ...named.values,
      limit,
      offset,
    ),
    session.get<{ total: number }>(`SELECT count(*) AS total ${from}`, ...named.values),
  ])
  return { items, total: counted?.total ?? 0 }
}

const mostProjects = 500

export function projects(session: Session, scope: Scope, now: number): Promise<ProjectCount[]> {
  return grouped<ProjectCount>(session, scope, ({ sql, values }) => ({
    sql: `SELECT m.project AS name, count(*) AS memories FROM memories m
      WHERE ${sql} AND m.project IS NOT NULL AND m.superseded_at IS NULL AND ${notExpired}
      GROUP BY m.project ORDER BY memories DESC, m.project LIMIT ?`,
    values: [...values, now, mostProjects],
  }))
}

/** Ten years. */
const mostDays = 3653

/** Superseded memories count on the day they were made. */
export async function activity(session: Session, scope: Scope): Promise<DayCount[]> {
  const day = `m.created_at / ${msPerDay}`
  const newest = await grouped<DayCount>(session, scope, ({ sql, values }) => ({
    sql: `SELECT ${day} AS day, count(*) AS created FROM memories m WHERE ${sql}
      GROUP BY ${day} ORDER BY day DESC LIMIT ?`,
    values: [...values, mostDays],
  }))
  return newest.reverse()
}

async function grouped<Row>(
  session: Session,
  scope: Scope,
  statementFor: (within: Condition) => Condition,
): Promise<Row[]> {
  const within = await memoriesIn(session, scope)
  if (!within) return []
  const { sql, values } = statementFor(within)
  return session.all<Row>(sql, ...values)
}
