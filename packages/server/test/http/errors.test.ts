import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ErrorAnswer, KeysAnswer } from '../support/contract.js'
import { type Call, type Method, masterKey, startService, type TestService } from '../support/harness.js'
import { operations } from '../support/openapi-check.js'
import {
  type Fixture,
  fixtureOf,
  guarded,
  hasBody,
  keyFor,
  named,
  nameOf,
  sampleBody,
  samplePath,
  send,
} from '../support/samples.js'

const withBody = guarded.filter(hasBody)
const bytes = (...parts: readonly (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

/** Bodies that every route refuses, with the expected status. */
const hostile: readonly (readonly [name: string, call: Call, status: number])[] = [
  ['white space', { raw: ' \n ' }, 400],
  ['null', { raw: 'null' }, 400],
  ['a list', { raw: '[]' }, 400],
  ['a string', { raw: '"content"' }, 400],
  ['a number', { raw: '42' }, 400],
  ['an incomplete object', { raw: '{"content":' }, 400],
  ['single quotes', { raw: "{'content':'x'}" }, 400],
  ['a trailing comma', { raw: '{"content":"x",}' }, 400],
  ['a comment', { raw: '{/* c */"content":"x"}' }, 400],
  ['two values', { raw: '{} {}' }, 400],
  ['NaN', { raw: '{"threshold":NaN}' }, 400],
  ['a byte order mark', { raw: bytes([0xef, 0xbb, 0xbf], '{}') }, 400],
  ['deep arrays', { raw: `{"metadata":${deep(100_000)}}` }, 400],
  ['deep objects', { raw: `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}` }, 400],
  ['unclosed deep arrays', { raw: '['.repeat(500_000) }, 400],
  ['100,000 fields', { raw: `{${Array.from({ length: 60_000 }, (_, index) => `"f${index}":0`).join(',')}}` }, 400],
  ['__proto__', { raw: '{"__proto__":{"content":"x","user_id":"x","query":"x"}}' }, 400],
  ['__proto__ inside', { raw: '{"metadata":{"__proto__":{"polluted":true}}}' }, 400],
  ['constructor', { raw: '{"constructor":{"prototype":{"polluted":true}}}' }, 400],
  ['duplicate keys', { raw: '{"user_id":"a","user_id":"b"}' }, 400],
  ['duplicate keys by escape', { raw: '{"user_id":"a","user\\u005fid":"b"}' }, 400],
  ['1e400', { raw: '{"threshold":1e400}' }, 400],
  ['NUL', { raw: '{"content":"a\\u0000b","query":"a\\u0000b"}' }, 400],
  ['NUL in a key', { raw: '{"con\\u0000tent":"a"}' }, 400],
  ['a lone surrogate', { raw: '{"content":"\\ud800","query":"\\udc00 x"}' }, 400],
  ['a raw control character', { raw: '{"content":"a\u0001b"}' }, 400],
  ['invalid UTF-8', { raw: bytes('{"content":"', [0xff, 0xfe], '"}') }, 400],
  ['overlong UTF-8', { raw: bytes('{"content":"', [0xc0, 0xaf], '"}') }, 400],
  ['a surrogate in UTF-8', { raw: bytes('{"content":"', [0xed, 0xa0, 0x80], '"}') }, 400],
  ['UTF-16', { raw: Buffer.from('{"content":"x"}', 'utf16le') }, 400],
  ['more than the byte limit', { raw: `{"content":"${'a'.repeat(2_000_000)}"}` }, 413],
  ['plain text', { raw: 'content=x', contentType: 'text/plain' }, 415],
  ['a form', { raw: 'content=x', contentType: 'application/x-www-form-urlencoded' }, 415],
  ['multipart', { raw: '--x\r\n\r\n--x--', contentType: 'multipart/form-data; boundary=x' }, 415],
  ['another charset', { raw: '{}', contentType: 'application/json; charset=latin1' }, 415],
  ['gzip', { raw: bytes([0x1f, 0x8b, 8, 0]), headers: { 'content-encoding': 'gzip' } }, 415],
]

describe('invalid input', () => {
  let service: TestService
  let fixture: Fixture
  beforeAll(async () => {
    service = await startService({ auth: true })
    fixture = await fixtureOf(service)
  })
  afterAll(() => service.close())

  /** Everything that a request could have changed. */
  async function state(): Promise<unknown> {
    const { memories } = await service.list({ limit: 500, include_expired: true }, { key: fixture.userKey })
    const { total } = await service.ok<KeysAnswer>('GET', '/keys', { key: masterKey })
    return { memories, keys: total }
  }

  describe.each(named(withBody))('%s', (_name, operation) => {
    it.each(hostile)('refuses %s and writes nothing', async (_what, call, status) => {
      const before = await state()
      const answer = await send<ErrorAnswer>(service, operation, fixture, call)
      expect(answer.status, answer.text.slice(0, 300)).toBe(status)
      expect(answer.body.error.code).toBe('validation_error')
      expect(Object.keys(answer.body.error)).toEqual(expect.arrayContaining(['code', 'message', 'request_id']))
      expect(answer.body.error.details).toContainEqual(
        expect.objectContaining({ path: expect.any(String), message: expect.any(String) }),
      )
      expect(await state()).toEqual(before)
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
    })

    it('refuses NUL and lone surrogates in every text field, and names the field', async () => {
      const before = await state()
      const body: object = sampleBody(operation, fixture) ?? {}
      for (const [field, value] of Object.entries(body)) {
        if (typeof value !== 'string') continue
        for (const odd of ['a\\u0000b', 'a\\ud83d', '\\ude00b']) {
          const raw = JSON.stringify({ ...body, [field]: 'ODD' }).replace('ODD', odd)
          const answer = await send<ErrorAnswer>(service, operation, fixture, { raw })
          expect(answer.status, raw).toBe(400)
          expect(answer.body.error.details?.map(({ path }) => path)).toContain(field)
        }
      }
      expect(await state()).toEqual(before)
    })
  })

  it.each(
    named(
      withBody.filter(
        ({ method, path }) =>
          !/cleanup|consolidate|\/(?:accept|revert|redeliver|release|search)$/.test(path) &&
          `${method} ${path}` !== 'DELETE /api/v1/memories/{id}',
      ),
    ),
  )('%s refuses an empty body', async (_name, operation) => {
    const before = await state()
    for (const call of [{ raw: '' }, { raw: '{}' }, { raw: '', contentType: null }]) {
      const answer = await send<ErrorAnswer>(service, operation, fixture, call)
      expect(answer.status, answer.text).toBe(400)
    }
    expect(await state()).toEqual(before)
  })

  it.each(named(guarded))('%s never answers 5xx to malformed query strings', async (_name, operation) => {
    for (const query of [
      '?',
      '?&&',
      '?=',
      '?a',
      '?user_id',
      '?user_id=%00',
      '?user_id=%ff',
      '?user_id=%',
      '?user_id=a&user_id=b',
      '?__proto__=x',
      '?constructor[prototype]=x',
      '?limit=1e400',
      '?limit=-0',
      '?limit=',
      '?page=99999999999999999999',
      '?as_of=2026-02-30',
      `?q=${'x'.repeat(5000)}`,
      '?q=%F0%9F%98%80',
      '?project=%E2%80%AE',
    ]) {
      const answer = await service.callRoot(
        operation.method as Method,
        `${samplePath(operation, { ...fixture, memoryId: 'mem_01h455vb4pex5vsknk084sn02q', spareKeyId: 'key_01h455vb4pex5vsknk084sn02q' })}${query}`,
        {
          key: keyFor(operation, fixture),
          ...(hasBody(operation) ? { raw: '{"unexpected":1}' } : {}),
        },
      )
      expect(answer.status, `${query} ${answer.text}`).toBeLessThan(500)
    }
  })

  it.each([
    '%00',
    '%F0%9F%98%80',
    '%E2%80%AE',
    '..%2f..%2fetc%2fpasswd',
    "'%20OR%201=1--",
    '%25',
    'a%20b',
    'x'.repeat(2000),
  ])('answers 404, or 400 if it is not valid text, to the id %s', async (id) => {
    for (const path of [
      `/memories/${id}`,
      `/memories/${id}/history`,
      `/entities/${id}`,
      `/temporal/memory/${id}/decay`,
    ]) {
      const answer = await service.call('GET', path, { key: fixture.userKey })
      expect(id === '%00' ? [400, 404] : [404]).toContain(answer.status)
    }
  })
})

describe('error responses', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  it.each([
    ['GET', '/api/v1/nothing-here'],
    ['GET', '/'.concat('nothing')],
    ['GET', '/api/v2/memories'],
    ['GET', '/api/v1//memories'],
    ['GET', '/api/v1/memories//'],
    ['GET', '/API/V1/memories'],
    ['GET', '/docs/../../package.json'],
    ['GET', '/docs/%2e%2e/%2e%2e/package.json'],
    ['GET', '/redoc/..%2f..%2fpackage.json'],
  ] as const)('%s %s is a 404 with the error body', async (method, path) => {
    const answer = await service.callRoot<ErrorAnswer>(method, path, { unlisted: true })
    expect(answer.status, answer.text).toBe(404)
    expect(answer.body.error.code).toBe('not_found')
  })

  it.each(['/api/v1/memories/%', '/api/v1/memories/%ff', '/api/v1/memories/%E0%A4%A'])(
    '%s is a 400 with the error body',
    async (path) => {
      const answer = await service.callRoot<ErrorAnswer>('GET', path, { unlisted: true })
      expect(answer.status).toBe(400)
      expect(answer.body.error.code).toBe('validation_error')
    },
  )

  it('contain the request id of the header, which is unique per request', async () => {
    const ids = new Set<string>()
    for (let count = 0; count < 5; count++) {
      const answer = await service.call('POST', '/store', { body: {}, headers: { 'x-request-id': 'forged' } })
      expect(answer.headers['x-request-id']).toBe(answer.body.error.request_id)
      ids.add(answer.body.error.request_id)
    }
    expect(ids.size).toBe(5)
    expect(ids.has('forged')).toBe(false)
  })

  it('reveal no stack, SQL or path when something breaks', async () => {
    const broken = await startService()
    broken.deps.storage.list = () =>
      Promise.reject(new Error('SQLITE_CORRUPT: SELECT * FROM memories at /srv/data/x.db'))
    const error = await broken.fails(500, 'GET', '/memories')
    expect(error.code).toBe('internal_error')
    expect(JSON.stringify(error)).not.toMatch(/sqlite|select|\/srv|\.ts|\.js|stack/i)
    const logged = broken.logLines.find((line) => line.includes(error.request_id) && line.includes('SQLITE_CORRUPT'))
    expect(logged).toBeDefined()
    await broken.close()
  })

  it('have status 503 with Retry-After for new requests while the service drains', async () => {
    const stopping = await startService()
    const closing = stopping.close()
    const answer = await stopping.app.inject({ method: 'GET', url: '/api/v1/memories' })
    expect(answer.statusCode).toBe(503)
    expect(answer.json().error.code).toBe('unavailable')
    expect(answer.headers['retry-after']).toBeDefined()
    await closing
  })

  it('use exactly the documented codes', async () => {
    const guardedService = await startService({
      auth: true,
      env: { SERVICE_RATE_LIMIT_ENABLED: 'true', SERVICE_RATE_LIMIT_FORGET: '1/minute' },
    })
    const { key } = await guardedService.createKey('ana')
    const codes: string[] = []
    codes.push((await guardedService.fails(400, 'POST', '/store', { key, body: {} })).code)
    codes.push((await guardedService.fails(401, 'GET', '/memories', { key: null })).code)
    codes.push((await guardedService.fails(404, 'GET', '/memories/x', { key })).code)
    await guardedService.call('DELETE', '/memories', { key, body: {} })
    codes.push((await guardedService.fails(429, 'DELETE', '/memories', { key, body: {} })).code)
    guardedService.deps.storage.list = () => Promise.reject(new Error('broken'))
    codes.push((await guardedService.fails(500, 'GET', '/memories', { key })).code)
    expect(codes).toEqual([
      'validation_error',
      'authentication_error',
      'not_found',
      'rate_limit_exceeded',
      'internal_error',
    ])
    await guardedService.close()
  })

  it('have no body for HEAD on any GET route', async () => {
    for (const operation of operations.filter(({ method, path }) => method === 'GET' && !path.includes('{'))) {
      const answer = await service.app.inject({ method: 'HEAD', url: operation.path })
      expect(answer.payload, nameOf(operation)).toBe('')
      expect(answer.statusCode, nameOf(operation)).toBeLessThan(500)
    }
  })
})
