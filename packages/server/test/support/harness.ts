/**
 * Runs the whole service in this process and calls it through HTTP only, with a temporary data directory, a clock that the test
 * moves, and a fast embedder. Every response is checked against the OpenAPI document. When the service closes, nothing that was
 * sent, except ids, may be in its log, audit log or metrics. `secrets-in-logs.test.ts` checks the same for a separate process.
 * `npm run test:services` runs the same tests on PostgreSQL, with one database per data directory.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { expect } from 'vitest'
import { compose } from '../../src/boot/compose.js'
import { openLogger } from '../../src/boot/logger.js'
import { loadConfig } from '../../src/config/config.js'
import type { Metrics } from '../../src/http/metrics/metrics.js'
import { fakeEmbedder } from '../../src/models/embedder/fake-embedder.js'
import { quietJudge } from '../../src/models/judge/quiet-judge.fixture.js'
import { broken, good, hangs, type LlmStub, startLlmStub } from '../../src/models/llm/llm-stub.fixture.js'
import type { Embedder, Judge, Reranker } from '../../src/models/models.js'
import type { CallWebhook } from '../../src/service/webhooks/webhook-call.js'
import { keptThreads } from '../../src/storage/sqlite/kept-threads.fixture.js'
import { databaseFor, isOnPostgres } from '../services/engine.js'
import type {
  CreatedKeyAnswer,
  ErrorAnswer,
  ListAnswer,
  MemoryItem,
  RecallAnswer,
  StoreAnswer,
  StoredItem,
} from './contract.js'
import { describeErrorMismatch, describeMismatch } from './openapi-check.js'

export const masterKey = 'master-key-of-the-test-suite-0123456789abcdef'
const llmKey = 'sk-language-model-key-of-the-test-suite'
export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'HEAD' | 'OPTIONS'
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

export interface Call {
  /** `null` sends no key, even if `useKey` has set one. */
  readonly key?: string | null
  readonly body?: unknown
  /** Sent unchanged with `contentType`, which is JSON by default. */
  readonly raw?: string | Buffer
  readonly contentType?: string | null
  readonly query?: Query
  readonly headers?: Readonly<Record<string, string>>
  readonly ip?: string
  /** The route is not in the OpenAPI document: only the error body is checked. */
  readonly unlisted?: boolean
}

export interface Answer<T> {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: T
  readonly text: string
}

export interface ManualClock {
  now(): number
  advance(ms: number): void
  set(ms: number): void
}

export interface AuditLine {
  readonly time: string
  readonly event: string
  readonly outcome: string
  readonly ip: string
  readonly request_id: string
  readonly [detail: string]: unknown
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Sets the master key. Calls without an explicit key send none. */
  readonly auth?: boolean
  readonly clock?: ManualClock
  /** Uses this directory and does not remove it. */
  readonly dataDir?: string
  /** Uses the real models instead of fast fakes. */
  readonly realModels?: boolean
  /** Replaces the fast fake. */
  readonly embedder?: Embedder
  /** Replaces the one that says nothing. */
  readonly judge?: Judge
  /** A language model that the test has started. Null: none, even if the suite runs with one. */
  readonly languageModel?: LlmStub | null
  readonly languageModelBudgetMs?: number
  /** Delays responses to failed authentications, as in production. */
  readonly holdFailures?: boolean
  /** Uses the bcrypt cost of production, about 65 ms per hash. */
  readonly realBcrypt?: boolean
  readonly inboxPatienceMs?: number
  /** Replaces the monotonic clock of the rate limits. */
  readonly limitsNow?: () => number
  /** Replaces the network call. */
  readonly callWebhook?: CallWebhook
}

export type TestService = Awaited<ReturnType<typeof startService>>

export const startTime = Date.parse('2026-03-02T10:00:00.000Z')

export function manualClock(startMs = startTime): ManualClock {
  let now = startMs
  return {
    now: () => now,
    advance: (ms) => {
      now += ms
    },
    set: (ms) => {
      now = ms
    },
  }
}

export async function temporaryDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'keepsake-test-'))
}

/** `npm run test:llm` runs the whole suite with a language model that works, never answers, or is broken. */
const suiteModels = { good, slow: hangs, broken }

function suiteModel(): Promise<LlmStub> | null {
  const kind = process.env.KEEPSAKE_TEST_LLM
  if (!kind) return null
  if (kind !== 'good' && kind !== 'slow' && kind !== 'broken')
    throw new Error(`KEEPSAKE_TEST_LLM: unknown kind ${kind}`)
  return startLlmStub(suiteModels[kind])
}

/** The first service of this process. Later ones reuse its compiled validators. */
let earlier: FastifyInstance | undefined

export async function startService(options: StartOptions = {}) {
  const ownStub = options.languageModel === undefined ? await suiteModel() : null
  const stub = options.languageModel ?? ownStub
  const dataDir = options.dataDir ?? (await temporaryDirectory())
  const clock = options.clock ?? manualClock()
  const database = isOnPostgres ? await databaseFor(dataDir) : null
  const logLines: string[] = []
  const auditLines: string[] = []
  const { config, warnings } = loadConfig({
    SERVICE_DATA_DIR: dataDir,
    ...(database ? { SERVICE_DATABASE_URL: database.url } : {}),
    SERVICE_RATE_LIMIT_ENABLED: 'false',
    // The reranker would cost each recall of the tests more than everything else.
    SERVICE_READ_FIRST: '0',
    // Webhook receivers of the tests are on this machine, and no external name is resolved.
    SERVICE_WEBHOOK_ALLOW_PRIVATE: 'true',
    ...(options.auth ? { SERVICE_MASTER_KEY: masterKey } : {}),
    ...(stub ? { SERVICE_LLM_BASE_URL: stub.baseUrl, SERVICE_LLM_MODEL: 'stub', SERVICE_LLM_API_KEY: llmKey } : {}),
    ...options.env,
  })
  // Logs at the lowest level, to find leaks at every level.
  const logger = openLogger('trace', lineStream(logLines))
  const service = await compose(config, {
    clock,
    logger,
    // Tests fail to authenticate hundreds of times, and each failure would take a quarter of a second.
    holdFailures: options.holdFailures ?? false,
    ...(options.realBcrypt ? {} : { bcryptCost: 4 }),
    // Tests must not wait for a model that hangs, or between attempts.
    inboxPatienceMs: options.inboxPatienceMs ?? 0,
    // Tests trigger periodic work themselves.
    eventTickMs: 0,
    startStorageThread: keptThreads,
    validatorCompiler: earlier?.validatorCompiler,
    ...(options.limitsNow === undefined ? {} : { limitsNow: options.limitsNow }),
    ...(options.callWebhook === undefined ? {} : { callWebhook: options.callWebhook }),
    languageModelBudgetMs: options.languageModelBudgetMs ?? (process.env.KEEPSAKE_TEST_LLM === 'good' ? 10_000 : 300),
    ...(options.realModels
      ? {}
      : {
          openEmbedder: async () => options.embedder ?? fakeEmbedder(),
          openReranker: async () => wordReranker,
          openJudge: async () => options.judge ?? quietJudge,
          openSpanReader: async () => null,
        }),
    ...(config.auditLog === undefined ? { writeAuditLine: (line: string) => void auditLines.push(line) } : {}),
  })
  await service.app.ready()
  earlier ??= service.app
  const secrets = new Set<string>([masterKey, llmKey])
  let defaultKey: string | null = null

  async function inject<T>(method: Method, url: string, call: Call): Promise<Answer<T>> {
    for (const text of secretTexts(call)) secrets.add(text)
    const key = call.key === undefined ? defaultKey : call.key
    const payload = call.raw ?? (call.body === undefined ? undefined : JSON.stringify(call.body))
    const contentType = call.contentType === undefined ? 'application/json' : call.contentType
    const response = await service.app.inject({
      method,
      url: `${url}${queryString(call.query)}`,
      remoteAddress: call.ip ?? '127.0.0.1',
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(payload === undefined || contentType === null ? {} : { 'content-type': contentType }),
        ...call.headers,
      },
      ...(payload === undefined ? {} : { payload }),
    })
    const responseType = String(response.headers['content-type'] ?? '')
    const isJson = responseType.startsWith('application/json')
    // The type is checked against the OpenAPI document below.
    const body = (isJson ? JSON.parse(response.payload) : response.payload) as T
    const status = response.statusCode
    if (method !== 'HEAD' && method !== 'OPTIONS') {
      const path = url.split('?')[0] ?? url
      const mismatch = call.unlisted
        ? describeErrorMismatch(body)
        : describeMismatch({ method, path, status, contentType: responseType, body })
      expect(mismatch, `${method} ${path} → ${status} ${response.payload.slice(0, 300)}`).toBeUndefined()
    }
    // The headers of Node's response, read by name.
    return { status, headers: response.headers as IncomingHttpHeaders, body, text: response.payload }
  }

  const call = <T = ErrorAnswer>(method: Method, path: string, options_: Call = {}) =>
    inject<T>(method, `/api/v1${path}`, options_)
  const callRoot = <T = ErrorAnswer>(method: Method, path: string, options_: Call = {}) =>
    inject<T>(method, path, options_)

  async function ok<T>(method: Method, path: string, options_: Call = {}): Promise<T> {
    const answer = await call<T>(method, path, options_)
    expect(answer.status, answer.text).toBe(method === 'POST' && path === '/keys' ? 201 : 200)
    return answer.body
  }

  async function fails(
    status: number,
    method: Method,
    path: string,
    options_: Call = {},
  ): Promise<ErrorAnswer['error'] & { readonly headers: IncomingHttpHeaders }> {
    const answer = await call<ErrorAnswer>(method, path, options_)
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(status)
    return { ...answer.body.error, headers: answer.headers }
  }

  async function createKey(userId: string, name = 'a key'): Promise<CreatedKeyAnswer> {
    const created = await ok<CreatedKeyAnswer>('POST', '/keys', { key: masterKey, body: { user_id: userId, name } })
    secrets.add(created.key)
    secrets.add(created.key.split('_').slice(2).join('_'))
    return created
  }

  const store = (body: object, options_: Call = {}) => ok<StoreAnswer>('POST', '/store', { ...options_, body })

  return {
    config,
    warnings,
    clock,
    dataDir,
    app: service.app,
    deps: service.deps,
    live: service.live,
    logLines,
    auditLines,
    call,
    callRoot,
    ok,
    fails,
    createKey,
    store,
    /** Sets the key for later calls without an explicit one. */
    useKey(key: string | null): void {
      defaultKey = key
    },
    forbidInLogs(text: string): void {
      secrets.add(text)
    },
    /** Stores one memory and returns it. */
    async storeOne(body: object, options_: Call = {}): Promise<StoredItem> {
      const { memories } = await store(body, options_)
      expect(memories, JSON.stringify(body)).toHaveLength(1)
      const [item] = memories
      if (!item) throw new Error('nothing was stored')
      return item
    },
    recall: (body: object, options_: Call = {}) => ok<RecallAnswer>('POST', '/recall', { ...options_, body }),
    list: (query: Query = {}, options_: Call = {}) => ok<ListAnswer>('GET', '/memories', { ...options_, query }),
    async memory(id: string, options_: Call = {}): Promise<MemoryItem> {
      return (await ok<{ memory: MemoryItem }>('GET', `/memories/${id}`, options_)).memory
    },
    audit(event?: string): AuditLine[] {
      // The audit tests check the shape of these lines.
      const lines = auditLines.map((line) => JSON.parse(line) as AuditLine)
      return event === undefined ? lines : lines.filter((line) => line.event === event)
    },
    async close(): Promise<void> {
      // The content of /metrics, without a request: that would be logged, and a stopping service would refuse it. The meter is always of this type.
      const metrics = (service.deps.meter as Metrics).render()
      await service.close()
      await ownStub?.close()
      if (options.dataDir === undefined) {
        await rm(dataDir, { recursive: true, force: true })
        await database?.drop()
      }
      expectNoSecrets(secrets, 'log', logLines)
      expectNoSecrets(secrets, 'audit log', auditLines)
      expectNoSecrets(secrets, 'metrics', (await metrics).body.split('\n'))
    },
  }
}

/** Scores a text by the share of the query's words that it contains. */
const wordReranker: Reranker = {
  modelId: 'words',
  async score(query, texts) {
    const words = query.toLowerCase().split(/\W+/).filter(Boolean)
    return texts.map(
      (text) => words.filter((word) => text.toLowerCase().includes(word)).length / Math.max(1, words.length),
    )
  },
  close: async () => undefined,
}

function lineStream(lines: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
}

/** Shorter texts occur by chance. */
const shortestSecret = 12

/** The audit log contains ids and times on purpose. */
const toldInAudit = new Set(['user_id', 'member', 'memory_ids', 'created_at', 'as_of', 'cursor', 'id', 'into'])
const anId = /^[a-z]{3}_[0-9a-z]{26}$/
const aTime = /^\d{4}-\d\d-\d\dT/

/** API keys and all texts and names in a body or query. None of them may be logged. */
function secretTexts(call: Call): string[] {
  const texts: string[] = [...textsIn(call.body), ...textsIn(call.query)]
  if (typeof call.key === 'string') texts.push(call.key)
  if (typeof call.raw === 'string')
    texts.push(...(call.raw.match(/"[^"\\]{12,}"/g) ?? []).map((text) => text.slice(1, -1)))
  return texts.filter((text) => text.length >= shortestSecret && !anId.test(text) && !aTime.test(text))
}

/** Field names are not secret, except those in metadata and filters, which callers choose. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > 40) return []
  if (Array.isArray(value)) return value.flatMap((each) => textsIn(each, depth + 1))
  return Object.entries(value).flatMap(([name, each]) =>
    toldInAudit.has(name) && depth === 0 ? [] : [...(depth === 0 ? [] : [name]), ...textsIn(each, depth + 1)],
  )
}

function expectNoSecrets(secrets: ReadonlySet<string>, where: string, lines: readonly string[]): void {
  const all = lines.join('\n')
  const leaked = [...secrets].filter((secret) =>
    [
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(Buffer.from(secret, 'utf8').toString('utf8')),
    ].some((form) => all.includes(form)),
  )
  const shown = leaked.map((secret) => lines.find((line) => line.includes(secret))?.slice(0, 400) ?? secret)
  expect(shown.slice(0, 3), `what was sent is in the ${where}`).toEqual([])
}

function queryString(query: Query | undefined): string {
  if (query === undefined) return ''
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : (Array.isArray(value) ? value : [value]).map((item) => [name, String(item)]),
  )
  if (pairs.length === 0) return ''
  return `?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`).join('&')}`
}
