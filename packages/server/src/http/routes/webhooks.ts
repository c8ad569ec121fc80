import { readEventId } from '../../core/memory-event.js'
import {
  createWebhook,
  deadLetters,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  redeliver,
} from '../../service/webhooks/webhooks.js'
import { scopeForIds, scopeForReading, scopeForStoring } from '../access/caller-scope.js'
import { readOwner } from '../body/request-values.js'
import { endpoint } from '../endpoint.js'
import { deadLetterView, webhookView } from '../events/event-views.js'
import { eventExample, webhookExample } from '../openapi/examples.js'
import { idParams, userQuery } from '../schemas/common.js'
import {
  createWebhookAnswer,
  createWebhookRequest,
  deadLettersAnswer,
  deadLettersQuery,
  deleteWebhookAnswer,
  redeliverAnswer,
  redeliverRequest,
  webhookAnswer,
  webhooksAnswer,
} from '../schemas/webhook.js'

// The URL of a webhook may be a secret, so a key that only reads does not see it.
const shared = { tag: 'Events', access: 'user', needs: 'change', spansProjects: true, limit: 'default' } as const

const create = endpoint({
  ...shared,
  method: 'POST',
  path: '/webhooks',
  operationId: 'createWebhook',
  summary: 'Create a webhook',
  description:
    'From now on, events are sent to the URL in order, at least once, signed with the secret (`Keepsake-Signature`). At most ten webhooks per user.',
  body: createWebhookRequest,
  answer: createWebhookAnswer,
  example: {
    request: { url: 'https://example.com/keepsake', events: ['memory.stored'] },
    answer: { status: 'success', webhook: webhookExample, secret: 'whsec_shown-once' },
  },
  async handle({ deps, options, actor, caller, body }) {
    const scope = scopeForStoring(caller, body.user_id)
    const request = {
      url: body.url,
      types: [...new Set(body.events ?? [])],
      project: body.project ?? null,
      secret: body.secret,
    }
    const created = await createWebhook(deps, actor, scope, request, options.live?.webhooks ?? { allowPrivate: false })
    options.live?.wakeDelivery()
    return { status: 'success' as const, webhook: webhookView(created.webhook), secret: created.secret ?? null }
  },
})

const list = endpoint({
  ...shared,
  method: 'GET',
  path: '/webhooks',
  operationId: 'listWebhooks',
  summary: 'List webhooks and their status',
  query: userQuery,
  answer: webhooksAnswer,
  example: { answer: { webhooks: [webhookExample], total: 1 } },
  async handle({ deps, caller, query }) {
    const webhooks = await listWebhooks(deps, scopeForReading(caller, query.user_id))
    return { webhooks: webhooks.map(webhookView), total: webhooks.length }
  },
})

const read = endpoint({
  ...shared,
  method: 'GET',
  path: '/webhooks/{id}',
  operationId: 'getWebhook',
  summary: 'Get one webhook',
  notFound: true,
  params: idParams,
  query: userQuery,
  answer: webhookAnswer,
  example: { answer: { webhook: webhookExample } },
  async handle({ deps, caller, params, query }) {
    return { webhook: webhookView(await findWebhook(deps, scopeForIds(caller, query.user_id), params.id)) }
  },
})

const remove = endpoint({
  ...shared,
  method: 'DELETE',
  path: '/webhooks/{id}',
  operationId: 'deleteWebhook',
  summary: 'Delete a webhook with its secret and its dead letters',
  notFound: true,
  params: idParams,
  query: userQuery,
  answer: deleteWebhookAnswer,
  example: { answer: { status: 'success', id: webhookExample.id } },
  async handle({ deps, actor, caller, params, query }) {
    await deleteWebhook(deps, actor, scopeForIds(caller, query.user_id), params.id)
    return { status: 'success' as const, id: params.id }
  },
})

const dead = endpoint({
  ...shared,
  method: 'GET',
  path: '/webhooks/{id}/dead-letters',
  operationId: 'listDeadLetters',
  summary: 'List events that could not be delivered',
  description: 'A dead letter exists as long as the log keeps its event and its memory is not erased.',
  notFound: true,
  params: idParams,
  query: deadLettersQuery,
  answer: deadLettersAnswer,
  example: {
    answer: {
      dead_letters: [
        {
          event: eventExample,
          attempts: 8,
          last_status: 500,
          last_error: 'status 500',
          failed_at: '2026-03-02T09:30:00.000Z',
          redelivering: false,
        },
      ],
      total: 1,
    },
  },
  async handle({ deps, caller, params, query }) {
    const found = await deadLetters(deps, scopeForIds(caller, query.user_id), params.id, query.limit)
    return { dead_letters: found.items.map(deadLetterView), total: found.total }
  },
})

const again = endpoint({
  ...shared,
  method: 'POST',
  path: '/webhooks/{id}/redeliver',
  operationId: 'redeliverEvents',
  summary: 'Redeliver dead letters',
  description: 'One attempt per event, immediately. An event that fails is a dead letter again.',
  notFound: true,
  params: idParams,
  body: redeliverRequest,
  bodyOptional: true,
  query: userQuery,
  answer: redeliverAnswer,
  example: { request: { event_ids: ['17-0'] }, answer: { status: 'success', redelivering: 1 } },
  async handle({ deps, options, actor, caller, params, query, body }) {
    const scope = scopeForIds(caller, readOwner(body, query).user_id)
    const marks = body.event_ids?.flatMap((text) => readEventId(text) ?? []) ?? null
    const redelivering = await redeliver(deps, actor, scope, params.id, marks)
    options.live?.wakeDelivery()
    return { status: 'success' as const, redelivering }
  },
})

export const webhookEndpoints = [create, list, read, remove, dead, again]
