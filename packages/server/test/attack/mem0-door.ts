/** The REST interface of mem0 as an attacked interface. It has no fields for spaces, projects and the like; those are left out. */
import type { Method, TestService } from '../support/harness.js'
import type { Attempt, Door, Outcome } from './door.js'

type App = TestService['app']

interface Sent {
  readonly method: Method
  readonly url: string
  readonly body?: object
}

export const mem0DoorName = 'mem0'

const requests: Readonly<Record<string, (fields: Fields, id: string) => Sent>> = {
  storeMemories: ({ content, messages, user_id, metadata }) => ({
    method: 'POST',
    url: '/v3/memories/add/',
    body: { messages: messages ?? content, user_id, metadata },
  }),
  recallMemories: ({ query, user_id, limit, threshold }) => ({
    method: 'POST',
    url: '/v3/memories/search/',
    body: { query, top_k: limit, threshold, ...(user_id === undefined ? {} : { filters: { AND: [{ user_id }] } }) },
  }),
  listMemories: ({ user_id, page, limit }) => ({
    method: 'POST',
    url: `/v3/memories/?page=${page ?? 1}&page_size=${limit ?? 50}`,
    body: user_id === undefined ? {} : { filters: { user_id } },
  }),
  getMemory: (_fields, id) => ({ method: 'GET', url: `/v1/memories/${id}/` }),
  getMemoryHistory: (_fields, id) => ({ method: 'GET', url: `/v1/memories/${id}/history/` }),
  updateMemory: ({ content, metadata }, id) => ({
    method: 'PUT',
    url: `/v1/memories/${id}/`,
    body: { text: content, metadata },
  }),
  deleteMemories({ memory_ids: ids, all, user_id }) {
    const [first] = typeof ids === 'string' ? ids.split(',') : Array.isArray(ids) ? ids : []
    if (first !== undefined) return { method: 'DELETE', url: `/v1/memories/${encodeURIComponent(String(first))}/` }
    const narrow = all === undefined || user_id === undefined ? 'agent_id=x&' : ''
    const user = user_id === undefined ? '' : `user_id=${encodeURIComponent(String(user_id))}`
    return { method: 'DELETE', url: `/v1/memories/?${narrow}${user}` }
  },
}

type Fields = Readonly<Record<string, unknown>>

export function mem0Door(app: App): Door {
  return {
    name: mem0DoorName,
    offers: ({ description }) => Object.hasOwn(requests, String(description.operationId)),
    perform: (attempt) => perform(app, attempt),
  }
}

async function perform(app: App, { operation, key, id, query, body, from }: Attempt): Promise<Outcome> {
  const request = requests[String(operation.description.operationId)]
  if (request === undefined) throw new Error('unknown request')
  const sent = request({ ...query, ...(body as Fields | undefined) }, encodeURIComponent(id ?? ''))
  const response = await app.inject({
    method: sent.method,
    url: sent.url,
    remoteAddress: from,
    headers: {
      ...(key === null ? {} : { authorization: `Token ${key}` }),
      ...(sent.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(sent.body === undefined ? {} : { payload: JSON.stringify(sent.body) }),
  })
  const { statusCode: status, payload: answer, headers } = response
  const parsed: unknown = JSON.parse(answer)
  const { results } = (Array.isArray(parsed) ? {} : parsed) as { readonly results?: unknown }
  const limit = headers['x-ratelimit-limit']
  return {
    status,
    answer,
    // Under the name that the checks look for.
    body: results === undefined ? parsed : { memories: results },
    aside: JSON.stringify(headers),
    ...(limit === undefined
      ? {}
      : { left: { limit: String(limit), remaining: Number(headers['x-ratelimit-remaining']) } }),
  }
}
