import { isoTimestamp } from '../../core/clock.js'
import { createKey, listKeys, revokeKey } from '../../service/keys/keys.js'
import { endpoint } from '../endpoint.js'
import { keyExample } from '../openapi/examples.js'
import { idParams } from '../schemas/common.js'
import { createKeyAnswer, createKeyRequest, listKeysAnswer, listKeysQuery, revokeKeyAnswer } from '../schemas/key.js'
import { apiKeyView } from '../views.js'

const create = endpoint({
  method: 'POST',
  path: '/keys',
  operationId: 'createKey',
  summary: 'Create an API key',
  description: 'Only this response has the full key; the service keeps a bcrypt hash.',
  tag: 'Keys',
  access: 'master',
  limit: 'default',
  status: 201,
  body: createKeyRequest,
  answer: createKeyAnswer,
  example: {
    request: { user_id: 'alice', name: 'laptop' },
    answer: {
      id: keyExample.id,
      key: 'ksk_01jnh5w3x8e2m9v4q7t6z0y1ab_secret-shown-once',
      user_id: 'alice',
      name: 'laptop',
      created_at: keyExample.created_at,
    },
  },
  async handle({ deps, actor, body }) {
    const created = await createKey(deps, actor, { userId: body.user_id, name: body.name })
    return {
      id: created.id,
      key: created.key,
      user_id: created.userId,
      name: created.name,
      created_at: isoTimestamp(created.createdAt),
    }
  },
})

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
    return { keys: keys.map(apiKeyView), total: keys.length }
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
