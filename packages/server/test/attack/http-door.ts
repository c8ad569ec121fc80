import type { Method, TestService } from '../support/harness.js'
import { describeMismatch } from '../support/openapi-check.js'
import type { Attempt, Door, Outcome } from './door.js'

type App = TestService['app']

export function httpDoor(app: App): Door {
  return { name: 'HTTP', offers: () => true, perform: (attempt) => perform(app, attempt) }
}

async function perform(app: App, { operation, key, id, query, body, from }: Attempt): Promise<Outcome> {
  // An item has two names in its path, and its id here is both of them.
  const path = operation.path
    .replace(/\{(?:user_)?id\}/, encodeURIComponent(id ?? ''))
    .replace('{namespace}/{key}', () => (id ?? '').split('/').map(encodeURIComponent).join('/'))
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  const response = await app.inject({
    // The OpenAPI document contains only HTTP methods.
    method: operation.method as Method,
    url: parameters.length === 0 ? path : `${path}?${parameters.join('&')}`,
    remoteAddress: from,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  })
  const { statusCode: status, payload: answer, headers } = response
  const contentType = String(headers['content-type'] ?? '')
  const parsed: unknown = contentType.startsWith('application/json') ? JSON.parse(answer) : answer
  const mismatch = describeMismatch({ method: operation.method, path, status, contentType, body: parsed })
  if (mismatch !== undefined) throw new Error(`undocumented response: ${mismatch}`)
  const limit = headers['x-ratelimit-limit']
  return {
    status,
    answer,
    body: parsed,
    aside: JSON.stringify(headers),
    ...(limit === undefined
      ? {}
      : { left: { limit: String(limit), remaining: Number(headers['x-ratelimit-remaining']) } }),
  }
}
