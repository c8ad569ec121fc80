import { z } from 'zod'
import { count, success, timestamp, userId } from './common.js'

export const grantsQuery = z.strictObject({
  user_id: userId
    .describe('Only grants of this user; by default the user of the API key, or all with the master key')
    .optional(),
})

export const grant = z.strictObject({
  id: z.string(),
  user_id: z.string(),
  client_id: z.string().describe('The OAuth client: a URL, or an id from its registration'),
  client_name: z.string().describe('The name that the client gave itself'),
  status: z.enum(['active', 'expired', 'revoked']),
  approved_by: z.string().nullable().describe('The API key that approved it; null: the master key'),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
  expires_at: timestamp.describe('The end, unless the client refreshes its tokens'),
  revoked_at: timestamp.nullable(),
})

export const listGrantsAnswer = z.strictObject({ grants: z.array(grant), total: count })
export const revokeGrantAnswer = z.strictObject({ status: success, id: z.string(), revoked_at: timestamp })
