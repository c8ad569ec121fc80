/** Several instances share one database: one of them does the work for all, and another takes over when it is killed. */
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { everyoneScope, userScope } from '../../src/core/scope.js'
import { fakeEmbedder } from '../../src/models/embedder/fake-embedder.js'
import type { Embedder } from '../../src/models/models.js'
import { claimedWork } from '../../src/service/upkeep/claimed-work.js'
import { cleanupSchedule } from '../../src/service/upkeep/cleanup-schedule.js'
import { InboxRecovery } from '../../src/service/upkeep/recover-inbox.js'
import { hourMs, manualClock, startService, type TestService, temporaryDirectory } from '../support/harness.js'
import { killAll, post, runService } from '../support/running-service.js'
import { anyPostgres, makeDatabase, type PostgresServer } from './postgres.js'

let server: Pick<PostgresServer, 'url' | 'close'>
let database: Awaited<ReturnType<typeof makeDatabase>>
const open: TestService[] = []

beforeEach(async () => {
  server = await anyPostgres()
  database = await makeDatabase(server.url)
})
afterEach(async () => {
  for (const service of open.splice(0)) await service.close()
  await database.drop()
  await server.close()
})

const clock = manualClock()
async function instance(embedder: Embedder = fakeEmbedder()): Promise<TestService> {
  const env = { SERVICE_DATABASE_URL: database.url }
  const service = await startService({ clock, languageModel: null, embedder, env, inboxPatienceMs: 60_000 })
  open.push(service)
  return service
}

const workOf = ({ deps }: TestService, leaseMs: number) =>
  claimedWork({ claims: deps.storage, log: deps.log, holder: deps.ids.next('doc'), leaseMs })

it('gives claimed work to no other instance until the lease expires by the database’s clock', async () => {
  const [one, two] = [await instance(), await instance()]
  const another = workOf(two, 1_000)
  // Neither released nor renewed: what a killed process leaves behind.
  await one.deps.storage.claim('work', 'killed', 5_000)
  clock.advance(400 * 24 * hourMs)
  expect(await another('work', async () => 'early')).toBeUndefined()
  await expect.poll(() => another('work', async () => 'mine'), { timeout: 60_000 }).toEqual({ result: 'mine' })
})

it('claims no webhook that another instance claims at the same moment', async () => {
  const { deps, storeOne } = await instance()
  const hook = { id: 'whk_1', url: 'https://example.com', types: [], project: null, secret: 's', createdBy: null }
  await deps.storage.createWebhook(userScope('ana'), { ...hook, createdAt: 1 }, 10)
  await storeOne({ user_id: 'ana', content: 'The lime is green' })
  const other = postgres(database.url, { max: 1, onnotice: () => undefined })
  const look = postgres(database.url, { max: 1, onnotice: () => undefined })
  try {
    // An older release, or one whose claim has just been renewed: it does not wait for the lock of all claims.
    await other.unsafe(`BEGIN; CALL keepsake_see('', 'yes', '');
      UPDATE webhooks SET claim = 'other', claimed_until = 9e12`)
    const now = clock.now()
    const mine = deps.storage.claimWebhooks(everyoneScope(), { token: 'mine', now, until: now + 1_000, perUser: 9 }, 9)
    const waiting = `SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`
    await expect.poll(async () => (await look.unsafe(waiting))[0]?.n, { timeout: 20_000 }).toBe(1)
    await other.unsafe('COMMIT')
    expect(await mine).toEqual([])
  } finally {
    await other.end()
    await look.end()
  }
})

it('renews a claim for as long as the work takes', async () => {
  const [one, two] = [await instance(), await instance()]
  let end = (): void => undefined
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  let begin = (): void => undefined
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const leaseMs = 6_000
  const working = workOf(one, leaseMs)('work', () => {
    begin()
    return ended
  })
  await begun
  const another = workOf(two, leaseMs)
  const beyondLease = performance.now() + 1.5 * leaseMs
  while (performance.now() < beyondLease) {
    expect(await another('work', async () => 'stolen')).toBeUndefined()
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  end()
  await working
  expect(await another('work', async () => 'mine')).toEqual({ result: 'mine' })
})

it('re-embeds once for all instances', async () => {
  const model = (modelId: string) => {
    const working = fakeEmbedder()
    const embedded: string[] = []
    const embedder: Embedder = {
      ...working,
      modelId,
      dimensions: working.dimensions,
      async embed(texts) {
        embedded.push(...texts)
        return working.embed(texts)
      },
    }
    return { embedder, embedded }
  }
  const first = await instance(model('old').embedder)
  const messages = Array.from({ length: 60 }, (_, index) => ({ role: 'user', content: `Fact ${index} is kept` }))
  await first.store({ user_id: 'ana', messages })
  const [one, two] = [model('new'), model('new')]
  const services = await Promise.all([instance(one.embedder), instance(two.embedder)])
  const outdated = () => first.deps.storage.countOutdated({ kind: 'everyone' }, 'new')
  await expect.poll(outdated, { timeout: 30_000 }).toBe(0)
  const total = (await first.list({ user_id: 'ana' })).total
  expect(one.embedded.length + two.embedded.length).toBe(total)
  expect(Math.min(one.embedded.length, two.embedded.length)).toBe(0)
  expect(services).toHaveLength(2)
})

it('purges on schedule once, and lets one instance recover the text of a killed one', async () => {
  const [one, two] = [await instance(), await instance()]
  await one.store({ user_id: 'ana', content: 'The boat leaves at noon', ttl: '1h' })
  clock.advance(2 * hourMs)
  const purges = [one, two].map((service) => vi.spyOn(service.deps.storage, 'purgeExpired'))
  // Another instance is doing it.
  await one.deps.storage.claim('cleanup', 'somebody', 60_000)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const schedules = [one, two].map((service) => cleanupSchedule(service.deps, hourMs, workOf(service, 60_000)))
  vi.advanceTimersByTime(hourMs)
  vi.useRealTimers()
  for (const schedule of schedules) await schedule.close()
  expect(purges.map(({ mock }) => mock.calls.length)).toEqual([0, 0])
  expect((await one.list({ user_id: 'ana', include_expired: true })).total).toBe(1)

  const payload = JSON.stringify({
    actor: { role: 'anonymous', keyId: null, ip: '127.0.0.1', requestId: 'r' },
    input: { text: { content: 'The vault opens at seven' }, metadata: {}, createdAt: clock.now() },
  })
  await one.deps.storage.keepRaw({ kind: 'user', userId: 'bo' }, { id: one.deps.ids.next('doc'), payload })
  const recoveries = [one, two].map(
    (service) => new InboxRecovery(service.deps, { shared: { patienceMs: 0, whileClaimed: workOf(service, 60_000) } }),
  )
  await Promise.all(recoveries.map((recovery) => recovery.start()))
  await expect.poll(async () => (await one.list({ user_id: 'bo' })).total, { timeout: 60_000 }).toBe(1)
  for (const recovery of recoveries) await recovery.close()
  expect(
    [...one.audit('memory.store'), ...two.audit('memory.store')].filter((line) => line.user_id === 'bo'),
  ).toHaveLength(1)
})

describe('re-embedding in a process that is killed', () => {
  const facts = 80
  const embedded: number[] = []
  let holdAfter = Number.POSITIVE_INFINITY
  let onHold = (): void => undefined
  const stub = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    // The request of the service; `remote-embedder.test.ts` checks its shape.
    const { model, input } = JSON.parse(Buffer.concat(chunks).toString()) as { model: string; input: string[] }
    const numbers = input.flatMap((text) => /^Fact (\d+)/.exec(text)?.[1] ?? []).map(Number)
    if (model === 'new' && numbers.length > 0) {
      if (embedded.length >= holdAfter) return onHold()
      embedded.push(...numbers)
    }
    const data = input.map((_, index) => ({
      index,
      embedding: Array.from({ length: 8 }, (__, i) => (i === index % 8 ? 1 : 0.1)),
    }))
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }))
  })
  let dataDirs: string[] = []
  beforeEach(async () => {
    dataDirs = [await temporaryDirectory(), await temporaryDirectory()]
    await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve))
  })
  afterEach(async () => {
    await killAll()
    stub.closeAllConnections()
    await new Promise((resolve) => stub.close(resolve))
    for (const dataDir of dataDirs) await rm(dataDir, { recursive: true, force: true })
  })
  const serve = (model: string, dataDir = '') =>
    runService({
      SERVICE_DATA_DIR: dataDir,
      SERVICE_DATABASE_URL: database.url,
      SERVICE_RATE_LIMIT_ENABLED: 'false',
      // A server that listens on TCP has an address of this type.
      SERVICE_EMBEDDING_BASE_URL: `http://127.0.0.1:${(stub.address() as AddressInfo).port}/v1`,
      SERVICE_EMBEDDING_MODEL: model,
    })

  it('continues in the other process, which repeats at most one batch', async () => {
    const old = await serve('old', dataDirs[0])
    const messages = Array.from({ length: facts }, (_, i) => ({ role: 'user', content: `Fact ${i} is number ${i}.` }))
    expect((await post(`${old.url}/api/v1/store`, { user_id: 'ana', messages })).status).toBe(200)
    old.process.kill('SIGTERM')
    await old.finished
    const held = new Promise<void>((resolve) => {
      holdAfter = 30
      onHold = resolve
    })
    const first = await serve('new', dataDirs[0])
    await held
    const second = await serve('new', dataDirs[1])
    const before = embedded.length
    first.process.kill('SIGKILL')
    await first.finished
    holdAfter = Number.POSITIVE_INFINITY
    const outdated = async () => {
      const text = await (await fetch(`${second.url}/metrics`)).text()
      return Number(/^keepsake_outdated_vectors (\d+)$/m.exec(text)?.[1])
    }
    expect(await outdated()).toBeGreaterThan(0)
    await expect.poll(outdated, { timeout: 90_000 }).toBe(0)
    expect(before).toBeLessThan(facts)
    expect(new Set(embedded).size).toBe(facts)
    expect(embedded.length).toBeLessThanOrEqual(facts + 32)
  })
})
