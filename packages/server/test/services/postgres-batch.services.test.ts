/** Batches on PostgreSQL with several instances: each item is stored once, whoever takes it and whoever dies. */
import { rm } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { manualClock, startService, type TestService, temporaryDirectory } from '../support/harness.js'
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

interface BatchAnswer {
  readonly stored: number
  readonly failed: number
  readonly results: readonly { readonly status: string; readonly replayed?: boolean; readonly error?: unknown }[]
}

const clock = manualClock()
async function instance(): Promise<TestService> {
  const service = await startService({ clock, languageModel: null, env: { SERVICE_DATABASE_URL: database.url } })
  open.push(service)
  return service
}

const crates = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ content: `Crate ${index} holds ${index * 3 + 2} jars.` }))

it('is stored once if two instances get it at the same time', async () => {
  const [one, two] = [await instance(), await instance()]
  const items = crates(40)
  const send = (service: TestService) =>
    service.ok<BatchAnswer>('POST', '/store/batch', {
      body: { user_id: 'ana', items },
      headers: { 'idempotency-key': 'the-same-import' },
    })
  const answers = await Promise.all([send(one), send(two)])
  expect(answers.map(({ failed }) => failed)).toEqual([0, 0])
  expect((await one.list({ user_id: 'ana' })).total).toBe(40)
  // Each item was stored by one of the two, and repeated to the other.
  const replays = answers.map(({ results }) => results.map(({ replayed }) => replayed === true))
  expect(replays[0]?.map((replayed, index) => replayed !== replays[1]?.[index])).toEqual(items.map(() => true))
})

it('keeps what was committed if the instance dies in the middle, and a second try stores only the rest', async () => {
  const directories = [await temporaryDirectory(), await temporaryDirectory()]
  const env = { SERVICE_DATABASE_URL: database.url, SERVICE_RATE_LIMIT_ENABLED: 'false' }
  const body = {
    user_id: 'ana',
    items: crates(80).map((item, index) => ({ ...item, idempotency_key: `crate-${index}` })),
  }
  try {
    const [first, second] = await Promise.all(
      directories.map((directory) => runService({ ...env, SERVICE_DATA_DIR: directory })),
    )
    if (!first || !second) throw new Error('a service is missing')
    const stored = async () => {
      const answer = await fetch(`${second.url}/api/v1/memories?user_id=ana&limit=1`)
      return ((await answer.json()) as { readonly total: number }).total
    }
    const sent = post(`${first.url}/api/v1/store/batch`, body).catch((error: unknown) => error)
    const before = await vi.waitFor(
      async () => {
        const total = await stored()
        expect(total).toBeGreaterThan(0)
        return total
      },
      { timeout: 400_000, interval: 50 },
    )
    first.process.kill('SIGKILL')
    await first.finished
    await sent
    // One transaction per slice: all of it or nothing.
    expect(before % 32).toBe(0)
    expect(before).toBeLessThan(80)
    const replays: number[] = []
    // A slow machine may need more than the minute after which no further items are begun.
    for (let left = body.items.length, tries = 0; left > 0 && tries < 5; tries += 1) {
      const { failed, results } = (await post(`${second.url}/api/v1/store/batch`, body)).body as unknown as BatchAnswer
      replays.push(results.filter(({ replayed }) => replayed === true).length)
      left = failed
    }
    expect(replays[0]).toBeGreaterThanOrEqual(before)
    expect(await stored()).toBe(80)
  } finally {
    await killAll()
    for (const directory of directories) await rm(directory, { recursive: true })
  }
}, 600_000)
