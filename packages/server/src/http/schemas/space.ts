import { z } from 'zod'
import { roles } from '../../core/space.js'
import { count, pageNumber, pageSize, success, timestamp, userId } from './common.js'

const name = z.string().min(1).max(128).meta({ format: 'label', description: 'A name for its members' })
const role = z
  .enum(roles)
  .describe(
    'reader: reads. writer: also stores, updates and deletes memories. owner: also manages members and deletes the space',
  )
const acting = userId.describe('The member who acts; by default the user of the API key').optional()
const memberId = userId.describe('The user whom it is about')

export const space = z.strictObject({
  id: z.string(),
  name: z.string(),
  role: role.describe('The role of the caller'),
  created_at: timestamp,
})

export const member = z.strictObject({ member: z.string().describe('A user'), role, joined_at: timestamp })

export const createSpaceRequest = z.strictObject({ name, user_id: acting })
export const renameSpaceRequest = z.strictObject({ name, user_id: acting })
export const spaceQuery = z.strictObject({ user_id: acting })
export const spacesQuery = z.strictObject({ user_id: acting, limit: pageSize(50, 100), page: pageNumber })
export const membersQuery = z.strictObject({ user_id: acting, limit: pageSize(100, 500), page: pageNumber })
export const setMemberRequest = z.strictObject({ member: memberId, role, user_id: acting })
export const removeMemberQuery = z.strictObject({
  member: memberId.describe('The member to remove; by default the caller').optional(),
  user_id: acting,
})
export const leaveSpacesParams = z.strictObject({
  user_id: userId.describe('The user. With an API key, `me` is the user of the key'),
})

export const spaceAnswer = z.strictObject({ space })
export const spaceChangedAnswer = z.strictObject({ status: success, space })
export const deleteSpaceAnswer = z.strictObject({
  status: success,
  id: z.string(),
  deleted: count.describe('Number of deleted memories'),
})
export const spacesAnswer = z.strictObject({
  spaces: z.array(space).describe('In the order in which the user joined them'),
  total: count,
  page: z.int().min(1),
  limit: z.int().min(1),
})
export const membersAnswer = z.strictObject({
  members: z.array(member).describe('In the order in which they joined'),
  total: count,
  page: z.int().min(1),
  limit: z.int().min(1),
})
export const memberChangedAnswer = z.strictObject({ status: success, id: z.string(), member: z.string() })
export const leaveSpacesAnswer = z.strictObject({
  status: success,
  left: z.array(z.string()).describe('Ids of the spaces that the user was a member of'),
  ownerless: z.array(z.string()).describe('Those of them that have no owner now'),
  deleted: z
    .array(z.string())
    .describe('Ids of the spaces that were deleted with their memories: nobody else was a member'),
})
