import type { FastifyRequest } from 'fastify'
import { unavailable } from '../../core/errors.js'
import { type UserScope, userScope } from '../../core/scope.js'
import { ttlRule } from '../../core/ttl.js'
import { type BatchItem, type Outcome, storeBatch } from '../../service/store/batch/store-batch.js'
import { type Caller, scopeForStoring, scopeIn } from '../access/caller-scope.js'
import { type Call, replyEndpoint } from '../endpoint.js'
import { memoryExample } from '../openapi/examples.js'
import type { HttpOptions } from '../options.js'
import { asServiceError, errorBodyOf } from '../response/error-response.js'
import type { StoreRequest } from '../schemas/memory.js'
import { type StoreItem, storeBatchAnswer, storeBatchRequest } from '../schemas/store-batch.js'
import { onceFor, readInput, storedView } from './store.js'

/** A slice more may take some seconds. Clients and proxies often wait for two minutes. */
const longestMs = 60_000

export const storeBatchEndpoint = replyEndpoint({
  method: 'POST',
  path: '/store/batch',
  operationId: 'storeBatch',
  summary: 'Store many texts',
  description:
    'Stores up to 1,000 texts in their order, each as if it had been sent to POST /store after the ones before it. Every item has its own result: an item that is refused does not affect the others. Each item counts as one request towards the limit. With an Idempotency-Key, or a key per item, the request can be retried safely: items that are stored are not stored again. After a minute no further items are begun; those that are left have the status failed and can be sent again.',
  tag: 'Memories',
  access: 'user',
  needs: 'store',
  forApplications: 'all',
  limit: 'store',
  idempotent: true,
  itemsApart: 'items',
  body: storeBatchRequest,
  answer: storeBatchAnswer,
  example: {
    request: {
      user_id: 'alice',
      items: [{ content: 'John works at Acme Corp' }, { content: 'I play chess', ttl: 'soon' }],
    },
    answer: {
      status: 'success',
      stored: 1,
      refused: 1,
      failed: 0,
      results: [
        {
          index: 0,
          status: 'stored',
          result: {
            status: 'success',
            memories: [
              {
                id: memoryExample.id,
                content: memoryExample.content,
                action: 'ADD',
                entities: memoryExample.entities,
                project: null,
                created_at: memoryExample.created_at,
                expires_at: null,
                trust_score: 1,
                checksum: memoryExample.checksum,
                source: 'api',
              },
            ],
            entities_extracted: 2,
            relationships_created: 1,
          },
        },
        {
          index: 1,
          status: 'refused',
          error: {
            code: 'validation_error',
            message: `ttl: ${ttlRule}`,
            details: [{ path: 'ttl', message: ttlRule }],
            request_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
          },
        },
      ],
    },
  },
  async handle(call) {
    const { deps, options, actor, caller, body, reply } = call
    // A user whom the key may not store for concerns all items.
    scopeForStoring(caller, body.user_id)
    const owners: Owners = new Map()
    const read = await Promise.all(
      body.items.map(async (item, index): Promise<BatchItem | { readonly error: unknown }> => {
        try {
          return await readItem(call, item, index, owners)
        } catch (error) {
          return { error }
        }
      }),
    )
    const items = read.filter((each): each is BatchItem => !('error' in each))
    const endsAt = performance.now() + longestMs
    const outcomes = await storeBatch(deps, actor, items, {
      reasonToEnd() {
        if (reply.raw.destroyed) return unavailable('The sender has hung up before this item was stored')
        return performance.now() < endsAt
          ? undefined
          : unavailable('There was no time left for this item; send it again')
      },
    })
    const outcomeOf = new Map(items.map((item, index) => [item, outcomes[index]]))
    const results = read.map((each, index) => {
      const outcome = 'error' in each ? each : outcomeOf.get(each)
      return { index, ...resultView(caller, reply.request, options, outcome) }
    })
    const count = (status: string) => results.filter((each) => each.status === status).length
    return {
      status: 'success' as const,
      stored: count('stored'),
      refused: count('refused'),
      failed: count('failed'),
      results,
    }
  },
})

type BatchCall = Call<unknown, unknown, { readonly user_id?: string | undefined }>

/** @throws ServiceError for an item that a single store would refuse before it reads the text. */
async function readItem(call: BatchCall, item: StoreItem, index: number, owners: Owners): Promise<BatchItem> {
  const { deps, caller, body, idempotencyKey, checkItem } = call
  checkItem?.(item)
  const { idempotency_key: ownKey, ...fields } = item
  const request = { ...fields, ...(body.user_id === undefined ? {} : { user_id: body.user_id }) }
  const scope = await scopeOf(call, request, owners)
  // Three parts: no single store has such a key.
  const key = ownKey ?? (idempotencyKey === undefined ? undefined : JSON.stringify(['batch', idempotencyKey, index]))
  return {
    scope,
    input: readInput(request, deps.clock.now()),
    once: key === undefined ? undefined : onceFor(caller, scope, request, key),
  }
}

/** The spaces of a batch, each looked up once. */
type Owners = Map<string, Promise<UserScope>>

async function scopeOf({ deps, caller }: BatchCall, request: StoreRequest, owners: Owners): Promise<UserScope> {
  const { space, project } = request
  const look = () => scopeIn({ deps, caller }, request, 'writer', scopeForStoring)
  if (space === undefined) return look()
  const owner = owners.get(space) ?? look()
  owners.set(space, owner)
  return userScope((await owner).userId, project)
}

function resultView(caller: Caller, request: FastifyRequest, options: HttpOptions, outcome: Outcome | undefined) {
  if (outcome && 'stored' in outcome) {
    const { stored } = outcome
    const replayed = stored.isReplayed ? { replayed: true } : {}
    return { status: 'stored' as const, ...replayed, result: storedView(caller, stored) }
  }
  const error = asServiceError(outcome?.error, request, options.logger)
  const isFinal = error.status < 500 && error.code !== 'conflict' && error.code !== 'rate_limit_exceeded'
  return { status: isFinal ? ('refused' as const) : ('failed' as const), error: errorBodyOf(error, request.id).error }
}
