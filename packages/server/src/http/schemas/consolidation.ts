import { z } from 'zod'
import { count, project, space, success, userId } from './common.js'

export const consolidateRequest = z.strictObject({
  user_id: userId.optional(),
  space: space.optional(),
  project: project.optional(),
  dry_run: z.boolean().default(true).describe('Only propose; false retires the memories'),
})

const side = z.strictObject({
  id: z.string(),
  content: z.string().optional().describe('Left out for the master key'),
})

const proposal = z.strictObject({
  rule: z
    .enum(['repeated', 'chatter'])
    .describe('repeated: the new memory says the same in other words; chatter: the old memory says nothing'),
  user_id: z.string(),
  project: z.string().nullable(),
  old: side.describe('The memory that is retired'),
  new: side.nullable().describe('The memory that is kept; null for chatter'),
  contradiction_id: z.string().nullable().describe('To revert it; null with dry_run'),
})

export const consolidateAnswer = z.strictObject({
  status: success,
  dry_run: z.boolean(),
  examined: count.describe('Memories that were compared with their nearest ones'),
  has_more: z.boolean().describe('Older memories were not examined; the scheduled pass examines all'),
  merged: count.describe('Memories that were retired because another one says the same'),
  retired: count.describe('Memories that were retired because they say nothing'),
  proposals: z.array(proposal),
})
