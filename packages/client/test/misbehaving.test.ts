/** Tests the client against failing servers over a real socket. No test waits for real time to pass. */
import { getEventListeners } from 'node:events'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  InternalError,
  Keepsake,
  KeepsakeError,
  NotFoundError,
  RateLimitError,
  TimeoutError,
  UnavailableError,
  UnexpectedAnswerError,
  ValidationError,
} from '../src/index.js'
import {
  type Behaviour,
  breaksOff,
  clientOf,
  failure,
  floods,
  hangs,
  json,
  resets,
  type StubServer,
  startStub,
  testClock,
  text,
} from './stub-server.js'

let stub: StubServer
beforeAll(async () => {
  stub = await startStub()
})
afterAll(() => stub.close())

/** The error that a call rejects with. */
async function failureOf(call: Promise<unknown>): Promise<KeepsakeError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof KeepsakeError)) throw new Error(`expected a KeepsakeError, got ${String(error)}`)
  return error
}

describe('an error', () => {
  const cases = [
    [400, 'validation_error', ValidationError],
    [413, 'validation_error', ValidationError],
    [401, 'authentication_error', AuthenticationError],
    [404, 'not_found', NotFoundError],
    [409, 'conflict', ConflictError],
    [429, 'rate_limit_exceeded', RateLimitError],
    [500, 'internal_error', InternalError],
    [503, 'unavailable', UnavailableError],
  ] as const

  it.each(cases)(
    'with status %i and code %s has its own class, with status, message and request id',
    async (status, code, type) => {
      stub.behave(failure(status, code))
      const error = await failureOf(clientOf(stub, testClock(), { maxRetries: 0 }).recall('x'))
      expect(error).toBeInstanceOf(type)
      expect(error).toMatchObject({ name: type.name, code, status, message: `it is ${code}`, requestId: 'req-1' })
    },
  )

  it('has the details of the service, with camelCase names', async () => {
    const details = [{ path: 'content', message: 'too bad', trust_score: 0.1, findings: [{ kind: 'x', start: 0 }] }]
    stub.behave(json(400, { error: { code: 'validation_error', message: 'm', details, request_id: 'r' } }))
    const error = await failureOf(clientOf(stub, testClock()).store('x'))
    expect(error.details).toEqual([
      { path: 'content', message: 'too bad', trustScore: 0.1, findings: [{ kind: 'x', start: 0 }] },
    ])
  })

  it('with an unknown code is a plain KeepsakeError', async () => {
    for (const code of ['of_a_newer_service', '__proto__', 'constructor']) {
      stub.behave(failure(409, code))
      const error = await failureOf(clientOf(stub, testClock()).get('mem_1'))
      expect(error.constructor).toBe(KeepsakeError)
      expect(error).toMatchObject({ code, status: 409 })
    }
  })

  it('from a proxy is distinguished from one of the service, and keeps the request id of the header', async () => {
    const page = (status: number) => text(status, 'text/html', '<h1>No</h1>', { 'x-request-id': 'proxy-7' })
    const client = clientOf(stub, testClock(), { maxRetries: 0 })
    for (const [status, type] of [
      [404, UnexpectedAnswerError],
      [401, UnexpectedAnswerError],
      [429, RateLimitError],
      [502, UnavailableError],
      [504, UnavailableError],
    ] as const) {
      stub.behave(page(status))
      const error = await failureOf(client.recall('x'))
      expect(error, String(status)).toBeInstanceOf(type)
      expect(error).toMatchObject({ status, requestId: 'proxy-7' })
      expect(error.message).not.toContain('<h1>')
    }
  })

  it.each([
    ['a web page', text(200, 'text/html', '<html></html>')],
    ['broken JSON', text(200, 'application/json', '{"memories":[')],
    ['not an object', text(200, 'application/json', '[1]')],
    ['an empty body', text(200, 'application/json', '')],
    ['nested too deeply', text(200, 'application/json', `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)],
  ])('is an UnexpectedAnswerError, without a retry, if a 200 response is %s', async (_name, behaviour) => {
    stub.behave(behaviour)
    expect(await failureOf(clientOf(stub, testClock()).recall('x'))).toBeInstanceOf(UnexpectedAnswerError)
    expect(stub.seen).toHaveLength(1)
  })

  it('is thrown for a response over the size limit, and the rest is not read', async () => {
    const flood = floods()
    stub.behave(flood)
    const error = await failureOf(clientOf(stub, testClock(), { maxAnswerBytes: 1_000_000 }).recall('x'))
    expect(error).toBeInstanceOf(UnexpectedAnswerError)
    expect(error.message).toContain('1000000 bytes')
    await flood.left
    // Socket buffers hold more than was read.
    expect(flood.sentBytes()).toBeLessThan(30_000_000)
  })

  it('is thrown for a redirect, and key and content are not sent to another host', async () => {
    const other = await startStub()
    for (const status of [301, 307]) {
      stub.behave(text(status, 'text/plain', '', { location: `${other.url}/api/v1/store` }))
      const error = await failureOf(clientOf(stub, testClock(), { apiKey: 'secret' }).store('private words'))
      expect(error).toBeInstanceOf(UnexpectedAnswerError)
    }
    expect(other.seen).toEqual([])
    await other.close()
  })

  it('of a connection names the address and the reason, and never contains the key', async () => {
    const gone = await startStub()
    await gone.close()
    const client = new Keepsake({ url: gone.url, apiKey: 'ksk_1_secret', clock: testClock() })
    const error = await failureOf(client.health())
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error.message).toContain(`No answer from ${gone.url}/api/v1: `)
    expect(error.message).toContain('ECONNREFUSED')
    expect(`${JSON.stringify(client)} ${JSON.stringify(error)} ${error.stack}`).not.toContain('secret')
  })

  it('is thrown before anything is sent if a request can’t be serialized', async () => {
    stub.behave(json(200, {}))
    const client = clientOf(stub, testClock())
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    for (const call of [
      () => client.store('x', { metadata: cycle }),
      () => client.store('x', { metadata: { big: 1n } }),
      () => client.entities.relationships('ent_1', { asOf: new Date('nonsense') }),
      () => client.listPage({ q: '\ud800' }),
      () => client.store('x', { idempotencyKey: 'line\nbreak' }),
      () => client.get('..'),
    ])
      expect(await failureOf(call())).toBeInstanceOf(ValidationError)
    expect(stub.seen).toEqual([])
  })
})

describe('retrying', () => {
  type Call = (client: Keepsake) => Promise<unknown>
  const safe: [string, Call][] = [
    ['recall', (client) => client.recall('x')],
    ['search', (client) => client.search('x')],
    ['get', (client) => client.get('mem_1')],
    ['history', (client) => client.history('mem_1')],
    ['listPage', (client) => client.listPage()],
    ['forget by id', (client) => client.forget('mem_1')],
    ['cleanup', (client) => client.cleanup({ dryRun: false })],
    ['health', (client) => client.health()],
    ['entities.listPage', (client) => client.entities.listPage()],
    ['entities.get', (client) => client.entities.get('ent_1')],
    ['entities.relationships', (client) => client.entities.relationships('ent_1')],
    ['entities.memoriesPage', (client) => client.entities.memoriesPage('ent_1')],
    ['entities.merges', (client) => client.entities.merges('ent_1')],
    ['entities.revertMerge', (client) => client.entities.revertMerge('mrg_1')],
    ['contradictions.listPage', (client) => client.contradictions.listPage()],
    ['contradictions.get', (client) => client.contradictions.get('con_1')],
    ['contradictions.accept', (client) => client.contradictions.accept('con_1')],
    ['contradictions.revert', (client) => client.contradictions.revert('con_1')],
    ['decay.report', (client) => client.decay.report()],
    ['decay.get', (client) => client.decay.get('mem_1')],
    ['keys.list', (client) => client.keys.list()],
    ['keys.revoke', (client) => client.keys.revoke('key_1')],
    ['grants.list', (client) => client.grants.list()],
    ['grants.revoke', (client) => client.grants.revoke('grt_1')],
    ['store with a key', (client) => client.store('x', { idempotencyKey: 'k' })],
    ['store with a generated key', (client) => client.store('x', { idempotent: true })],
  ]
  const ifRefused: [string, Call][] = [
    ['update', (client) => client.update('mem_1', { content: 'x' })],
    ['forget all', (client) => client.forget({ all: true })],
    ['entities.merge', (client) => client.entities.merge('ent_1', 'ent_2')],
    ['keys.create', (client) => client.keys.create({ userId: 'ana', name: 'x' })],
  ]
  const never: [string, Call][] = [
    ['store', (client) => client.store('x')],
    ['add', (client) => client.add([{ role: 'user', content: 'x' }])],
  ]
  const troubles: [string, Behaviour][] = [
    ['a reset', resets],
    ['an incomplete response', breaksOff],
    ['a 503', failure(503, 'unavailable', { 'retry-after': '1' })],
    ['a 502 of a proxy', text(502, 'text/html', 'bad gateway')],
  ]
  const refusal = failure(429, 'rate_limit_exceeded', { 'retry-after': '2' })

  async function requestsAfter(trouble: Behaviour, call: Call): Promise<number> {
    stub.behave(trouble, json(200, { versions: [], provenance: [], next_cursor: null }))
    await call(clientOf(stub, testClock())).catch((error: unknown) => {
      if (!(error instanceof KeepsakeError)) throw error
    })
    return stub.seen.length
  }

  it.each(safe)('happens for %s after a rate limit and after a lost response', async (_name, call) => {
    for (const [what, trouble] of [...troubles, ['a 429', refusal] as const]) {
      expect(await requestsAfter(trouble, call), what).toBe(2)
    }
  })

  it.each(ifRefused)('happens for %s only after a rate limit', async (_name, call) => {
    for (const [what, trouble] of troubles) expect(await requestsAfter(trouble, call), what).toBe(1)
    expect(await requestsAfter(refusal, call)).toBe(2)
  })

  it.each(never)('never happens for %s without an idempotency key', async (_name, call) => {
    for (const [what, trouble] of [...troubles, ['a 429', refusal] as const]) {
      expect(await requestsAfter(trouble, call), what).toBe(1)
      expect(stub.seen[0]?.headers).not.toHaveProperty('idempotency-key')
    }
  })

  it('uses the same idempotency key for the same store, and a new key for another store', async () => {
    stub.behave(resets, failure(409, 'conflict'), json(200, {}))
    const client = clientOf(stub, testClock(), { idempotent: true })
    await client.store('x')
    await client.store('x')
    const [first, second, third, next] = stub.seen.map(({ headers }) => headers['idempotency-key'])
    expect(first).toMatch(/^[0-9a-f]{32}$/)
    expect([second, third]).toEqual([first, first])
    expect(next).toMatch(/^[0-9a-f]{32}$/)
    expect(next).not.toBe(first)
  })

  it('waits as long as the service asks, in seconds or as a date', async () => {
    for (const retryAfter of ['3', 'Sun, 01 Mar 2026 09:30:03 GMT']) {
      const clock = testClock()
      stub.behave(failure(429, 'rate_limit_exceeded', { 'retry-after': retryAfter }), json(200, {}))
      await clientOf(stub, clock).recall('x')
      expect(clock.waits).toEqual([3125])
    }
  })

  it('stops at maxRetries, with increasing waits', async () => {
    const clock = testClock()
    stub.behave(failure(503, 'unavailable'))
    expect(await failureOf(clientOf(stub, clock, { maxRetries: 4 }).recall('x'))).toBeInstanceOf(UnavailableError)
    expect(stub.seen).toHaveLength(5)
    expect(clock.waits).toEqual([250, 500, 1000, 2000])
  })

  it('can be turned off for one call', async () => {
    stub.behave(resets)
    await failureOf(clientOf(stub, testClock()).recall('x', { maxRetries: 0 }))
    expect(stub.seen).toHaveLength(1)
  })

  it('does not start if the wait would exceed the timeout, and the error says when to retry', async () => {
    const clock = testClock()
    stub.behave(failure(429, 'rate_limit_exceeded', { 'retry-after': '45' }))
    expect(await failureOf(clientOf(stub, clock).recall('x'))).toMatchObject({ name: 'RateLimitError', retryAfter: 45 })
    expect(clock.waits).toEqual([])
  })

  it.each([
    [400, 'validation_error'],
    [401, 'authentication_error'],
    [404, 'not_found'],
    [500, 'internal_error'],
  ])('does not happen after status %i', async (status, code) => {
    stub.behave(failure(status, code))
    await failureOf(clientOf(stub, testClock()).recall('x'))
    expect(stub.seen).toHaveLength(1)
  })
})

describe('the end of a call', () => {
  it.each([false, true])('comes with its timeout, also in the middle of a response (%s)', async (afterHeaders) => {
    const clock = testClock()
    const hanging = hangs(afterHeaders)
    stub.behave(hanging)
    const failed = failureOf(clientOf(stub, clock).recall('x'))
    await hanging.reached
    clock.expire()
    expect(await failed).toBeInstanceOf(TimeoutError)
    await hanging.left
    expect(stub.seen).toHaveLength(1)
  })

  it.each([false, true])('comes when the caller’s signal aborts, with its reason (%s)', async (afterHeaders) => {
    const hanging = hangs(afterHeaders)
    stub.behave(hanging)
    const controller = new AbortController()
    const reason = new Error('the user went away')
    const call = clientOf(stub, testClock()).recall('x', { signal: controller.signal })
    void hanging.reached.then(() => controller.abort(reason))
    await expect(call).rejects.toBe(reason)
    await hanging.left
  })

  it('comes before anything is sent if the signal has already aborted', async () => {
    stub.behave(json(200, {}))
    await expect(clientOf(stub, testClock()).recall('x', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    })
    expect(stub.seen).toEqual([])
  })

  it('comes also during the wait before a retry', async () => {
    const controller = new AbortController()
    const clock = testClock()
    const sleep = (ms: number, signal: AbortSignal) => {
      const slept = clock.sleep(ms, signal)
      if (clock.waits.length > 0) controller.abort()
      return slept
    }
    stub.behave(resets)
    const client = clientOf(stub, { ...clock, sleep })
    await expect(client.recall('x', { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' })
    expect(stub.seen).toHaveLength(1)
  })

  it('leaves no listener on a long-lived signal', async () => {
    const { signal } = new AbortController()
    stub.behave(json(200, {}))
    const client = clientOf(stub, testClock())
    await Promise.all([client.recall('x', { signal }), client.health({ signal })])
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('comes with the timeout of the real clock', async () => {
    stub.behave(hangs())
    const error = await failureOf(new Keepsake({ url: stub.url }).health({ timeoutMs: 20 }))
    expect(error).toBeInstanceOf(TimeoutError)
  })
})

describe('a list', () => {
  it('that never ends is an error, not an endless loop', async () => {
    stub.behave(json(200, { memories: [], next_cursor: 'same' }))
    const error = await failureOf(clientOf(stub, testClock()).list().toArray())
    expect(error).toBeInstanceOf(UnexpectedAnswerError)
    expect(stub.seen).toHaveLength(2)
  })

  it('with page numbers ends at an empty page, whatever the total says', async () => {
    stub.behave(json(200, { entities: [], total: 1000, page: 1, limit: 10 }))
    expect(await clientOf(stub, testClock()).entities.list().toArray()).toEqual([])
    expect(stub.seen).toHaveLength(1)
  })
})

describe('a client', () => {
  it('rejects an invalid address, key or limit', () => {
    for (const url of ['', 'localhost', 'ftp://x', 'http://user:pw@x', 'http://x/?a=1', 'http://x/#a'])
      expect(() => new Keepsake({ url }), url).toThrow(TypeError)
    for (const apiKey of ['', 'a b', 'secret\n']) {
      expect(() => new Keepsake({ url: 'http://x', apiKey }), apiKey).toThrow(/^apiKey must be/)
    }
    for (const timeoutMs of [0, -1, Number.NaN])
      expect(() => new Keepsake({ url: 'http://x', timeoutMs })).toThrow(TypeError)
    for (const maxRetries of [-1, 1.5]) expect(() => new Keepsake({ url: 'http://x', maxRetries })).toThrow(TypeError)
  })

  it('finds the API below the address, given with or without its path', async () => {
    for (const path of ['', '/', '/api/v1', '/api/v1/', '/below', '/below/api/v1']) {
      stub.behave(json(200, {}))
      await new Keepsake({ url: `${stub.url}${path}` }).health()
      expect(stub.seen[0]?.url).toBe(`${path.startsWith('/below') ? '/below' : ''}/api/v1/health`)
    }
  })

  it('disables cookies and caching, if the platform supports these options', async () => {
    const asked: (RequestInit | undefined)[] = []
    const client = new Keepsake({
      url: stub.url,
      fetch: async (_input, init) => {
        asked.push(init)
        return new Response('{}')
      },
    })
    await client.health()
    expect(asked[0]).toMatchObject({ redirect: 'manual', credentials: 'omit', cache: 'no-store' })
    vi.stubGlobal('Request', class Request {})
    await client.health().finally(() => vi.unstubAllGlobals())
    expect(asked[1]).toMatchObject({ redirect: 'manual' })
    expect(Object.keys(asked[1] ?? {})).not.toContain('credentials')
    expect(Object.keys(asked[1] ?? {})).not.toContain('cache')
  })

  it('never treats a missing user as everyone, and rejects an invalid user', async () => {
    stub.behave(json(200, {}))
    const client = clientOf(stub, testClock())
    await client.recall('x', { userId: undefined, project: undefined })
    expect(JSON.parse(stub.seen[0]?.body ?? '')).toMatchObject({ user_id: 'ana' })
    // As from code without types.
    for (const userId of [null, '', 7] as unknown as string[]) {
      expect(await failureOf(client.recall('x', { userId }))).toBeInstanceOf(ValidationError)
      expect(() => client.forUser(userId)).toThrow(ValidationError)
      expect(() => new Keepsake({ url: stub.url, userId })).toThrow(ValidationError)
    }
    const spelled = { user_id: 'ben' } as object
    expect(await failureOf(client.recall('x', spelled))).toBeInstanceOf(ValidationError)
    expect(stub.seen).toHaveLength(1)
  })
})
