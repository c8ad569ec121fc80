import { z } from 'zod'
import { count, formatted, pageSize, project, success, timestamp, userId } from './common.js'
import { eventType, memoryEvent } from './event.js'

const url = z.string().min(1).max(2048)

export const createWebhookRequest = z.strictObject({
  user_id: userId.optional(),
  url: url.describe('Where events are sent: https, and a public address'),
  events: z.array(eventType).max(20).describe('Only these types; empty or absent: all').optional(),
  project: project.optional(),
  secret: z
    .string()
    .min(16)
    .max(256)
    .regex(/^[\x21-\x7e]+$/)
    .describe('For the signature: 16 to 256 visible ASCII characters; absent: one is made')
    .optional(),
})

export const webhook = z.strictObject({
  id: z.string(),
  user_id: z.string(),
  url: z.string(),
  events: z.array(eventType),
  project: z.string().nullable(),
  status: z.enum(['active', 'retrying', 'failing']),
  attempts: count.describe('Of the event that it is at'),
  next_attempt_at: timestamp.nullable(),
  last_attempt_at: timestamp.nullable(),
  last_success_at: timestamp.nullable(),
  last_status: z.int().nullable(),
  last_error: z.string().nullable(),
  dead_letters: count,
  created_at: timestamp,
  created_by: z.string().nullable().describe('The id of the key that made it'),
})

export const createWebhookAnswer = z.strictObject({
  status: success,
  webhook,
  secret: z.string().nullable().describe('Shown this once; null where the caller gave it'),
})
export const webhooksAnswer = z.strictObject({ webhooks: z.array(webhook), total: count })
export const webhookAnswer = z.strictObject({ webhook })
export const deleteWebhookAnswer = z.strictObject({ status: success, id: z.string() })

export const deadLetter = z.strictObject({
  event: memoryEvent,
  attempts: count,
  last_status: z.int().nullable(),
  last_error: z.string().nullable(),
  failed_at: timestamp,
  redelivering: z.boolean(),
})
export const deadLettersQuery = z.strictObject({ user_id: userId.optional(), limit: pageSize(100, 1000) })
export const deadLettersAnswer = z.strictObject({ dead_letters: z.array(deadLetter), total: count })

export const redeliverRequest = z.strictObject({
  user_id: userId.optional(),
  event_ids: z
    .array(formatted('event-id', 'The id of an event'))
    .min(1)
    .max(1000)
    .describe('Only these; absent: all')
    .optional(),
})
export const redeliverAnswer = z.strictObject({ status: success, redelivering: count })
