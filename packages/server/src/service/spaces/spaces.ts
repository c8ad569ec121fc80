/** Spaces: memories of a group. A space owns memories like a user, and its members reach them by their role (ADR 25). */

import type { Actor } from '../../core/actor.js'
import { invalid, notFound } from '../../core/errors.js'
import { groupedDigits } from '../../core/grouped-digits.js'
import { type UserScope, userScope } from '../../core/scope.js'
import { isSpaceId, type Role } from '../../core/space.js'
import type { LeftSpaces, Member, MemberChange, MemberSpace, Page, Space } from '../../storage/ports/space-store.js'
import type { Deps } from '../deps.js'
import { forget } from '../forget.js'

const mostFounded = 100
const mostMembers = 1_000

/** Who acts: a member, or null for the operator. */
type By = UserScope | null

export async function createSpace(deps: Deps, actor: Actor, owner: UserScope, name: string): Promise<MemberSpace> {
  const space: Space = { id: deps.ids.next('spc'), name, createdAt: deps.clock.now() }
  const isMade = await deps.storage.spaces.create(owner, space, mostFounded)
  if (!isMade) throw invalid('', `a user can create at most ${mostFounded} spaces; delete one first`)
  audit(deps, actor, { event: 'space.created', by: owner, space: space.id }, 'success')
  return { ...space, role: 'owner' }
}

export function listSpaces(deps: Deps, member: UserScope, page: Page) {
  return deps.storage.spaces.list(member, page)
}

/** @param role - the caller's. */
export async function findSpace(deps: Deps, spaceId: string, role: Role): Promise<MemberSpace> {
  const found = await deps.storage.spaces.find(userScope(spaceId))
  if (!found) throw notFound('Space')
  return { ...found, role }
}

export async function renameSpace(
  deps: Deps,
  actor: Actor,
  by: UserScope,
  spaceId: string,
  name: string,
): Promise<MemberSpace> {
  const isDone = await deps.storage.spaces.rename(userScope(spaceId), name)
  audit(deps, actor, { event: 'space.renamed', by, space: spaceId }, isDone ? 'success' : 'not_found')
  return findSpace(deps, spaceId, 'owner')
}

/**
 * Erases the memories of the space, then the space. First it is closed, so that no store comes in between. The owner who deletes it stays
 * a member until the end: after a crash, a repeated request finishes the work.
 */
export async function deleteSpace(deps: Deps, actor: Actor, by: UserScope, spaceId: string): Promise<string[]> {
  const space = userScope(spaceId)
  const isClosed = await deps.storage.spaces.close(space, by.userId)
  if (!isClosed) throw notFound('Space')
  const erased = await forget(deps, actor, space, { all: true })
  await deps.storage.spaces.drop(space)
  audit(deps, actor, { event: 'space.deleted', by, space: spaceId }, 'success')
  return erased
}

export function listMembers(deps: Deps, spaceId: string, page: Page) {
  return deps.storage.spaces.listMembers(userScope(spaceId), page)
}

/** Adds a member or changes a role. The operator can only give an owner to a space that has none. */
export async function setMember(
  deps: Deps,
  actor: Actor,
  by: By,
  spaceId: string,
  { userId, role }: Pick<Member, 'userId' | 'role'>,
): Promise<void> {
  if (isSpaceId(userId)) throw invalid('member', 'must be a user, not a space')
  if (by === null && role !== 'owner') throw invalid('role', 'must be owner: the master key appoints only owners')
  const member = { userId, role, joinedAt: deps.clock.now() }
  const rules = { most: mostMembers, onlyIfOwnerless: by === null }
  const change = isSpaceId(spaceId)
    ? await deps.storage.spaces.setMember(userScope(spaceId), member, rules)
    : 'not_found'
  const event = { event: 'space.member_set', by, space: spaceId, member: userId, role } as const
  audit(deps, actor, event, outcomeOf(change))
  refuse(change, 'Space')
}

export async function removeMember(
  deps: Deps,
  actor: Actor,
  by: UserScope,
  spaceId: string,
  userId: string,
): Promise<void> {
  const change = await deps.storage.spaces.removeMember(userScope(spaceId), userId)
  audit(deps, actor, { event: 'space.member_removed', by, space: spaceId, member: userId }, outcomeOf(change))
  refuse(change, 'Member')
}

/**
 * Ends all memberships of a user who goes. A space in which nobody else remains is deleted with its memories: nobody could ever reach
 * them. A space with other members is kept even if it has no owner left, and is reported: the operator can appoint one.
 */
export async function leaveSpaces(
  deps: Deps,
  actor: Actor,
  member: UserScope,
): Promise<Pick<LeftSpaces, 'left' | 'ownerless'> & { readonly deleted: readonly string[] }> {
  const { left, ownerless, alone } = await deps.storage.spaces.leaveAll(member)
  for (const space of left) {
    audit(deps, actor, { event: 'space.member_removed', by: member, space, member: member.userId }, 'success')
  }
  for (const space of ownerless) audit(deps, actor, { event: 'space.ownerless', by: member, space }, 'success')
  for (const space of alone) await deleteSpace(deps, actor, member, space)
  return { left, ownerless, deleted: alone }
}

const refusals = {
  last_owner: 'a space must keep an owner: make another member owner first, or delete the space',
  full: `a space can have at most ${groupedDigits(mostMembers)} members`,
  has_owner: 'the space has an owner, who decides about its members',
} as const

function refuse(change: MemberChange, what: 'Space' | 'Member'): void {
  if (change === 'done') return
  throw change === 'not_found' ? notFound(what) : invalid('', refusals[change])
}

function outcomeOf(change: MemberChange): 'success' | 'not_found' | 'rejected' {
  if (change === 'done') return 'success'
  return change === 'not_found' ? 'not_found' : 'rejected'
}

interface SpaceAudit {
  readonly event:
    | 'space.created'
    | 'space.renamed'
    | 'space.deleted'
    | 'space.ownerless'
    | 'space.member_set'
    | 'space.member_removed'
  readonly by: By
  readonly space: string
  readonly member?: string
  readonly role?: Role
}

function audit(
  deps: Deps,
  actor: Actor,
  { event, by, space, member, role }: SpaceAudit,
  outcome: 'success' | 'not_found' | 'rejected',
): void {
  const more = { ...(member === undefined ? {} : { member_id: member }), ...(role === undefined ? {} : { role }) }
  const line = { event, user_id: by?.userId ?? null, key_id: actor.keyId, space_id: space.slice(0, 64), ...more }
  deps.audit.record(actor, line, outcome)
}
