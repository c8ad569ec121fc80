import { z } from 'zod'
import { keyAccesses } from '../../core/key-access.js'
import { count, formatted, project, success, timestamp, userId } from './common.js'

const access = z
  .enum(keyAccesses)
  .describe('full: everything. read: nothing is changed. write: only stores, and gets no memories back')

const kind = z
  .enum(['user', 'application'])
  .describe('user: reaches one user. application: acts for the user that each request names')

export const createKeyRequest = z.strictObject({
  kind: kind.default('user'),
  user_id: userId.describe('The user whose memories the key reaches; required unless kind is application').optional(),
  user_prefix: userId
    .describe('Only for an application key: it acts for users whose id starts with this; by default for every user')
    .optional(),
  name: z.string().min(1).max(128).meta({ format: 'label', description: 'A label that identifies the key' }),
  access: access.default('full'),
  project: project.describe('The only project that the key reaches; by default all memories of the user').optional(),
  ttl: formatted('ttl', 'How long the key works, such as 12h or 30d; by default until it is revoked').optional(),
})

const limits = {
  access,
  project: z.string().nullable().describe('The only project that it reaches; null: all memories of the user'),
  expires_at: timestamp.nullable(),
  kind,
  user_prefix: z
    .string()
    .nullable()
    .describe('The users of an application key; null: every user, or a key of one user'),
}

const keyUser = z.string().nullable().describe('Null for an application key')

export const createKeyAnswer = z.strictObject({
  id: z.string(),
  key: z.string().describe('The full key; shown only once'),
  user_id: keyUser,
  name: z.string(),
  created_at: timestamp,
  ...limits,
})

export const listKeysQuery = z.strictObject({ user_id: userId.describe('Only keys of this user').optional() })

export const apiKey = z.strictObject({
  id: z.string(),
  user_id: keyUser,
  name: z.string(),
  preview: z.string(),
  status: z.enum(['active', 'revoked', 'expired']),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
  ...limits,
})

export const listKeysAnswer = z.strictObject({ keys: z.array(apiKey), total: count })
export const revokeKeyAnswer = z.strictObject({ status: success, id: z.string(), revoked_at: timestamp })
