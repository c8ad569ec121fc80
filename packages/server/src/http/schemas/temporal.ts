import { z } from 'zod'
import {
  count,
  cursor,
  formatted,
  nextCursor,
  optionalPage,
  pageSize,
  project,
  score,
  shownPage,
  space,
  success,
  timestamp,
  userId,
} from './common.js'

const whatIf = {
  half_life_days: z
    .number()
    .min(0.001)
    .max(1_000_000)
    .describe('Calculate with this half-life instead of the configured one')
    .optional(),
  access_boost_weight: z
    .number()
    .min(0)
    .max(1_000_000)
    .describe('Calculate with this weight per access instead of the configured one')
    .optional(),
}

export const decayReportQuery = z.strictObject({
  user_id: userId.optional(),
  space: space.optional(),
  project: project.optional(),
  ...whatIf,
  limit: pageSize(100, 500),
  page: optionalPage,
  cursor: cursor.optional(),
})

export const decayReportAnswer = z.strictObject({
  total_memories: count,
  healthy: count.describe('decay_score above 0.7'),
  decaying: count.describe('decay_score from 0.3 to 0.7'),
  expired: count.describe('decay_score below 0.3; these memories are still kept and recalled'),
  memories: z
    .array(
      z.strictObject({
        id: z.string(),
        content: z.string(),
        decay_score: score,
        last_accessed: timestamp.nullable(),
      }),
    )
    .describe('Lowest score first'),
  distribution: z
    .array(z.strictObject({ from: score, to: score, count }))
    .describe('Number of scores in each tenth; a score of 1 is in the last one'),
  forecast: z
    .array(z.strictObject({ days: count, healthy: count, decaying: count, expired: count }))
    .describe('The same three numbers after this many days if no memory is accessed; TTLs are ignored'),
  half_life_days: z.number().min(0).describe('The half-life that the scores were calculated with'),
  access_boost_weight: z.number().min(0),
  page: shownPage,
  limit: z.int().min(1),
  next_cursor: nextCursor,
})

export const memoryDecayQuery = z.strictObject({
  user_id: userId.optional(),
  space: space.optional(),
  ...whatIf,
  forecast_days: formatted('days', 'Days from now to forecast, separated by commas; by default 7,30,90,365').optional(),
})

export const memoryDecayAnswer = z.strictObject({
  id: z.string(),
  decay_score: score,
  time_decay: z.number().min(0).max(1),
  access_boost: z.number().min(1),
  recency_boost: z.number().min(1),
  age_days: z.number().min(0),
  access_count: count,
  last_accessed: timestamp.nullable(),
  half_life_days: z.number().min(0),
  access_boost_weight: z.number().min(0),
  status: z.enum(['healthy', 'decaying', 'expired']),
  expires_at: timestamp.nullable(),
  forecast: z
    .array(z.strictObject({ days: count, decay_score: score }))
    .describe('The score after this many days if the memory is not accessed'),
})

const scopeFields = { user_id: userId.optional(), space: space.optional(), project: project.optional() }

export const cleanupExpiredRequest = z.strictObject({
  ...scopeFields,
  dry_run: z.boolean().default(false).describe('Only count, delete nothing'),
})

export const temporalCleanupRequest = z.strictObject({
  ...scopeFields,
  dry_run: z.boolean().default(true).describe('Only preview; false deletes the expired memories'),
})

const cleanupFields = {
  status: success,
  deleted: count,
  would_delete: count.describe('Memories that had expired when the cleanup began'),
  dry_run: z.boolean(),
}

export const cleanupExpiredAnswer = z.strictObject(cleanupFields)

export const temporalCleanupAnswer = z.strictObject({
  ...cleanupFields,
  memories: z
    .array(z.strictObject({ id: z.string(), content: z.string(), expired_at: timestamp }))
    .describe('The first 100 of these memories'),
})
