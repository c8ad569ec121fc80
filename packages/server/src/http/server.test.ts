import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { AuditEvent } from '../audit/audit-log.js'
import { idSource } from '../core/ids.js'
import { silentLog } from '../core/log.js'
import { ruleGuard } from '../guard/content-guard.js'
import { fakeEmbedder } from '../models/embedder/fake-embedder.js'
import { quietJudge } from '../models/judge/quiet-judge.fixture.js'
import { openUserIndexes } from '../retrieval/index/user-index.js'
import { defaultFusion } from '../retrieval/rank/fuse.js'
import type { Deps } from '../service/deps.js'
import { keyedMutex } from '../service/keyed-mutex.js'
import { keyVerifier } from '../service/keys/key-verifier.js'
import { accessRecorder } from '../service/recall/access-recorder.js'
import { keysInFlight } from '../service/store/keys-in-flight.js'
import { textLanes } from '../service/texts/text-lanes.js'
import { textWork } from '../service/texts/text-work.js'
import { openSqliteStorage } from '../storage/sqlite/sqlite-storage.js'
import { localRateLimiter } from './limits/rate-limit.js'
import { prometheusMetrics } from './metrics/metrics.js'
import { buildServer } from './server.js'

const masterKey = 'a-master-key-of-at-least-32-characters'
const now = Date.parse('2026-03-01T09:30:00.000Z')

interface Settings {
  readonly auth?: boolean
  readonly masterKey?: string
  readonly limits?: { store?: number; default?: number }
  readonly corsOrigins?: readonly string[]
  readonly healthy?: boolean
  readonly maxRequests?: number
}

interface Started {
  readonly app: FastifyInstance
  readonly events: AuditEvent[]
  readonly logLines: string[]
  readonly state: { draining: boolean; failing: boolean; healthGate: Promise<void> }
}

/** Opening the engine takes longest, so all tests share one and use different users. */
const engine = await openEngine()
const apps: FastifyInstance[] = []
/** Comes from the first server: later ones have the same schemas. */
let validatorCompiler: FastifyInstance['validatorCompiler']

async function openEngine() {
  const dataDir = await mkdtemp(join(tmpdir(), 'keepsake-http-'))
  const storage = await openSqliteStorage({ dataDir })
  const embedder = fakeEmbedder()
  const { dimensions, modelId } = embedder
  const indexes = openUserIndexes({ feed: storage, dimensions, modelId, memoryBudgetBytes: 2 ** 24 })
  const accesses = accessRecorder(storage, silentLog)
  return {
    storage,
    embedder,
    indexes,
    accesses,
    async close() {
      await accesses.close()
      await indexes.close()
      await storage.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

afterEach(async () => {
  for (const app of apps.splice(0)) await app.close()
})
afterAll(() => engine.close())

async function start(settings: Settings = {}): Promise<Started> {
  const clock = { now: () => now }
  const { storage, embedder, indexes, accesses } = engine
  const events: AuditEvent[] = []
  const logLines: string[] = []
  const state = { draining: false, failing: false, healthGate: Promise.resolve() }
  const metrics = prometheusMetrics({
    modelQueue: () => 0,
    outdatedVectors: () => 0,
    index: () => ({ users: 0, versions: 0, bytes: 0, pending: 0 }),
    storage: async () => ({ users: 0, memories: 0, bytes: 0 }),
  })
  const deps: Deps = {
    storage,
    indexes,
    itemIndexes: indexes,
    embedder,
    tagger: { tag: async (items) => items.map(() => ({ entities: [], relationships: [], slots: [] })) },
    texts: textWork(
      {
        guard: {
          inspect(text) {
            if (state.failing) throw new Error('no such table: memories in /var/data/keepsake.db')
            return ruleGuard().inspect(text)
          },
        },
        statements: { modelId: 'none', judge: () => ({ confidence: 0.9, topic: 'other' }) },
      },
      null,
    ),
    textLanes: textLanes(2),
    judge: quietJudge,
    reranker: { modelId: 'none', score: async (_, texts) => texts.map(() => 0.5), close: async () => undefined },
    countTokens: (text) => text.length,
    accesses,
    keyVerifier: keyVerifier({ storage, clock, log: silentLog, cost: 4 }),
    userLocks: keyedMutex(),
    keysInFlight: keysInFlight(),
    audit: { record: (_, event) => void events.push(event), close: async () => undefined },
    meter: metrics,
    log: silentLog,
    clock,
    ids: idSource(clock),
    settings: {
      trust: { threshold: 0.5, flagThreshold: 0.65, policy: 'reject', sanitize: true },
      secrets: 'redact',
      decay: { enabled: true, halfLifeDays: 30, accessBoostWeight: 0.2 },
      defaultTtlDays: undefined,
      fusion: defaultFusion,
    },
  }
  const rateLimit = { enabled: true, store: 1000, recall: 1000, forget: 1000, default: 1000, ...settings.limits }
  const app = await buildServer({
    deps,
    version: '1.2.3',
    settings: {
      authEnabled: settings.auth ?? false,
      masterKey: settings.masterKey,
      rateLimit,
      trustedProxies: [],
      corsOrigins: settings.corsOrigins ?? [],
      maxRequests: settings.maxRequests ?? 100,
    },
    limiter: localRateLimiter(rateLimit),
    holdFailures: false,
    metrics,
    logger: pino({ level: 'debug' }, { write: (line: string) => void logLines.push(line) }),
    startedAt: now - 5000,
    health: async () => {
      await state.healthGate
      const healthy = settings.healthy ?? true
      const languages = [{ code: 'en', recall: 'tested', understanding: 'full' }] as const
      return { healthy, serves: healthy, checks: { storage: 'ok' }, languages }
    },
    lifecycle: { ready: () => true, draining: () => state.draining },
    validatorCompiler,
  })
  validatorCompiler ??= app.validatorCompiler
  apps.push(app)
  return { app, events, logLines, state }
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const api = (path: string) => `/api/v1${path}`

async function newKey(app: FastifyInstance, userId: string): Promise<{ id: string; key: string }> {
  const answer = await app.inject({
    method: 'POST',
    url: api('/keys'),
    headers: bearer(masterKey),
    payload: { user_id: userId, name: 'test' },
  })
  expect(answer.statusCode, answer.body).toBe(201)
  return answer.json()
}

function expectError(
  answer: { statusCode: number; headers: object; json(): unknown },
  status: number,
  code: string,
  path?: string,
) {
  const body = answer.json() as {
    error: { code: string; message: string; details?: { path: string }[]; request_id: string }
  }
  expect(answer.statusCode, JSON.stringify(body)).toBe(status)
  expect(Object.keys(body)).toEqual(['error'])
  expect(body.error.code).toBe(code)
  expect(body.error.request_id).toMatch(/^[0-9a-f-]{36}$/)
  expect(answer.headers).toMatchObject({ 'x-request-id': body.error.request_id })
  if (path !== undefined) expect(body.error.details?.map((detail) => detail.path)).toContain(path)
  return body.error
}

describe('store and recall', () => {
  it('recalls and lists what was stored', async () => {
    const { app } = await start()
    const metadata = {
      constructor: 'c',
      prototype: [1, { toString: 'x' }],
      toJSON: true,
      n: -0.5,
      hasOwnProperty: null,
    }
    const stored = await app.inject({
      method: 'POST',
      url: api('/store'),
      headers: { 'content-type': 'application/json; charset=utf-8' },
      payload: JSON.stringify({ content: '  The kettle is blue.  ', user_id: 'alice', metadata, ttl: '7d' }),
    })
    expect(stored.statusCode, stored.body).toBe(200)
    const [memory] = stored.json().memories
    expect(memory).toMatchObject({
      action: 'ADD',
      content: 'The kettle is blue.',
      created_at: '2026-03-01T09:30:00.000Z',
      expires_at: '2026-03-08T09:30:00.000Z',
      source: 'api',
    })
    expect(memory).not.toHaveProperty('supersedes')
    const recalled = await app.inject({
      method: 'POST',
      url: api('/recall'),
      payload: { query: 'kettle', user_id: 'alice', explain: true },
    })
    expect(recalled.statusCode, recalled.body).toBe(200)
    expect(recalled.json()).toMatchObject({ total: 1, memories: [{ id: memory.id, explain: { decay: { score: 1 } } }] })
    expect(recalled.json()).not.toHaveProperty('degraded')
    const listed = await app.inject({ method: 'GET', url: api('/memories?user_id=alice') })
    expect(listed.json()).toMatchObject({ total: 1, page: 1, limit: 50, next_cursor: null })
    expect(listed.json().memories[0].metadata).toEqual(metadata)
    expect(Object.keys(listed.json().memories[0].metadata)).toEqual(Object.keys(metadata))
  })
})

const id = 'mem_01jnh5w3x8e2m9v4q7t6z0y1ab'

/** The request, and the path that the error names. */
const refused: readonly [
  what: string,
  method: 'POST' | 'PUT' | 'DELETE' | 'GET',
  path: string,
  body: unknown,
  named: string,
][] = [
  ['an unknown field', 'POST', '/store', { content: 'x', user_id: 'a', tll: '7d' }, 'tll'],
  ['no content', 'POST', '/store', { user_id: 'a' }, 'content'],
  [
    'content and messages',
    'POST',
    '/store',
    { user_id: 'a', content: 'x', messages: [{ role: 'user', content: 'x' }] },
    'messages',
  ],
  ['white space as content', 'POST', '/store', { user_id: 'a', content: ' \n\t\u200b' }, 'content'],
  ['content that is too long', 'POST', '/store', { user_id: 'a', content: '\u{1f600}'.repeat(50_001) }, 'content'],
  [
    'messages that are too long together',
    'POST',
    '/store',
    {
      user_id: 'a',
      messages: [
        { role: 'user', content: 'x'.repeat(30_000) },
        { role: 'user', content: 'y'.repeat(30_000) },
      ],
    },
    'messages',
  ],
  [
    'only blank messages',
    'POST',
    '/store',
    {
      user_id: 'a',
      messages: [
        { role: 'user', content: '\n' },
        { role: 'user', content: ' ' },
      ],
    },
    'messages[0].content',
  ],
  [
    'an unknown role',
    'POST',
    '/store',
    { user_id: 'a', messages: [{ role: 'robot', content: 'x' }] },
    'messages[0].role',
  ],
  [
    'an unknown field of a message',
    'POST',
    '/store',
    { user_id: 'a', messages: [{ role: 'user', content: 'x', text: 'y' }] },
    'messages[0].text',
  ],
  [
    'too many messages',
    'POST',
    '/store',
    { user_id: 'a', messages: Array.from({ length: 201 }, () => ({ role: 'user', content: 'x' })) },
    'messages',
  ],
  ['no user', 'POST', '/store', { content: 'x' }, 'user_id'],
  ['an empty user', 'POST', '/store', { content: 'x', user_id: '' }, 'user_id'],
  ['a blank user', 'POST', '/store', { content: 'x', user_id: '  ' }, 'user_id'],
  ['a user with a line break', 'POST', '/store', { content: 'x', user_id: 'a\nb' }, 'user_id'],
  ['a user that is a number', 'POST', '/store', { content: 'x', user_id: 7 }, 'user_id'],
  ['a user that is too long', 'POST', '/store', { content: 'x', user_id: 'u'.repeat(257) }, 'user_id'],
  ['an empty project', 'POST', '/store', { content: 'x', user_id: 'a', project: '' }, 'project'],
  ['a bad TTL', 'POST', '/store', { content: 'x', user_id: 'a', ttl: '7 days' }, 'ttl'],
  ['a TTL of more than 100 years', 'POST', '/store', { content: 'x', user_id: 'a', ttl: '101y' }, 'ttl'],
  [
    'a time in the future',
    'POST',
    '/store',
    { content: 'x', user_id: 'a', created_at: '2026-03-01T09:32:00Z' },
    'created_at',
  ],
  ['30 February', 'POST', '/store', { content: 'x', user_id: 'a', created_at: '2026-02-30' }, 'created_at'],
  ['a list as metadata', 'POST', '/store', { content: 'x', user_id: 'a', metadata: [] }, 'metadata'],
  [
    'metadata that is too large',
    'POST',
    '/store',
    { content: 'x', user_id: 'a', metadata: { a: 'x'.repeat(17_000) } },
    'metadata',
  ],
  [
    'metadata that is too deep',
    'POST',
    '/store',
    { content: 'x', user_id: 'a', metadata: { a: [[[[[[[[1]]]]]]]] } },
    'metadata',
  ],
  ['a list as body', 'POST', '/store', [], ''],
  ['null as body', 'POST', '/cleanup-expired', null, ''],
  ['no query', 'POST', '/recall', { user_id: 'a' }, 'query'],
  ['a query that is too long', 'POST', '/recall', { user_id: 'a', query: 'q'.repeat(10_001) }, 'query'],
  ['a limit as text', 'POST', '/recall', { user_id: 'a', query: 'q', limit: '5' }, 'limit'],
  ['a limit that is too large', 'POST', '/recall', { user_id: 'a', query: 'q', limit: 101 }, 'limit'],
  ['a threshold above 1', 'POST', '/recall', { user_id: 'a', query: 'q', threshold: 1.1 }, 'threshold'],
  ['a nonsense as_of', 'POST', '/recall', { user_id: 'a', query: 'q', as_of: 'yesterday' }, 'as_of'],
  ['a filter that is a list', 'POST', '/recall', { user_id: 'a', query: 'q', filters: { a: [1] } }, 'filters.a'],
  [
    'too many filters',
    'POST',
    '/recall',
    { user_id: 'a', query: 'q', filters: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, n])) },
    'filters',
  ],
  ['an empty change', 'PUT', `/memories/${id}`, {}, ''],
  ['a change of nothing but the user', 'PUT', `/memories/${id}`, { user_id: 'a' }, ''],
  ['a change to an empty project', 'PUT', `/memories/${id}`, { project: '' }, 'project'],
  ['an empty delete', 'DELETE', '/memories', {}, ''],
  ['a delete of all that is not true', 'DELETE', '/memories', { user_id: 'a', all: false }, 'all'],
  ['a delete of ids and all', 'DELETE', '/memories', { user_id: 'a', all: true, memory_ids: [id] }, 'all'],
  ['a delete of no ids', 'DELETE', '/memories', { memory_ids: [] }, 'memory_ids'],
  [
    'a delete of too many ids',
    'DELETE',
    '/memories',
    { memory_ids: Array.from({ length: 1001 }, () => id) },
    'memory_ids',
  ],
  ['a delete of all without a user', 'DELETE', '/memories', { all: true }, 'user_id'],
  ['a delete in body and URL', 'DELETE', '/memories?all=true&user_id=a', { memory_ids: [id] }, ''],
  ['a delete with empty ids in the URL', 'DELETE', '/memories?memory_ids=,', undefined, 'memory_ids'],
  ['a limit of zero', 'GET', '/memories?limit=0', undefined, 'limit'],
  ['a limit with a fraction', 'GET', '/memories?limit=1.5', undefined, 'limit'],
  ['an empty limit', 'GET', '/memories?limit=', undefined, 'limit'],
  ['a limit given twice', 'GET', '/memories?limit=1&limit=2', undefined, 'limit'],
  ['an unknown parameter', 'GET', '/memories?usr_id=a', undefined, 'usr_id'],
  ['__proto__ as a parameter', 'GET', '/memories?__proto__=a', undefined, '__proto__'],
  ['a boolean that is a number', 'GET', '/memories?include_expired=1', undefined, 'include_expired'],
  ['a broken cursor', 'GET', '/memories?cursor=abc', undefined, 'cursor'],
  [
    'page and cursor',
    'GET',
    `/memories?page=1&cursor=${Buffer.from(`1:${id}`).toString('base64url')}`,
    undefined,
    'cursor',
  ],
  ['NUL in the URL', 'GET', '/memories?q=a%00b', undefined, 'q'],
  ['bytes that are not UTF-8 in the URL', 'GET', '/memories?q=%ED%A0%80', undefined, 'q'],
  ['NUL in a path', 'GET', '/memories/a%00b', undefined, 'id'],
  ['an unknown entity type', 'GET', '/entities?type=CAT', undefined, 'type'],
]

describe('bad requests', () => {
  it('are refused with a 400 and the path of the field', async () => {
    const { app } = await start()
    for (const [what, method, path, body, named] of refused) {
      const answer = await app.inject({
        method,
        url: api(path),
        ...(body === undefined
          ? {}
          : { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) }),
      })
      const error = expectError(answer, 400, 'validation_error')
      expect(
        error.details?.map((detail) => detail.path),
        `${what}: ${answer.body}`,
      ).toContain(named)
    }
    const listed = await app.inject({ method: 'GET', url: api('/memories?user_id=a') })
    expect(listed.json().total).toBe(0)
  })

  it('name several fields at once, but at most 20', async () => {
    const { app } = await start()
    const two = await app.inject({
      method: 'POST',
      url: api('/recall'),
      payload: { query: '', limit: 0, user_id: 'a' },
    })
    expect(expectError(two, 400, 'validation_error', 'query').details).toHaveLength(2)
    const flood = Object.fromEntries(Array.from({ length: 15_000 }, (_, index) => [`f${index}`, 1]))
    const many = await app.inject({ method: 'POST', url: api('/recall'), payload: flood })
    expect(expectError(many, 400, 'validation_error', 'f0').details?.length).toBeLessThanOrEqual(20)
  })

  it('get a 413 for a body over the limit and a 415 for anything but JSON in UTF-8', async () => {
    const { app } = await start()
    const send = (headers: Record<string, string>, payload: string | Buffer) =>
      app.inject({ method: 'POST', url: api('/store'), headers, payload })
    expectError(await send({ 'content-type': 'application/json' }, 'x'.repeat(2 ** 20 + 1)), 413, 'validation_error')
    expectError(await send({ 'content-type': 'text/plain' }, 'x'), 415, 'validation_error')
    expectError(await send({ 'content-type': 'application/json; charset=latin1' }, '{}'), 415, 'validation_error')
    expectError(
      await send({ 'content-type': 'application/json', 'content-encoding': 'gzip' }, '{}'),
      415,
      'validation_error',
    )
    expectError(await send({}, 'x'), 415, 'validation_error')
    expectError(await send({ 'content-type': 'nonsense' }, '{}'), 415, 'validation_error')
    expectError(await send({ 'content-type': 'application/json' }, ''), 400, 'validation_error', '')
    expectError(
      await send({ 'content-type': 'application/json' }, Buffer.from([0x22, 0xff, 0x22])),
      400,
      'validation_error',
      '',
    )
  })

  it('ignore the body of a GET', async () => {
    const { app } = await start()
    const answer = await app.inject({
      method: 'GET',
      url: api('/memories'),
      headers: { 'content-type': 'application/json' },
      payload: '{',
    })
    expect(answer.statusCode).toBe(200)
  })
})

describe('unknown addresses and methods', () => {
  it('get a 404, or a 405 that names the supported methods', async () => {
    const { app } = await start({ auth: true, masterKey })
    const wrong = await app.inject({
      method: 'PATCH',
      url: api(`/memories/${id}`),
      headers: { 'content-type': 'text/plain' },
      payload: 'x',
    })
    expect(expectError(wrong, 405, 'not_found').message).toContain('GET, HEAD, PUT, DELETE')
    expect(wrong.headers.allow).toBe('GET, HEAD, PUT, DELETE')
    expectError(await app.inject({ method: 'GET', url: '/nowhere' }), 404, 'not_found')
    expectError(await app.inject({ method: 'OPTIONS', url: api('/store') }), 405, 'not_found')
    expectError(
      await app.inject({ method: 'GET', url: api(`/memories/${'x'.repeat(400)}`), headers: bearer('x') }),
      404,
      'not_found',
    )
    expectError(await app.inject({ method: 'GET', url: '/api/v1/memories/%zz' }), 400, 'validation_error')
  })

  it('are rate limited by address', async () => {
    const { app } = await start({ limits: { default: 1 } })
    const first = await app.inject({ method: 'GET', url: '/nowhere' })
    expect(first.headers['x-ratelimit-remaining']).toBe('0')
    expectError(await app.inject({ method: 'GET', url: '/nowhere' }), 429, 'rate_limit_exceeded')
  })

  it('get a 404 for ids of a wrong shape', async () => {
    const { app } = await start()
    for (const path of ['/memories/x', '/memories/ent_x/history', '/entities/x', '/temporal/memory/x/decay']) {
      expectError(await app.inject({ method: 'GET', url: api(path) }), 404, 'not_found')
    }
    const put = await app.inject({ method: 'PUT', url: api('/memories/x'), payload: { content: 'y' } })
    expectError(put, 404, 'not_found')
  })
})

describe('authentication', () => {
  it('lets an API key use memories but no key endpoint, and the master key the reverse', async () => {
    const { app, events } = await start({ auth: true, masterKey })
    const { key, id: keyId } = await newKey(app, 'alice')
    const get = (path: string, headers: Record<string, string> = {}) =>
      app.inject({ method: 'GET', url: path, headers })
    expect((await get(api('/memories'), bearer(key))).statusCode).toBe(200)
    expect((await get(api('/memories'), { authorization: `bearer ${key}` })).statusCode).toBe(200)
    expect((await get(api('/keys?user_id=alice'), bearer(masterKey))).json().total).toBe(1)
    for (const [path, headers] of [
      [api('/memories'), {}],
      [api('/memories'), bearer(masterKey)],
      [api('/memories'), bearer(`${key}x`)],
      [api('/memories'), bearer('\u00e4'.repeat(40))],
      [api('/memories'), { authorization: key }],
      [api('/memories'), { authorization: 'Basic eDp5' }],
      [api('/keys'), bearer(key)],
      [api('/keys'), {}],
      [api('/health'), bearer('wrong')],
      ['/metrics', {}],
      ['/metrics', bearer(key)],
    ] as const) {
      const answer = await get(path, headers)
      expectError(answer, 401, 'authentication_error')
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer/)
    }
    const failures = events.filter((event) => event.event === 'auth.failed')
    expect(failures).toHaveLength(11)
    expect(failures.filter((event) => event.key_id === keyId)).toHaveLength(3)
    expect((await get('/metrics', bearer(masterKey))).statusCode).toBe(200)
  })

  it('is checked before the body is read', async () => {
    const { app } = await start({ auth: true, masterKey })
    const answer = await app.inject({
      method: 'POST',
      url: api('/store'),
      headers: { 'content-type': 'text/plain' },
      payload: '{',
    })
    expectError(answer, 401, 'authentication_error')
  })

  it('requires the master key to manage keys, even while it is off', async () => {
    const without = await start()
    const refusal = await without.app.inject({ method: 'GET', url: api('/keys') })
    expect(expectError(refusal, 401, 'authentication_error').message).toContain('SERVICE_MASTER_KEY')
    const { app } = await start({ auth: false, masterKey })
    expectError(await app.inject({ method: 'GET', url: api('/keys') }), 401, 'authentication_error')
    expect((await app.inject({ method: 'GET', url: api('/keys'), headers: bearer(masterKey) })).statusCode).toBe(200)
    expect((await app.inject({ method: 'GET', url: '/metrics' })).statusCode).toBe(200)
  })

  it('limits failures by address, and still accepts a key that worked before', async () => {
    const { app } = await start({ auth: true, masterKey })
    const { key } = await newKey(app, 'alice')
    const { key: unused } = await newKey(app, 'alice')
    const get = (token: string) => app.inject({ method: 'GET', url: api('/memories'), headers: bearer(token) })
    expect((await get(key)).statusCode).toBe(200)
    let limited = await get('wrong')
    for (let attempt = 0; attempt < 200 && limited.statusCode === 401; attempt++) limited = await get('wrong')
    expectError(limited, 429, 'rate_limit_exceeded')
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0)
    expectError(await get(unused), 429, 'rate_limit_exceeded')
    expect((await get(key)).statusCode).toBe(200)
    expect((await app.inject({ method: 'GET', url: api('/keys'), headers: bearer(masterKey) })).statusCode).toBe(200)
  })

  it('keeps users apart: empty lists, 404 for ids, 400 for a store', async () => {
    const { app } = await start({ auth: true, masterKey })
    const alice = bearer((await newKey(app, 'alice')).key)
    const bob = bearer((await newKey(app, 'bob')).key)
    const stored = await app.inject({
      method: 'POST',
      url: api('/store'),
      headers: alice,
      payload: { content: 'A secret.' },
    })
    const memoryId = stored.json().memories[0].id
    const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) =>
      app.inject({ method, url: api(path), headers: bob, ...(payload ? { payload } : {}) })
    expect((await call('GET', '/memories?user_id=alice')).json()).toMatchObject({ memories: [], total: 0 })
    expect((await call('POST', '/recall', { query: 'secret', user_id: 'alice' })).json()).toEqual({
      memories: [],
      context: '',
      total: 0,
    })
    expectError(await call('GET', `/memories/${memoryId}`), 404, 'not_found')
    expectError(await call('GET', `/memories/${memoryId}?user_id=alice`), 404, 'not_found')
    expectError(await call('PUT', `/memories/${memoryId}`, { content: 'x', user_id: 'alice' }), 404, 'not_found')
    expectError(await call('POST', '/store', { content: 'x', user_id: 'alice' }), 400, 'validation_error', 'user_id')
    expect((await call('DELETE', '/memories', { memory_ids: [memoryId] })).json().deleted).toBe(0)
    expect((await call('DELETE', '/memories', { user_id: 'alice', all: true })).json().deleted).toBe(0)
    expect((await call('POST', '/cleanup-expired', { user_id: 'alice' })).json().deleted).toBe(0)
    const own = await app.inject({ method: 'GET', url: api(`/memories/${memoryId}`), headers: alice })
    expect(own.json().memory.content).toBe('A secret.')
  })
})

describe('operations', () => {
  it('shows only the status of health without a key, and details with one', async () => {
    const { app } = await start({ auth: true, masterKey })
    const { key } = await newKey(app, 'alice')
    const plain = await app.inject({ method: 'GET', url: api('/health') })
    expect(plain.json()).toEqual({ status: 'healthy' })
    const detailed = await app.inject({ method: 'GET', url: api('/health'), headers: bearer(key) })
    expect(detailed.json()).toEqual({
      status: 'healthy',
      version: '1.2.3',
      uptime_seconds: 5,
      checks: { storage: 'ok' },
      languages: [{ code: 'en', recall: 'tested', understanding: 'full' }],
    })
  })

  it('returns 503 with Retry-After if it is not healthy', async () => {
    const { app } = await start({ healthy: false })
    for (const path of [api('/health'), '/readyz']) {
      const answer = await app.inject({ method: 'GET', url: path })
      expect(answer.statusCode).toBe(503)
      expect(answer.json().error.code).toBe('unavailable')
      expect(answer.headers['retry-after']).toBeDefined()
    }
    expect((await app.inject({ method: 'GET', url: '/livez' })).json()).toEqual({ status: 'alive' })
  })

  it('refuses new requests with 503 while it drains, and still answers probes', async () => {
    const { app, state } = await start()
    state.draining = true
    const answer = await app.inject({ method: 'GET', url: api('/memories') })
    expectError(answer, 503, 'unavailable')
    expect(answer.headers).toMatchObject({ 'retry-after': '1', connection: 'close' })
    expect((await app.inject({ method: 'GET', url: '/livez' })).statusCode).toBe(200)
    expect((await app.inject({ method: 'GET', url: '/readyz' })).statusCode).toBe(503)
  })

  it('sends rate limit headers on every limited response, and Retry-After past the limit', async () => {
    const { app } = await start({ limits: { store: 2 } })
    const send = (payload: object) => app.inject({ method: 'POST', url: api('/store'), payload })
    const bad = await send({})
    expect(bad.statusCode).toBe(400)
    // A mistake without a key counts towards the default limit.
    expect(bad.headers).toMatchObject({ 'x-ratelimit-limit': '1000', 'x-ratelimit-remaining': '999' })
    const good = await send({ content: 'x', user_id: 'a' })
    expect(good.statusCode).toBe(200)
    expect(good.headers).toMatchObject({ 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1' })
    expect((await send({ content: 'x', user_id: 'a' })).statusCode).toBe(200)
    const limited = await send({ content: 'x', user_id: 'a' })
    expectError(limited, 429, 'rate_limit_exceeded')
    expect(limited.headers).toMatchObject({
      'x-ratelimit-remaining': '0',
      'retry-after': limited.headers['x-ratelimit-reset'],
    })
    expect((await app.inject({ method: 'GET', url: api('/memories') })).statusCode).toBe(200)
  })

  it('shows the cause of an internal error only in the log', async () => {
    const { app, state, logLines } = await start()
    state.failing = true
    const answer = await app.inject({
      method: 'POST',
      url: api('/store'),
      payload: { content: 'private', user_id: 'a' },
    })
    const error = expectError(answer, 500, 'internal_error')
    expect(answer.body).not.toMatch(/table|keepsake\.db|\.ts|stack/)
    const lines = logLines.filter((line) => line.includes(error.request_id))
    expect(lines.join('')).toContain('no such table')
    expect(lines.join('')).not.toContain('private')
  })

  it('logs one line per request, with the pattern of the route and without its values', async () => {
    const { app, logLines } = await start({ auth: true, masterKey })
    const { key, id: keyId } = await newKey(app, 'alice')
    logLines.length = 0
    await app.inject({ method: 'GET', url: api(`/memories/${id}?user_id=canary`), headers: bearer(key) })
    expect(logLines).toHaveLength(1)
    expect(JSON.parse(logLines[0] ?? '')).toMatchObject({
      method: 'GET',
      route: '/api/v1/memories/:id',
      status: 404,
      key_id: keyId,
    })
    expect(logLines[0]).not.toMatch(/canary|mem_|Bearer|ksk_/)
  })

  it('answers preflights of the allowed origins only', async () => {
    const { app } = await start({ auth: true, masterKey, corsOrigins: ['https://app.example'] })
    const preflight = (origin: string) =>
      app.inject({
        method: 'OPTIONS',
        url: api('/store'),
        headers: { origin, 'access-control-request-method': 'POST' },
      })
    expect((await preflight('https://app.example')).headers['access-control-allow-origin']).toBe('https://app.example')
    expect((await preflight('https://evil.example')).headers['access-control-allow-origin']).toBeUndefined()
  })
})

describe('the socket', () => {
  it('finishes requests in flight before it closes, and keeps no connection alive', async () => {
    const { app, state } = await start()
    const address = await app.listen({ host: '127.0.0.1', port: 0 })
    let open: () => void = () => undefined
    const asked = new Promise<void>((reached) => {
      state.healthGate = new Promise((resolve) => {
        open = resolve
      })
      app.server.once('request', () => reached())
    })
    const inFlight = fetch(`${address}/api/v1/health`)
    await asked
    const closed = app.close()
    // The preClose hook has run by the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    open()
    const answer = await inFlight
    expect(answer.status).toBe(200)
    expect(answer.headers.get('connection')).toBe('close')
    await closed
  })

  async function raw(app: FastifyInstance, text: string): Promise<string> {
    const address = await app.listen({ host: '127.0.0.1', port: 0 })
    return new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(address).port), '127.0.0.1', () => socket.write(text))
      let answer = ''
      socket.on('data', (chunk) => {
        answer += chunk
      })
      socket.on('close', () => resolve(answer))
      socket.on('error', reject)
    })
  }

  it('answers invalid HTTP and a URL that is too long with the same error body', async () => {
    for (const request of [
      'nonsense\r\n\r\n',
      'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n',
      'GET /livez HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n',
      `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    ]) {
      const { app } = await start()
      const [head = '', body = ''] = (await raw(app, request)).split('\r\n\r\n')
      expect(head).toMatch(/^HTTP\/1\.1 400 /)
      expect(head).toContain('x-request-id: ')
      expect(JSON.parse(body).error.code).toBe('validation_error')
    }
  })

  it('refuses raw bytes above ASCII in a URL', async () => {
    const { app } = await start()
    const answer = await raw(app, 'GET /api/v1/memories?q=\u00e9 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain('validation_error')
  })
})

describe('the documentation', () => {
  it('is served at the root and under the prefix, without a key, with a strict content security policy', async () => {
    const { app } = await start({ auth: true, masterKey })
    for (const base of ['', '/api/v1']) {
      const json = await app.inject({ method: 'GET', url: `${base}/openapi.json` })
      expect(json.json().openapi).toBe('3.0.3')
      expect((await app.inject({ method: 'GET', url: `${base}/openapi.yaml` })).body).toMatch(/^openapi: "3\.0\.3"/)
      for (const path of ['/docs', '/redoc']) {
        const page = await app.inject({ method: 'GET', url: base + path })
        expect(page.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'")
        const scripts = [...page.body.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map((match) => match[1] ?? '')
        expect(scripts.length).toBeGreaterThan(1)
        for (const script of scripts) {
          const asset = await app.inject({ method: 'GET', url: new URL(script, `http://a${base}${path}`).pathname })
          expect(asset.statusCode, script).toBe(200)
          expect(asset.headers['content-type']).toMatch(/^text\/(?:javascript|css)/)
        }
        expect(page.body).not.toMatch(/https?:/)
      }
    }
  })

  it('is the only response that a browser may show as a page or cache', async () => {
    const { app } = await start({ auth: true, masterKey })
    for (const url of [api('/memories'), api('/health'), '/nowhere', '/openapi.json', '/livez', api('/memories/%zz')]) {
      const { headers } = await app.inject({ method: 'GET', url })
      expect(headers, url).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'; sandbox$/),
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      })
    }
  })
})
