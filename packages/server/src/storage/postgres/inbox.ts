import type { Scope, UserScope } from '../../core/scope.js'
import { isStorable, storable } from '../domain/storable-text.js'
import { type PendingText, type RawText, RawTextGone } from '../ports/inbox.js'
import type { Database } from './database.js'
import type { UserData } from './user-data.js'
import { type Condition, usersIn } from './user-rows.js'

export async function keepRaw(db: Database, scope: UserScope, { id, payload }: RawText): Promise<void> {
  await db.run(
    'INSERT INTO inbox (id, user_id, project, payload) VALUES (?, ?, ?, ?)',
    id,
    storable(scope.userId, 'user_id'),
    scope.project === undefined ? null : storable(scope.project, 'project'),
    storable(payload, 'content'),
  )
}

export async function pendingRaw(
  db: Database,
  scope: Scope,
  after: string | null,
  limit: number,
): Promise<PendingText[]> {
  const within = textsIn(scope)
  if (!within) return []
  return db.all<PendingText>(
    `SELECT i.id, i.user_id AS "userId", i.project, i.payload FROM inbox i
     WHERE ${within.sql} AND i.id > ? ORDER BY i.id LIMIT ?`,
    ...within.values,
    after ?? '',
    limit,
  )
}

export async function dropRaw(db: Database, scope: UserScope, id: string): Promise<boolean> {
  const within = textsIn(scope)
  if (!within) return false
  return (await db.run(`DELETE FROM inbox i WHERE i.id = ? AND ${within.sql}`, id, ...within.values)) > 0
}

/** As part of a commit: what it throws undoes all of it. */
export async function takeOut(user: UserData, id: string): Promise<void> {
  const taken = await dropRaw(user.db, { kind: 'user', userId: user.userId }, id)
  if (!taken) throw new RawTextGone('the text is not in the inbox')
}

export async function emptyInbox(db: Database, scope: Scope): Promise<void> {
  const within = textsIn(scope)
  if (within) await db.run(`DELETE FROM inbox i WHERE ${within.sql}`, ...within.values)
}

function textsIn(scope: Scope): Condition | null {
  const users = usersIn(scope, 'i')
  if (!users || scope.kind === 'nobody' || scope.project === undefined) return users
  if (!isStorable(scope.project)) return null
  return { sql: `${users.sql} AND i.project = ?`, values: [...users.values, scope.project] }
}
