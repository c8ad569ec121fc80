/** With authentication off, only programs and pages of this machine or its operator may call: no foreign page, no rebound host name. */
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { masterKey, startService, type TestService } from '../support/harness.js'
import { operations } from '../support/openapi-check.js'

type Method = 'GET' | 'POST' | 'OPTIONS'
type Headers = Readonly<Record<string, string>>

const statusOf = async (service: TestService, headers: Headers, url = '/api/v1/memories', method: Method = 'GET') =>
  (await service.app.inject({ method, url, headers })).statusCode

async function withService(env: Headers, check: (service: TestService) => Promise<void>): Promise<void> {
  const service = await startService({ env })
  try {
    await check(service)
  } finally {
    await service.close()
  }
}

const page = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
const pages = ['/dashboard', '/dashboard/', '/docs', '/redoc']
const others = ['/', '/nowhere', '/mcp', '/docs/start.js', '/dashboard/assets/x.js', '/metrics', '/livez']

describe('with authentication off', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  it.each(['localhost', 'LOCALHOST:8787', 'localhost.', '127.0.0.1:8787', '127.3.2.1', '[::1]:8787'])(
    'accepts Host: %s',
    async (host) => {
      expect(await statusOf(service, { host })).toBe(200)
    },
  )

  it.each([
    'evil.example',
    'evil.example:8787',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'localhost@evil.example',
    '192.0.2.1',
    '[2001:db8::1]:8787',
    '0.0.0.0',
    'localhost:x',
  ])('rejects Host: %s with 403', async (host) => {
    expect(await statusOf(service, { host })).toBe(403)
  })

  const foreign: [string, Headers][] = [
    ['a rebound host name', { host: 'evil.example', 'sec-fetch-site': 'same-origin' }],
    ['a foreign Origin', { origin: 'https://evil.example' }],
    ['an opaque Origin', { origin: 'null' }],
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
  ]
  it.each(foreign)('rejects %s on every route', async (_name, headers) => {
    const routes = operations.map(({ method, path }) => [method as Method, path.replace(/\{\w+\}/g, 'x')] as const)
    for (const [method, url] of [...routes, ...[...pages, ...others].map((each) => ['GET', each] as const)]) {
      expect(await statusOf(service, headers, url, method), `${method} ${url}`).toBe(403)
    }
    expect(await statusOf(service, headers, '/mcp', 'POST')).toBe(403)
    const preflight = { ...headers, 'access-control-request-method': 'POST' }
    expect(await statusOf(service, preflight, '/api/v1/store', 'OPTIONS')).toBe(403)
  })

  it('says why, and how the operator can allow it', async () => {
    const host = await service.fails(403, 'GET', '/memories', { headers: { host: 'evil.example' } })
    expect(host).toMatchObject({ code: 'validation_error', message: expect.stringContaining('SERVICE_ALLOWED_HOSTS') })
    const origin = await service.fails(403, 'GET', '/memories', { headers: { origin: 'https://evil.example' } })
    expect(origin).toMatchObject({ code: 'validation_error', message: expect.stringContaining('SERVICE_CORS_ORIGINS') })
  })

  it('accepts its own pages, pages of this machine, and programs', async () => {
    const own = { host: '127.0.0.1:8787', origin: 'http://127.0.0.1:8787', 'sec-fetch-site': 'same-origin' }
    for (const headers of [own, { origin: 'http://localhost:5173' }, { 'sec-fetch-site': 'none' }, {}])
      expect(await statusOf(service, headers), JSON.stringify(headers)).toBe(200)
  })

  it('opens its pages from a link, but nothing else', async () => {
    for (const url of pages) expect(await statusOf(service, page, url), url).not.toBe(403)
    for (const url of [...others, '/api/v1/memories']) expect(await statusOf(service, page, url), url).toBe(403)
    expect(await statusOf(service, { ...page, 'sec-fetch-dest': 'iframe' }, '/docs')).toBe(403)
    expect(await statusOf(service, { ...page, host: 'evil.example' }, '/docs')).toBe(403)
  })

  it('does not purge for the form of a foreign page', async () => {
    await service.store({ user_id: 'ana', content: 'The parcel arrives on Monday.', ttl: '1h' })
    service.clock.advance(2 * 3_600_000)
    const form = { ...page, origin: 'https://evil.example' }
    for (const type of [undefined, 'application/x-www-form-urlencoded', 'text/plain']) {
      const headers = type === undefined ? form : { ...form, 'content-type': type }
      for (const url of ['/api/v1/cleanup-expired', '/api/v1/temporal/cleanup'])
        expect(await statusOf(service, headers, url, 'POST')).toBe(403)
    }
    expect(service.auditLines.join('\n')).not.toMatch(/cleanup|purge/)
  })

  it('accepts the listed hosts and origins', async () => {
    const env = { SERVICE_ALLOWED_HOSTS: 'memory.example, keepsake', SERVICE_CORS_ORIGINS: 'https://app.example' }
    await withService(env, async (listed) => {
      expect(await statusOf(listed, { host: 'Memory.example:8787' })).toBe(200)
      expect(await statusOf(listed, { host: 'memory.example', origin: 'https://memory.example' })).toBe(200)
      expect(await statusOf(listed, { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' })).toBe(200)
      expect(await statusOf(listed, { host: 'other.example' })).toBe(403)
      expect(await statusOf(listed, { 'sec-fetch-site': 'cross-site' })).toBe(403)
    })
    await withService({ SERVICE_CORS_ORIGINS: '*' }, async (any) => {
      expect(await statusOf(any, { origin: 'https://a.example', 'sec-fetch-site': 'cross-site' })).toBe(200)
      expect(await statusOf(any, { host: 'evil.example', origin: 'http://evil.example' })).toBe(403)
    })
  })

  it('accepts the configured host, and IP addresses if it listens beyond this machine', async () => {
    const off = { SERVICE_AUTH_ENABLED: 'false' }
    await withService({ ...off, SERVICE_HOST: '0.0.0.0' }, async (everywhere) => {
      for (const host of ['10.0.0.7:8787', '[2001:db8::1]:8787', 'localhost'])
        expect(await statusOf(everywhere, { host }, '/readyz'), host).toBe(200)
      expect(await statusOf(everywhere, { host: 'evil.example' }, '/readyz')).toBe(403)
    })
    await withService({ ...off, SERVICE_HOST: 'box.example' }, async (named) => {
      expect(await statusOf(named, { host: 'box.example:8787' })).toBe(200)
    })
  })

  it('rejects a rebound host name over a socket', async () => {
    await service.app.listen({ host: '127.0.0.1', port: 0 })
    // A server that listens on TCP has an address of this type.
    const { port } = service.app.server.address() as AddressInfo
    const at = { host: '127.0.0.1', port, path: '/api/v1/memories' }
    const answer = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = request({ ...at, headers: { host }, setHost: false }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        sent.on('error', reject).end()
      })
    expect(await answer(`evil.example:${port}`)).toBe(403)
    expect(await answer('')).toBe(403)
    expect(await answer(`127.0.0.1:${port}`)).toBe(200)
  })
})

it('changes nothing with authentication on', async () => {
  await withService({ SERVICE_MASTER_KEY: masterKey }, async (service) => {
    const { key } = await service.createKey('ana')
    const authorization = `Bearer ${key}`
    for (const more of [{ host: 'any.example' }, { origin: 'https://any.example' }, { 'sec-fetch-site': 'cross-site' }])
      expect(await statusOf(service, { authorization, ...more })).toBe(200)
  })
})
