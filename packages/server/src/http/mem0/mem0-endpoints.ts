/**
 * The REST interface of mem0, as its clients call it, over the operations of the API: their checks, scopes, limits and audit lines hold. It
 * is not in the table of endpoints, because the OpenAPI document describes our own interface. `docs/mem0.md` lists the differences.
 */
import { z } from 'zod'
import { invalid, notFound } from '../../core/errors.js'
import { userOfMemory } from '../access/caller-scope.js'
import { type Call, type Endpoint, endpoint, type Operation } from '../endpoint.js'
import {
  deleteMemoriesEndpoint,
  getMemoryEndpoint,
  historyEndpoint,
  listMemoriesEndpoint,
  updateMemoryEndpoint,
} from '../routes/memories.js'
import { recallEndpoint } from '../routes/recall.js'
import { storeEndpoint } from '../routes/store.js'
import { idParams } from '../schemas/common.js'
import {
  type Mem0Scopes,
  mem0Add,
  mem0DeleteAllQuery,
  mem0DeleteQuery,
  mem0EntityParams,
  mem0List,
  mem0ListQuery,
  mem0Page,
  mem0Search,
  mem0Update,
} from '../schemas/mem0.js'
import { labels, metadataConditions, type Narrowed, narrowed } from './filters.js'
import { keptMetadata, labelMetadata, mem0History, mem0Memory, textOf, ttlUntil } from './shapes.js'

type Fields = Readonly<Record<string, unknown>>
type AnyCall = Call<unknown, unknown, unknown>

/** Performs an operation of the API for the caller of this request. */
export type Run = (
  call: AnyCall,
  operation: Operation,
  input: { readonly params?: Fields; readonly query?: Fields; readonly body?: Fields },
) => Promise<Fields>

const shared = { base: 'root', tag: 'Memories', access: 'user', forApplications: 'all', tokenScheme: true } as const
const shape = { summary: 'mem0', answer: z.unknown() } as const
const reads = { ...shared, ...shape, needs: 'read', limit: 'default' } as const
const changes = { ...shared, ...shape, needs: 'change', limit: 'default' } as const

/** The request names only a memory: an application key acts for the owner. */
const byId: Pick<Endpoint, 'userOf'> = {
  async userOf(asking, { params }) {
    const { id } = params as { readonly id: string }
    const userId = await userOfMemory(asking, id)
    if (userId === undefined) throw notFound('Memory')
    return userId
  },
}

/** The user is beside the filter or in it. */
const byFilters: Pick<Endpoint, 'userOf'> = {
  async userOf(_asking, { body }) {
    const { filters, ...scopes } = (body ?? {}) as Mem0Scopes & { readonly filters?: Fields }
    return narrowed(scopes, filters).userId
  },
}

type Version = 'v1' | 'v2' | 'v3'

export function mem0Endpoints(run: Run): readonly Endpoint[] {
  const made = [
    ping,
    add('v3', '/v3/memories/add/', run),
    add('v1', '/v1/memories/', run),
    ...(['v1', 'v2', 'v3'] as const).map((version) => search(version, run)),
    ...(['v2', 'v3'] as const).map((version) => listByBody(version, run)),
    listByQuery(run),
    ...one(run),
    deleteAll(run),
    users(run),
    ...(['v1', 'v2'] as const).map((version) => deleteEntity(version, run)),
  ]
  return made.flatMap((each) => [each, { ...each, path: each.path.replace(/\/$/, '') }])
}

const ping = endpoint({
  ...reads,
  method: 'GET',
  path: '/v1/ping/',
  operationId: 'mem0Ping',
  // Any valid key: it shows nothing.
  needs: 'any',
  anyQuery: true,
  handle: () => ({ status: 'ok', org_id: null, project_id: null, user_email: null }),
})

const add = (version: Version, path: string, run: Run) =>
  endpoint({
    ...shared,
    ...shape,
    method: 'POST',
    path,
    operationId: 'mem0Add',
    needs: 'store',
    limit: 'store',
    body: mem0Add,
    async handle(call) {
      const { body, deps } = call
      if (body.infer === false) throw invalid('infer', 'must be true: texts are always divided into memories')
      const expires = body.expiration_date
      const { memories } = await run(call, storeEndpoint, {
        body: {
          ...textOf(body.messages),
          ...(body.user_id === undefined ? {} : { user_id: body.user_id }),
          metadata: { ...(body.metadata ?? {}), ...labelMetadata(body) },
          source: 'mem0',
          ...(body.timestamp === undefined ? {} : { created_at: new Date(body.timestamp * 1000).toISOString() }),
          ...(expires === undefined || expires === null ? {} : { ttl: ttlUntil(expires, deps.clock.now()) }),
        },
      })
      const results = listOf(memories).map(({ id, content, action }) => ({
        ...{ id, event: action, memory: content },
        data: { memory: content },
      }))
      return version === 'v3' || body.output_format === 'v1.1' ? { results } : results
    },
  })

const search = (version: Version, run: Run) =>
  endpoint({
    ...reads,
    ...byFilters,
    method: 'POST',
    path: `/${version}/memories/search/`,
    operationId: 'mem0Search',
    limit: 'recall',
    body: mem0Search,
    async handle(call) {
      const { body, caller } = call
      const { userId, filter } = narrowed(body, body.filters, metadataConditions(body.metadata ?? {}, 'metadata'))
      const { memories } = await run(call, recallEndpoint, {
        body: {
          query: body.query,
          limit: body.top_k ?? body.limit ?? 10,
          enable_rerank: body.rerank ?? false,
          ...(typeof body.threshold === 'number' ? { threshold: body.threshold } : {}),
          ...(userId === undefined ? {} : { user_id: userId }),
          ...(filter === undefined ? {} : { filter }),
        },
      })
      const owner = userId ?? (caller.kind === 'user' ? caller.userId : undefined)
      const results = listOf(memories).map((memory) => picked(mem0Memory(memory, owner), body.fields))
      return version === 'v3' || body.output_format === 'v1.1' ? { results } : results
    },
  })

const listByBody = (version: 'v2' | 'v3', run: Run) =>
  endpoint({
    ...reads,
    ...byFilters,
    method: 'POST',
    path: `/${version}/memories/`,
    operationId: 'mem0List',
    query: mem0Page,
    body: mem0List,
    bodyOptional: true,
    async handle(call) {
      const { body, query } = call
      const dates = [
        ...(body.start_date === undefined ? [] : [{ created_at: { gte: body.start_date } }]),
        ...(body.end_date === undefined ? [] : [{ created_at: { lte: body.end_date } }]),
      ]
      const page = await listed(run, call, narrowed(body, body.filters, dates), query, body.show_expired ?? false)
      const isPaged = version === 'v3' || query.page !== undefined || query.page_size !== undefined
      return isPaged || body.output_format === 'v1.1' ? pageOf(page, `/${version}/memories/`) : page.results
    },
  })

const listByQuery = (run: Run) =>
  endpoint({
    ...reads,
    method: 'GET',
    path: '/v1/memories/',
    operationId: 'mem0ListByQuery',
    query: mem0ListQuery,
    async handle(call) {
      const { query } = call
      const size = { page: query.page, page_size: query.page_size ?? query.top_k }
      const page = await listed(run, call, narrowed(query, undefined), size, false)
      const isPaged = query.page !== undefined || query.page_size !== undefined
      return isPaged ? pageOf(page, '/v1/memories/') : page.results
    },
  })

const one = (run: Run) => {
  const path = '/v1/memories/{id}/'
  const get = endpoint({
    ...reads,
    ...byId,
    ...{ method: 'GET', path, operationId: 'mem0Get', params: idParams, anyQuery: true },
    async handle(call) {
      const { memory } = await run(call, getMemoryEndpoint, { params: call.params })
      return shownOne(memory)
    },
  })
  const update = endpoint({
    ...changes,
    ...byId,
    ...{ method: 'PUT', path, operationId: 'mem0Update', params: idParams, body: mem0Update, anyQuery: true },
    async handle(call) {
      const { body, params, deps } = call
      const { memory: before } = await run(call, getMemoryEndpoint, { params })
      const { memory } = await run(call, updateMemoryEndpoint, {
        params,
        body: {
          ...(body.text === undefined ? {} : { content: body.text }),
          ...(body.metadata === undefined
            ? {}
            : { metadata: { ...body.metadata, ...keptMetadata((before as Fields).metadata) } }),
          ...(body.expiration_date === undefined ? {} : { ttl: ttlUntil(body.expiration_date, deps.clock.now()) }),
        },
      })
      return shownOne(memory)
    },
  })
  const remove = endpoint({
    ...changes,
    ...byId,
    ...{ method: 'DELETE', path, operationId: 'mem0Delete', params: idParams, query: mem0DeleteQuery, limit: 'forget' },
    async handle(call) {
      const body = { memory_ids: [call.params.id] }
      if ((await run(call, deleteMemoriesEndpoint, { body })).deleted === 0) throw notFound('Memory')
      return { message: 'Memory deleted successfully!' }
    },
  })
  const history = endpoint({
    ...reads,
    ...byId,
    ...{ method: 'GET', path: `${path}history/`, operationId: 'mem0History', params: idParams, anyQuery: true },
    async handle(call) {
      const { memory } = await run(call, getMemoryEndpoint, { params: call.params })
      const { versions } = await run(call, historyEndpoint, { params: call.params })
      return mem0History(call.params.id, (memory as Fields).user_id, listOf(versions))
    },
  })
  return [get, update, remove, history]
}

const deleteAll = (run: Run) =>
  endpoint({
    ...changes,
    method: 'DELETE',
    path: '/v1/memories/',
    operationId: 'mem0DeleteAll',
    limit: 'forget',
    query: mem0DeleteAllQuery,
    async handle(call) {
      await erase(run, call, call.query)
      return { message: 'Memories deleted successfully!' }
    },
  })

const users = (run: Run) =>
  endpoint({
    ...reads,
    method: 'GET',
    path: '/v1/entities/',
    operationId: 'mem0Users',
    query: mem0Page,
    async handle(call) {
      const { caller } = call
      if (caller.kind !== 'user') throw invalid('', 'users are not listed: use an API key of one user')
      const { total, memories } = await run(call, listMemoriesEndpoint, { query: { limit: 1 } })
      const [newest] = listOf(memories)
      const user = { id: caller.userId, name: caller.userId, type: 'user', owner: null, total_memories: total }
      const times = { created_at: null, updated_at: newest?.updated_at ?? null }
      const isFirst = (call.query.page ?? 1) === 1
      return { count: 1, next: null, previous: null, results: isFirst ? [{ ...user, ...times }] : [] }
    },
  })

const deleteEntity = (version: 'v1' | 'v2', run: Run) =>
  endpoint({
    ...changes,
    method: 'DELETE',
    path: `/${version}/entities/{type}/{name}/`,
    operationId: 'mem0DeleteEntity',
    limit: 'forget',
    params: mem0EntityParams,
    userOf: async (_asking, { params }) => entityScopes(params).user_id,
    async handle(call) {
      await erase(run, call, entityScopes(call.params))
      return { message: 'Entity deleted successfully.' }
    },
  })

/** `params` have passed their schema, or come from the path, which has both. */
function entityScopes(params: unknown): Mem0Scopes {
  const { type, name } = params as z.infer<typeof mem0EntityParams>
  const field = ['user_id', ...labels].find((each) => each === `${type}_id`)
  if (field === undefined) throw invalid('type', 'must be user, agent, app or run')
  return { [field]: name }
}

async function erase(run: Run, call: AnyCall, scopes: Mem0Scopes): Promise<void> {
  if (Object.keys(scopes).length === 0) throw invalid('user_id', 'is required, or another id; nothing was deleted')
  const { userId, filter } = narrowed(scopes, undefined)
  const owner = userId === undefined ? {} : { user_id: userId }
  await run(call, deleteMemoriesEndpoint, {
    body: { ...owner, ...(filter === undefined ? { all: true } : { filter }) },
  })
}

interface Page {
  readonly results: readonly Fields[]
  readonly total: number
  readonly page: number
  readonly size: number
}

async function listed(
  run: Run,
  call: AnyCall,
  { userId, filter }: Narrowed,
  { page = 1, page_size: size = 100 }: { readonly page?: number | undefined; readonly page_size?: number | undefined },
  includeExpired: boolean,
): Promise<Page> {
  // Flagged text is not put before a model unasked.
  const fixed = { page, limit: size, flagged: false, include_expired: includeExpired }
  const { memories, total } = await run(call, listMemoriesEndpoint, {
    query: {
      ...fixed,
      ...(userId === undefined ? {} : { user_id: userId }),
      ...(filter === undefined ? {} : { filter: JSON.stringify(filter) }),
    },
  })
  return { results: listOf(memories).map(shownOne), total: Number(total), page, size }
}

function pageOf({ results, total, page, size }: Page, path: string): Fields {
  const at = (number: number) => `${path}?page=${number}&page_size=${size}`
  return {
    count: total,
    next: page * size < total ? at(page + 1) : null,
    previous: page > 1 ? at(page - 1) : null,
    results,
  }
}

function shownOne(memory: unknown): Fields {
  const fields = memory as Fields
  return mem0Memory(fields, fields.user_id)
}

function picked(memory: Fields, fields: readonly string[] | undefined): Fields {
  if (fields === undefined) return memory
  return Object.fromEntries(Object.entries(memory).filter(([name]) => name === 'id' || fields.includes(name)))
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value : []
}
