/**
 * Spaces and memberships, keyed by external user ids: both exist before the first memory. A space sees its own row and all of its
 * members; a user sees only the user's own memberships.
 */
import { notFound } from '../../../core/errors.js'
import type { UserScope } from '../../../core/scope.js'
import { isSpaceId, type Role } from '../../../core/space.js'
import { isStorable, storable } from '../../domain/storable-text.js'
import type { MemberSpace, NewSpace, Page, Space } from '../../ports/space-store.js'
import type { Session } from '../session.js'

export async function createSpace(
  session: Session,
  member: UserScope,
  space: NewSpace,
  most: number,
): Promise<boolean> {
  const userId = storable(member.userId, 'user_id')
  // Serialized: two concurrent instances would both see the same count.
  await session.lockName(`spaces of ${userId}`)
  const founded = await session.get<{ count: number }>(
    'SELECT count(*) AS count FROM memberships WHERE user_id = ? AND founded',
    userId,
  )
  if ((founded?.count ?? 0) >= most) return false
  await session.actAs(space.id)
  const { id, name, createdAt } = space
  await session.run(
    'INSERT INTO spaces (user_id, name, created_at, closing) VALUES (?, ?, ?, FALSE)',
    id,
    storable(name, 'name'),
    createdAt,
  )
  await session.run(
    "INSERT INTO memberships (user_id, space, role, founded, joined_at) VALUES (?, ?, 'owner', TRUE, ?)",
    userId,
    id,
    createdAt,
  )
  return true
}

/** One look-up by key, so that a space without a grant takes as long as one that does not exist. */
export async function roleIn(session: Session, member: UserScope, spaceId: string): Promise<Role | null> {
  if (!isStorable(member.userId) || !isStorable(spaceId)) return null
  const row = await session.get<{ role: Role }>(
    'SELECT role FROM memberships WHERE user_id = ? AND space = ?',
    member.userId,
    spaceId,
  )
  return row?.role ?? null
}

export async function listSpaces(
  session: Session,
  member: UserScope,
  { limit, offset }: Page,
): Promise<{ total: number; items: MemberSpace[] }> {
  if (!isStorable(member.userId)) return { total: 0, items: [] }
  const { userId } = member
  const counted = await session.get<{ total: number }>(
    'SELECT count(*) AS total FROM memberships WHERE user_id = ?',
    userId,
  )
  const rows = await session.all<{ space: string; role: Role }>(
    'SELECT space, role FROM memberships WHERE user_id = ? ORDER BY joined_at, space LIMIT ? OFFSET ?',
    userId,
    limit,
    offset,
  )
  const items: MemberSpace[] = []
  for (const { space, role } of rows) {
    await session.actAs(space)
    const found = await findSpace(session, { kind: 'user', userId: space })
    if (found) items.push({ ...found, role })
  }
  return { total: counted?.total ?? 0, items }
}

export async function findSpace(session: Session, { userId }: UserScope): Promise<Space | null> {
  if (!isStorable(userId)) return null
  const row = await session.get<{ id: string; name: string; createdAt: number }>(
    'SELECT user_id AS id, name, created_at AS "createdAt" FROM spaces WHERE user_id = ?',
    userId,
  )
  return row ?? null
}

export async function renameSpace(session: Session, { userId }: UserScope, name: string): Promise<boolean> {
  if (!isStorable(userId)) return false
  return (await session.run('UPDATE spaces SET name = ? WHERE user_id = ?', storable(name, 'name'), userId)) > 0
}

export async function closeSpace(session: Session, { userId }: UserScope, lastMember: string): Promise<boolean> {
  if (!isStorable(userId) || !isStorable(lastMember)) return false
  const closed = await session.run('UPDATE spaces SET closing = TRUE WHERE user_id = ?', userId)
  if (closed > 0) await session.send('DELETE FROM memberships WHERE space = ? AND user_id <> ?', userId, lastMember)
  return closed > 0
}

export async function dropSpace(session: Session, { userId }: UserScope): Promise<void> {
  if (!isStorable(userId)) return
  await session.run('DELETE FROM memberships WHERE space = ?', userId)
  await session.run('DELETE FROM spaces WHERE user_id = ?', userId)
}

/**
 * Called by a store that writes into this scope. Whoever deletes a space closes it first and then erases its memories: with the lock, a
 * store is either erased too or refused.
 */
export async function requireOpenSpace(session: Session, { userId }: UserScope): Promise<void> {
  if (!isSpaceId(userId)) return
  const row = await session.get(
    `SELECT name FROM spaces WHERE user_id = ? AND NOT closing ${session.dialect.forUpdate}`,
    userId,
  )
  if (!row) throw notFound('Space')
}
