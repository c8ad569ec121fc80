import type { Scope, UserScope } from '../../core/scope.js'
import { isStorable, storable } from '../domain/storable-text.js'
import { type PendingText, type RawText, RawTextGone } from '../ports/inbox.js'
import type { Database, Value } from './database.js'

export function keepRaw(db: Database, scope: UserScope, { id, payload }: RawText): void {
  db.run(
    'INSERT INTO inbox (id, user_id, project, payload) VALUES (?, ?, ?, ?)',
    id,
    storable(scope.userId, 'user_id'),
    scope.project === undefined ? null : storable(scope.project, 'project'),
    storable(payload, 'content'),
  )
}

export function pendingRaw(db: Database, scope: Scope, after: string | null, limit: number): PendingText[] {
  const within = textsIn(scope)
  if (!within) return []
  return db.all<PendingText>(
    `SELECT id, user_id AS userId, project, payload FROM inbox WHERE ${within.sql} AND id > ? ORDER BY id LIMIT ?`,
    ...within.values,
    after ?? '',
    limit,
  )
}

export function dropRaw(db: Database, scope: UserScope, id: string): boolean {
  const within = textsIn(scope)
  return within !== null && db.run(`DELETE FROM inbox WHERE id = ? AND ${within.sql}`, id, ...within.values) > 0
}

/** As part of a commit: what it throws undoes all of it. */
export function takeOut(db: Database, scope: UserScope, id: string): void {
  if (!dropRaw(db, { kind: 'user', userId: scope.userId }, id)) throw new RawTextGone('the text is not in the inbox')
}

export function emptyInbox(db: Database, scope: Scope): void {
  const within = textsIn(scope)
  if (within) db.run(`DELETE FROM inbox WHERE ${within.sql}`, ...within.values)
}

function textsIn(scope: Scope): { readonly sql: string; readonly values: readonly Value[] } | null {
  if (scope.kind === 'nobody' || (scope.kind === 'user' && !isStorable(scope.userId))) return null
  const user = scope.kind === 'user' ? [scope.userId] : []
  const project = scope.project === undefined ? [] : [scope.project]
  const conditions = [...user.map(() => 'user_id = ?'), ...project.map(() => 'project = ?')]
  return { sql: conditions.join(' AND ') || 'TRUE', values: [...user, ...project] }
}
