/** Two services on one database: events of one reach the streams of the other, and one of them delivers webhooks. */
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startReading } from '../events/event-reader.js'
import { hourMs, manualClock, masterKey, startService, type TestService } from '../support/harness.js'
import { anyPostgres, makeDatabase, type PostgresServer } from './postgres.js'

let server: Pick<PostgresServer, 'url' | 'close'>
let database: Awaited<ReturnType<typeof makeDatabase>>
const open: TestService[] = []
let delivered: string[] = []

beforeEach(async () => {
  delivered = []
  server = await anyPostgres()
  database = await makeDatabase(server.url)
})
afterEach(async () => {
  for (const service of open.splice(0)) await service.close()
  await database.drop()
  await server.close()
})

const clock = manualClock()
async function instance(): Promise<TestService> {
  const service = await startService({
    auth: true,
    clock,
    languageModel: null,
    env: { SERVICE_DATABASE_URL: database.url },
    callWebhook: async ({ id }) => {
      delivered.push(id)
      return { status: 200, error: null, retryAfterSeconds: null }
    },
  })
  open.push(service)
  return service
}

it('sends an event stream what another instance stores, and closes it when another instance revokes its key', async () => {
  const [one, two] = [await instance(), await instance()]
  const { id: keyId, key } = await one.createKey('ana')
  await one.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = one.app.server.address() as AddressInfo
  const reader = await startReading(`http://127.0.0.1:${port}/api/v1/events`, { authorization: `Bearer ${key}` })
  await reader.next()
  const { id } = await two.storeOne({ content: 'The boat leaves at noon' }, { key })
  await one.live.tick()
  expect(await reader.next()).toMatchObject({ event: 'memory.stored', data: { memory_id: id } })
  await two.ok('DELETE', `/keys/${keyId}`, { key: masterKey })
  await one.live.tick()
  expect(await reader.next()).toMatchObject({ event: 'events.closed', data: { reason: 'key_revoked' } })
})

it('delivers each event and each expiry to a webhook once, even if all instances check at the same time', async () => {
  const services = [await instance(), await instance()]
  const [one, two] = services
  if (!one || !two) throw new Error('two instances')
  const { key } = await one.createKey('ana')
  const body = { url: 'https://receiver.example.com/hook' }
  const { webhook } = await one.ok<{ webhook: { id: string } }>('POST', '/webhooks', { key, body })
  for (const content of ['The first of two notes', 'The second note'])
    await two.storeOne({ content, ttl: '1h' }, { key })
  await Promise.all([...services, ...services].map((service) => service.live.tick()))
  expect(delivered).toEqual([`${webhook.id}:1-0`, `${webhook.id}:2-0`])
  clock.advance(2 * hourMs)
  await Promise.all([...services, ...services].map((service) => service.live.tick()))
  await one.live.tick()
  expect(delivered.slice(2)).toEqual([`${webhook.id}:3-0`, `${webhook.id}:3-1`])
})
