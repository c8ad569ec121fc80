import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { silentLog } from '../../core/log.js'
import { type UserScope, userScope } from '../../core/scope.js'
import { Notebook, start } from '../../storage/contract/notebook.js'
import type { Storage } from '../../storage/ports/storage.js'
import { keptThreads } from '../../storage/sqlite/kept-threads.fixture.js'
import { openSqliteStorage } from '../../storage/sqlite/sqlite-storage.js'
import type { Delivered } from './webhook-call.js'
import { type WebhookDelivery, webhookDelivery } from './webhook-delivery.js'

const [hostile, victim] = [userScope('hostile'), userScope('victim')]
const success: Delivered = { status: 204, error: null, retryAfterSeconds: null }

let dataDir: string
let storage: Storage
let notebook: Notebook
let delivery: WebhookDelivery
let now: number
/** URLs of the calls that wait for an answer, in order. */
let waiting: { readonly url: string; answer(): void }[]
let called: string[]
/** Receivers whose answer a test gives. */
let slow: ReadonlySet<string>
let reached: Map<string, () => void>

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'keepsake-webhooks-'))
  storage = await openSqliteStorage({ dataDir, startWorker: keptThreads })
  notebook = new Notebook(storage)
  now = start
  waiting = []
  called = []
  slow = new Set()
  reached = new Map()
  delivery = webhookDelivery({
    deps: { storage, clock: { now: () => now }, log: silentLog },
    meter: { streamClosed: () => undefined, delivery: () => undefined, eventsSent: () => undefined },
    view: ({ memoryId }) => ({ memory_id: memoryId }),
    call: ({ url }) => {
      called.push(url)
      reached.get(url)?.()
      if (!slow.has(url)) return Promise.resolve(success)
      return new Promise((resolve) => waiting.push({ url, answer: () => resolve(success) }))
    },
  })
})

afterEach(async () => {
  slow = new Set()
  const closing = delivery.close()
  for (const { answer } of waiting.splice(0)) answer()
  await closing
  await storage.close()
  await rm(dataDir, { recursive: true })
})

async function hook(scope: UserScope, url: string): Promise<void> {
  const fields = { types: [], project: null, secret: 'a secret of the receiver', createdAt: start, createdBy: null }
  await storage.createWebhook(scope, { ...fields, id: notebook.id('whk'), url }, 10)
}

const isCalled = (url: string) => new Promise<void>((resolve) => reached.set(url, resolve))

it('delivers to one user while receivers of another do not answer', async () => {
  const urls = Array.from({ length: 8 }, (_, n) => `https://hostile.example/${n}`)
  for (const url of urls) await hook(hostile, url)
  await hook(victim, 'https://victim.example/')
  slow = new Set(urls)
  await notebook.storeOne(hostile, { content: 'one' })
  const stuck = isCalled(urls[0] ?? '')
  void delivery.deliver()
  await stuck
  const arrived = isCalled('https://victim.example/')
  await notebook.storeOne(victim, { content: 'two' })
  delivery.wake()
  await arrived
  expect(called.filter((url) => urls.includes(url)).length).toBeLessThanOrEqual(2)
})

it('gives other users their turn between the deliveries of a slow receiver', async () => {
  for (const url of ['https://hostile.example/a', 'https://hostile.example/b']) await hook(hostile, url)
  for (let n = 0; n < 30; n++) await notebook.storeOne(hostile, { content: `event ${n}` })
  slow = new Set(['https://hostile.example/a', 'https://hostile.example/b'])
  const first = isCalled('https://hostile.example/a')
  const done = delivery.deliver()
  await first
  // Each answer takes five seconds: so a turn is one delivery, and the webhook is claimed again for the next one.
  const claims: number[] = []
  const claimWebhooks = storage.claimWebhooks.bind(storage)
  storage.claimWebhooks = (...asked) => {
    claims.push(now)
    return claimWebhooks(...asked)
  }
  for (let answered = 0; answered < 6; answered++) {
    while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve))
    now += 5_000
    waiting.shift()?.answer()
  }
  while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve))
  expect(claims.length).toBeGreaterThanOrEqual(4)
  slow = new Set()
  for (const { answer } of waiting.splice(0)) answer()
  await done
  expect(called.length).toBe(60)
})

it('delivers every event in order, whatever the slots do', async () => {
  const bodies: string[] = []
  await hook(victim, 'https://victim.example/')
  for (let n = 0; n < 120; n++) await notebook.storeOne(victim, { content: `event ${n}` })
  reached.set('https://victim.example/', () => bodies.push('x'))
  await delivery.deliver()
  expect(bodies).toHaveLength(120)
  await delivery.deliver()
  expect(bodies).toHaveLength(120)
})
