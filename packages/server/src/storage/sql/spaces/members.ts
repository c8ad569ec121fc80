/** Changes of members. They run one after another per space, so that two owners cannot both be the last to leave. */
import type { UserScope } from '../../../core/scope.js'
import type { Role } from '../../../core/space.js'
import { isStorable, storable } from '../../domain/storable-text.js'
import type { LeftSpaces, Member, MemberChange, MemberRules, Page } from '../../ports/space-store.js'
import type { Session } from '../session.js'

export async function listMembers(
  session: Session,
  { userId: spaceId }: UserScope,
  { limit, offset }: Page,
): Promise<{ total: number; items: Member[] }> {
  if (!isStorable(spaceId)) return { total: 0, items: [] }
  const { members } = await countsOf(session, spaceId)
  const items = await session.all<Member>(
    `SELECT user_id AS "userId", role, joined_at AS "joinedAt" FROM memberships
     WHERE space = ? ORDER BY joined_at, user_id LIMIT ? OFFSET ?`,
    spaceId,
    limit,
    offset,
  )
  return { total: members, items }
}

export async function setMember(
  session: Session,
  { userId: spaceId }: UserScope,
  { userId, role, joinedAt }: Member,
  { most, onlyIfOwnerless }: MemberRules,
): Promise<MemberChange> {
  storable(userId, 'user_id')
  if (!isStorable(spaceId)) return 'not_found'
  await lockMembers(session, spaceId)
  const space = await session.get('SELECT name FROM spaces WHERE user_id = ? AND NOT closing', spaceId)
  if (!space) return 'not_found'
  const { owners, members } = await countsOf(session, spaceId)
  if (onlyIfOwnerless && owners > 0) return 'has_owner'
  const before = await roleOf(session, spaceId, userId)
  if (before === undefined && members >= most) return 'full'
  if (before === 'owner' && role !== 'owner' && owners === 1) return 'last_owner'
  await session.run(
    `INSERT INTO memberships (user_id, space, role, founded, joined_at) VALUES (?, ?, ?, FALSE, ?)
     ON CONFLICT (user_id, space) DO UPDATE SET role = excluded.role`,
    userId,
    spaceId,
    role,
    joinedAt,
  )
  return 'done'
}

export async function removeMember(
  session: Session,
  { userId: spaceId }: UserScope,
  userId: string,
): Promise<MemberChange> {
  if (!isStorable(spaceId) || !isStorable(userId)) return 'not_found'
  await lockMembers(session, spaceId)
  const before = await roleOf(session, spaceId, userId)
  if (before === undefined) return 'not_found'
  const { owners } = await countsOf(session, spaceId)
  if (before === 'owner' && owners === 1) return 'last_owner'
  await session.run('DELETE FROM memberships WHERE user_id = ? AND space = ?', userId, spaceId)
  return 'done'
}

export async function leaveSpaces(session: Session, { userId }: UserScope): Promise<LeftSpaces> {
  const result = { left: [] as string[], ownerless: [] as string[], alone: [] as string[] }
  if (!isStorable(userId)) return result
  // In one order everywhere: the locks are held until the transaction ends.
  const rows = await session.all<{ space: string }>(
    'SELECT space FROM memberships WHERE user_id = ? ORDER BY space',
    userId,
  )
  for (const { space } of rows) {
    await session.actAs(space)
    await lockMembers(session, space)
    const role = await roleOf(session, space, userId)
    const { owners, members } = await countsOf(session, space)
    if (role === undefined) continue
    if (members === 1) {
      result.alone.push(space)
      continue
    }
    await session.run('DELETE FROM memberships WHERE user_id = ? AND space = ?', userId, space)
    result.left.push(space)
    if (role === 'owner' && owners === 1) result.ownerless.push(space)
  }
  return result
}

function lockMembers(session: Session, spaceId: string): Promise<void> {
  return session.lockName(`members of ${spaceId}`)
}

async function roleOf(session: Session, spaceId: string, userId: string): Promise<Role | undefined> {
  const row = await session.get<{ role: Role }>(
    'SELECT role FROM memberships WHERE user_id = ? AND space = ?',
    userId,
    spaceId,
  )
  return row?.role
}

async function countsOf(session: Session, spaceId: string): Promise<{ owners: number; members: number }> {
  const row = await session.get<{ owners: number; members: number }>(
    `SELECT count(*) AS members, coalesce(sum(CASE WHEN role = 'owner' THEN 1 ELSE 0 END), 0) AS owners
     FROM memberships WHERE space = ?`,
    spaceId,
  )
  return { owners: Number(row?.owners ?? 0), members: row?.members ?? 0 }
}
