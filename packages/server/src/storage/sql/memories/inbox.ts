/**
 * Texts that are still being read. The table is keyed by the external user id: a user's first text arrives before the user has a
 * row.
 */
import type { Scope, UserScope } from '../../../core/scope.js'
import { isStorable, storable } from '../../domain/storable-text.js'
import { type PendingText, type RawText, RawTextGone } from '../../ports/inbox.js'
import type { Condition } from '../dialect.js'
import type { Session } from '../session.js'

export async function keepRaw(session: Session, scope: UserScope, { id, payload }: RawText): Promise<void> {
  await session.run(
    'INSERT INTO inbox (id, user_id, project, payload) VALUES (?, ?, ?, ?)',
    id,
    storable(scope.userId, 'user_id'),
    scope.project === undefined ? null : storable(scope.project, 'project'),
    storable(payload, 'content'),
  )
}

export async function pendingRaw(
  session: Session,
  scope: Scope,
  after: string | null,
  limit: number,
): Promise<PendingText[]> {
  const within = textsIn(scope)
  if (!within) return []
  return session.all<PendingText>(
    `SELECT id, user_id AS "userId", project, payload FROM inbox WHERE ${within.sql} AND id > ? ORDER BY id LIMIT ?`,
    ...within.values,
    after ?? '',
    limit,
  )
}

export async function dropRaw(session: Session, scope: UserScope, id: string): Promise<boolean> {
  const within = textsIn(scope)
  if (!within) return false
  return (await session.run(`DELETE FROM inbox WHERE id = ? AND ${within.sql}`, id, ...within.values)) > 0
}

/** Part of a commit: throwing rolls everything back. */
export async function takeOut(session: Session, { userId }: UserScope, id: string): Promise<void> {
  if (!(await dropRaw(session, { kind: 'user', userId }, id))) throw new RawTextGone('the text is not in the inbox')
}

export async function emptyInbox(session: Session, scope: Scope): Promise<void> {
  const within = textsIn(scope)
  if (within) await session.run(`DELETE FROM inbox WHERE ${within.sql}`, ...within.values)
}

function textsIn(scope: Scope): Condition | null {
  if (scope.kind === 'nobody') return null
  const user = scope.kind === 'user' ? [scope.userId] : []
  const project = scope.project === undefined ? [] : [scope.project]
  const values = [...user, ...project]
  if (!values.every(isStorable)) return null
  const conditions = [...user.map(() => 'user_id = ?'), ...project.map(() => 'project = ?')]
  return { sql: conditions.join(' AND ') || 'TRUE', values }
}
