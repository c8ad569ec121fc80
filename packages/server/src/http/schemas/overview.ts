import { z } from 'zod'
import { count, optionalPage, pageSize, project, space, userId } from './common.js'

export const usersQuery = z.strictObject({
  q: z.string().min(1).max(128).describe('Only users whose id contains this text, ignoring case').optional(),
  limit: pageSize(50, 500),
  page: optionalPage,
})

export const usersAnswer = z.strictObject({
  users: z.array(
    z.strictObject({
      user_id: z.string(),
      memories: count.describe('Including superseded and expired ones that are kept'),
    }),
  ),
  total: count,
  page: z.int().min(1),
  limit: z.int().min(1),
})

export const projectsQuery = z.strictObject({ user_id: userId.optional(), space: space.optional() })

export const projectsAnswer = z.strictObject({
  projects: z
    .array(z.strictObject({ name: z.string(), memories: count.describe('Current ones') }))
    .describe('Those with the most memories first, at most 500'),
})

export const activityQuery = z.strictObject({
  user_id: userId.optional(),
  space: space.optional(),
  project: project.optional(),
})

export const activityAnswer = z.strictObject({
  days: z
    .array(z.strictObject({ day: z.string().describe('In UTC, such as 2026-11-16'), created: count }))
    .describe('Days on which memories were created, oldest first; at most the last ten years of them'),
})
