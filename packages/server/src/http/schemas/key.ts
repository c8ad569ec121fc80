import { z } from 'zod'
import { count, success, timestamp, userId } from './common.js'

export const createKeyRequest = z.strictObject({
  user_id: userId.describe('The user whose memories the key reaches'),
  name: z.string().min(1).max(128).meta({ format: 'label', description: 'A label that identifies the key' }),
})

export const createKeyAnswer = z.strictObject({
  id: z.string(),
  key: z.string().describe('The full key; shown only once'),
  user_id: z.string(),
  name: z.string(),
  created_at: timestamp,
})

export const listKeysQuery = z.strictObject({ user_id: userId.describe('Only keys of this user').optional() })

export const apiKey = z.strictObject({
  id: z.string(),
  user_id: z.string(),
  name: z.string(),
  preview: z.string(),
  status: z.enum(['active', 'revoked']),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
})

export const listKeysAnswer = z.strictObject({ keys: z.array(apiKey), total: count })
export const revokeKeyAnswer = z.strictObject({ status: success, id: z.string(), revoked_at: timestamp })
