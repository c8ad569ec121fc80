import type { z } from 'zod'
import { isoTimestamp } from '../../core/clock.js'
import { invalid } from '../../core/errors.js'
import { expiryOf } from '../../core/ttl.js'
import { createKey, listKeys, revokeKey } from '../../service/keys/keys.js'
import { readTtl } from '../body/request-values.js'
import { endpoint } from '../endpoint.js'
import { keyExample } from '../openapi/examples.js'
import { idParams } from '../schemas/common.js'
import { createKeyAnswer, createKeyRequest, listKeysAnswer, listKeysQuery, revokeKeyAnswer } from '../schemas/key.js'
import { apiKeyView, keyLimitsView } from '../views.js'

const create = endpoint({
  method: 'POST',
  path: '/keys',
  operationId: 'createKey',
  summary: 'Create an API key',
  description:
    'Only this response has the full key; the service keeps a bcrypt hash. The key may be limited: it only reads, it only stores, it reaches one project, it expires. An application key acts for the user that each request names, and for nobody without one. A call that it does not allow is a 403; an expired key is a 401.',
  tag: 'Keys',
  access: 'master',
  limit: 'default',
  status: 201,
  body: createKeyRequest,
  answer: createKeyAnswer,
  example: {
    request: { user_id: 'alice', name: 'reports', access: 'read', project: 'garden', ttl: '30d' },
    answer: {
      id: keyExample.id,
      key: 'ksk_01jnh5w3x8e2m9v4q7t6z0y1ab_secret-shown-once',
      user_id: 'alice',
      name: 'reports',
      created_at: keyExample.created_at,
      access: 'read',
      project: 'garden',
      expires_at: '2026-03-31T09:30:00.000Z',
      kind: 'user' as const,
      user_prefix: null,
    },
  },
  async handle({ deps, actor, body }) {
    const { name, access, project = null } = body
    const expiresAt = expiryOf(readTtl(body.ttl), deps.clock.now(), undefined)
    const created = await createKey(deps, actor, { ...readReach(body), name, access, project, expiresAt })
    return {
      id: created.id,
      key: created.key,
      user_id: created.userId,
      name: created.name,
      created_at: isoTimestamp(created.createdAt),
      ...keyLimitsView(created),
    }
  },
})

/** The user of the key, or the prefix of an application key. */
function readReach({ kind, user_id: userId, user_prefix: userPrefix }: z.infer<typeof createKeyRequest>) {
  if (kind === 'application') {
    if (userId !== undefined) throw invalid('user_id', 'cannot be combined with kind application')
    return { userId: null, userPrefix: userPrefix ?? '' }
  }
  if (userPrefix !== undefined) throw invalid('user_prefix', 'needs kind application')
  if (userId === undefined) throw invalid('user_id', 'is required')
  return { userId, userPrefix: null }
}

const list = endpoint({
  method: 'GET',
  path: '/keys',
  operationId: 'listKeys',
  summary: 'List API keys, newest first',
  tag: 'Keys',
  access: 'master',
  limit: 'default',
  query: listKeysQuery,
  answer: listKeysAnswer,
  example: { answer: { keys: [keyExample], total: 1 } },
  async handle({ deps, query }) {
    const keys = await listKeys(deps, query.user_id)
    return { keys: keys.map((key) => apiKeyView(key, deps.clock.now())), total: keys.length }
  },
})

const revoke = endpoint({
  method: 'DELETE',
  path: '/keys/{id}',
  operationId: 'revokeKey',
  summary: 'Revoke an API key',
  description: 'The key stops working immediately. An unknown or already revoked key is a 404.',
  tag: 'Keys',
  access: 'master',
  limit: 'default',
  notFound: true,
  params: idParams,
  answer: revokeKeyAnswer,
  example: { answer: { status: 'success', id: keyExample.id, revoked_at: keyExample.created_at } },
  async handle({ deps, actor, params }) {
    const revokedAt = await revokeKey(deps, actor, params.id)
    return { status: 'success' as const, id: params.id, revoked_at: isoTimestamp(revokedAt) }
  },
})

export const keyEndpoints = [create, list, revoke]
