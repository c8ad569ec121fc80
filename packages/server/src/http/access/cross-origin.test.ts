import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { crossOrigin } from './cross-origin.js'

const page = 'https://app.example'

async function appFor(...origins: string[]) {
  const app = Fastify()
  const allow = crossOrigin(origins)
  app.addHook('onRequest', async (request, reply) => allow(request, reply))
  app.get('/', async () => ({ fine: true }))
  await app.ready()
  return app
}

const preflight = (origin: string) =>
  ({ method: 'OPTIONS', url: '/', headers: { origin, 'access-control-request-method': 'PUT' } }) as const

describe('a page of an allowed origin', () => {
  it('gets its preflight answered for any address, and may cache it for ten minutes', async () => {
    const app = await appFor('https://other.example', page)
    for (const url of ['/', '/nowhere']) {
      const answer = await app.inject({ ...preflight(page), url })
      expect(answer.statusCode).toBe(204)
      expect(answer.body).toBe('')
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': page,
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
        'access-control-allow-headers':
          'authorization, content-type, idempotency-key, last-event-id, mcp-protocol-version, mcp-method, mcp-name',
        'access-control-max-age': '600',
        vary: 'Origin',
      })
    }
  })

  it('may read responses and errors, with the headers that clients need', async () => {
    const app = await appFor(page)
    for (const [url, status] of [
      ['/', 200],
      ['/nowhere', 404],
    ] as const) {
      const answer = await app.inject({ method: 'GET', url, headers: { origin: page } })
      expect(answer.statusCode).toBe(status)
      expect(answer.headers['access-control-allow-origin']).toBe(page)
      expect(answer.headers['access-control-expose-headers']).toContain('x-ratelimit-remaining')
      expect(answer.headers.vary).toBe('Origin')
    }
  })

  it('is never allowed to send credentials of the browser', async () => {
    for (const origins of [[page], ['*']]) {
      const app = await appFor(...origins)
      for (const request of [preflight(page), { method: 'GET', url: '/', headers: { origin: page } } as const]) {
        expect((await app.inject(request)).headers['access-control-allow-credentials']).toBeUndefined()
      }
    }
  })
})

describe('everyone else', () => {
  it.each([
    'https://evil.example',
    'http://app.example',
    'https://app.example.evil.example',
    'https://app.example:8443',
    'https://APP.example',
    'null',
    `${page}, https://evil.example`,
    '',
  ])('gets no permission: %s', async (origin) => {
    const app = await appFor(page)
    for (const request of [preflight(origin), { method: 'GET', url: '/', headers: { origin } } as const]) {
      const answer = await app.inject(request)
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
      expect(answer.headers.vary).toBe('Origin')
    }
  })

  it('gets Vary: Origin even without an origin', async () => {
    const answer = await (await appFor(page)).inject({ method: 'GET', url: '/' })
    expect(answer.headers.vary).toBe('Origin')
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  })

  it('gets no special response to an OPTIONS request that is not a preflight', async () => {
    const answer = await (await appFor(page)).inject({ method: 'OPTIONS', url: '/', headers: { origin: page } })
    expect(answer.statusCode).toBe(404)
  })
})

it('* allows every page with the same response', async () => {
  const app = await appFor('*')
  const answer = await app.inject(preflight('https://anything.example'))
  expect(answer.headers['access-control-allow-origin']).toBe('*')
  expect(answer.headers.vary).toBeUndefined()
})
