import { isoTimestamp } from '../../core/clock.js'
import { notFound } from '../../core/errors.js'
import {
  createSpace,
  deleteSpace,
  findSpace,
  leaveSpaces,
  listMembers,
  listSpaces,
  removeMember,
  renameSpace,
  setMember,
} from '../../service/spaces/spaces.js'
import type { MemberSpace } from '../../storage/ports/space-store.js'
import { requireRole, scopeForLeaving, scopeForOneUser, scopeForStoring, userInPath } from '../access/caller-scope.js'
import { endpoint } from '../endpoint.js'
import { spaceExample } from '../openapi/examples.js'
import { idParams } from '../schemas/common.js'
import {
  createSpaceRequest,
  deleteSpaceAnswer,
  leaveSpacesAnswer,
  leaveSpacesParams,
  memberChangedAnswer,
  membersAnswer,
  membersQuery,
  removeMemberQuery,
  renameSpaceRequest,
  setMemberRequest,
  spaceAnswer,
  spaceChangedAnswer,
  spaceQuery,
  spacesAnswer,
  spacesQuery,
} from '../schemas/space.js'

const shared = { tag: 'Spaces', access: 'user', needs: 'change', spansProjects: true, limit: 'default' } as const

function spaceView({ id, name, role, createdAt }: MemberSpace) {
  return { id, name, role, created_at: isoTimestamp(createdAt) }
}

const create = endpoint({
  ...shared,
  method: 'POST',
  path: '/spaces',
  operationId: 'createSpace',
  summary: 'Create a space',
  description: 'A space has memories of its own, for its members. Who creates it is its owner. At most 100 per user.',
  body: createSpaceRequest,
  answer: spaceChangedAnswer,
  example: { request: { name: 'Team' }, answer: { status: 'success', space: spaceExample } },
  async handle({ deps, actor, caller, body }) {
    const made = await createSpace(deps, actor, scopeForStoring(caller, body.user_id), body.name.trim())
    return { status: 'success' as const, space: spaceView(made) }
  },
})

export const listSpacesEndpoint = endpoint({
  ...shared,
  method: 'GET',
  path: '/spaces',
  operationId: 'listSpaces',
  summary: 'List the spaces of a user',
  needs: 'read',
  forApplications: 'without prefix',
  query: spacesQuery,
  answer: spacesAnswer,
  example: { answer: { spaces: [spaceExample], total: 1, page: 1, limit: 50 } },
  async handle({ deps, caller, query }) {
    const { limit, page } = query
    const member = scopeForOneUser(caller, query.user_id)
    const found =
      member.kind === 'user'
        ? await listSpaces(deps, member, { limit, offset: (page - 1) * limit })
        : { items: [], total: 0 }
    return { spaces: found.items.map(spaceView), total: found.total, page, limit }
  },
})

const read = endpoint({
  ...shared,
  method: 'GET',
  path: '/spaces/{id}',
  operationId: 'getSpace',
  summary: 'Get one space',
  needs: 'read',
  forApplications: 'without prefix',
  notFound: true,
  params: idParams,
  query: spaceQuery,
  answer: spaceAnswer,
  example: { answer: { space: spaceExample } },
  async handle({ deps, caller, params, query }) {
    const { role } = await requireRole({ deps, caller }, query.user_id, params.id, 'reader')
    return { space: spaceView(await findSpace(deps, params.id, role)) }
  },
})

const rename = endpoint({
  ...shared,
  method: 'PUT',
  path: '/spaces/{id}',
  operationId: 'renameSpace',
  summary: 'Rename a space',
  notFound: true,
  params: idParams,
  body: renameSpaceRequest,
  answer: spaceChangedAnswer,
  example: { request: { name: 'Team' }, answer: { status: 'success', space: spaceExample } },
  async handle({ deps, actor, caller, params, body }) {
    const { member } = await requireRole({ deps, caller }, body.user_id, params.id, 'owner')
    const renamed = await renameSpace(deps, actor, member, params.id, body.name.trim())
    return { status: 'success' as const, space: spaceView(renamed) }
  },
})

const remove = endpoint({
  ...shared,
  method: 'DELETE',
  path: '/spaces/{id}',
  operationId: 'deleteSpace',
  summary: 'Delete a space with all of its memories',
  limit: 'forget',
  notFound: true,
  params: idParams,
  query: spaceQuery,
  answer: deleteSpaceAnswer,
  example: { answer: { status: 'success', id: spaceExample.id, deleted: 12 } },
  async handle({ deps, actor, caller, params, query }) {
    const { member } = await requireRole({ deps, caller }, query.user_id, params.id, 'owner')
    const erased = await deleteSpace(deps, actor, member, params.id)
    return { status: 'success' as const, id: params.id, deleted: erased.length }
  },
})

const members = endpoint({
  ...shared,
  method: 'GET',
  path: '/spaces/{id}/members',
  operationId: 'listMembers',
  summary: 'List the members of a space',
  needs: 'read',
  notFound: true,
  params: idParams,
  query: membersQuery,
  answer: membersAnswer,
  example: {
    answer: {
      members: [{ member: 'alice', role: 'owner', joined_at: spaceExample.created_at }],
      ...{ total: 1, page: 1, limit: 100 },
    },
  },
  async handle({ deps, caller, params, query }) {
    const { limit, page } = query
    await requireRole({ deps, caller }, query.user_id, params.id, 'reader')
    const found = await listMembers(deps, params.id, { limit, offset: (page - 1) * limit })
    return {
      members: found.items.map(({ userId, role, joinedAt }) => ({
        ...{ member: userId, role },
        joined_at: isoTimestamp(joinedAt),
      })),
      ...{ total: found.total, page, limit },
    }
  },
})

const set = endpoint({
  ...shared,
  method: 'POST',
  path: '/spaces/{id}/members',
  operationId: 'setMember',
  summary: 'Add a member, or change the role of one',
  description:
    'Needs the role owner. The last owner cannot get another role. The master key can appoint an owner for a space that has none.',
  access: 'cleanup',
  notFound: true,
  params: idParams,
  body: setMemberRequest,
  answer: memberChangedAnswer,
  example: {
    request: { member: 'bob', role: 'reader' },
    answer: { status: 'success', id: spaceExample.id, member: 'bob' },
  },
  async handle({ deps, actor, caller, params, body }) {
    const by =
      caller.kind === 'master' ? null : (await requireRole({ deps, caller }, body.user_id, params.id, 'owner')).member
    await setMember(deps, actor, by, params.id, { userId: body.member, role: body.role })
    return { status: 'success' as const, id: params.id, member: body.member }
  },
})

const leave = endpoint({
  ...shared,
  method: 'DELETE',
  path: '/spaces/{id}/members',
  operationId: 'removeMember',
  summary: 'Remove a member',
  description:
    'Needs the role owner, or to be that member. It holds for the next request on every instance. The last owner cannot leave.',
  notFound: true,
  params: idParams,
  query: removeMemberQuery,
  answer: memberChangedAnswer,
  example: { answer: { status: 'success', id: spaceExample.id, member: 'bob' } },
  async handle({ deps, actor, caller, params, query }) {
    const own = scopeForOneUser(caller, query.user_id)
    const isOwn = query.member === undefined || (own.kind === 'user' && own.userId === query.member)
    const { member } = await requireRole({ deps, caller }, query.user_id, params.id, isOwn ? 'reader' : 'owner')
    const removed = query.member ?? member.userId
    await removeMember(deps, actor, member, params.id, removed)
    return { status: 'success' as const, id: params.id, member: removed }
  },
})

const leaveAll = endpoint({
  ...shared,
  method: 'DELETE',
  path: '/users/{user_id}/spaces',
  operationId: 'leaveSpaces',
  summary: 'Remove a user from all spaces',
  description:
    'For a user who goes. A space without other members is deleted with its memories. A space that has no owner left keeps its members and is listed in ownerless. The master key can do this for any user.',
  access: 'cleanup',
  limit: 'forget',
  notFound: true,
  params: leaveSpacesParams,
  answer: leaveSpacesAnswer,
  example: { answer: { status: 'success', left: [spaceExample.id], ownerless: [], deleted: [] } },
  async handle({ deps, actor, caller, params }) {
    const member = scopeForLeaving(caller, userInPath(caller, params.user_id))
    if (member.kind !== 'user') throw notFound('User')
    const { left, ownerless, deleted } = await leaveSpaces(deps, actor, member)
    return { status: 'success' as const, left: [...left], ownerless: [...ownerless], deleted: [...deleted] }
  },
})

export const spaceEndpoints = [create, listSpacesEndpoint, read, rename, remove, members, set, leave, leaveAll]
