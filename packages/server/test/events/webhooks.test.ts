/** Webhooks: creation, delivery in order, retries, dead letters, redelivery. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Delivered, Delivery } from '../../src/service/webhooks/webhook-call.js'
import { retryDelaysMs } from '../../src/service/webhooks/webhook-delivery.js'
import { masterKey, startService, type TestService } from '../support/harness.js'

interface Webhook {
  readonly id: string
  readonly url: string
  readonly status: string
  readonly attempts: number
  readonly dead_letters: number
  readonly last_error: string | null
}
interface Created {
  readonly webhook: Webhook
  readonly secret: string | null
}

const taken: Delivered = { status: 200, error: null, retryAfterSeconds: null }
const refused: Delivered = { status: 500, error: 'status 500', retryAfterSeconds: null }

describe('a webhook', () => {
  let service: TestService
  let key = ''
  let answer = taken
  let sent: Delivery[] = []
  beforeEach(async () => {
    answer = taken
    sent = []
    const callWebhook = async (delivery: Delivery) => {
      sent.push(delivery)
      return answer
    }
    service = await startService({ auth: true, callWebhook })
    key = (await service.createKey('alice')).key
    service.useKey(key)
  })
  afterEach(() => service.close())

  const create = (more: object = {}) =>
    service.ok<Created>('POST', '/webhooks', { body: { url: 'https://receiver.example.com/hook', ...more } })
  const bodies = () => sent.map(({ body }) => JSON.parse(body) as Record<string, unknown>)
  const store = (content: string, more: object = {}) => service.storeOne({ content, ...more })
  const find = async (id: string) => (await service.ok<{ webhook: Webhook }>('GET', `/webhooks/${id}`)).webhook

  it('is stored and shown with the URL that is called', async () => {
    const { webhook } = await create({ url: 'HTTPS://Receiver.Example.com:443/a/../hook with space' })
    expect(webhook.url).toBe('https://receiver.example.com/hook%20with%20space')
    await store('Something new')
    await service.live.tick()
    expect(sent.map(({ url }) => url)).toEqual([webhook.url])
  })

  it('receives each event after its creation once and in order', async () => {
    await store('Before there was a webhook')
    const { webhook, secret } = await create()
    expect(secret).toMatch(/^whsec_[\w-]{43}$/)
    const ids = [(await store('The first after')).id, (await store('The second after')).id]
    await service.live.tick()
    await service.live.tick()
    expect(bodies().map(({ memory_id }) => memory_id)).toEqual(ids)
    expect(sent.map(({ id }) => id)).toEqual([`${webhook.id}:2-0`, `${webhook.id}:3-0`])
    expect(sent[0]?.secret).toBe(secret)
    expect(JSON.stringify(bodies())).not.toContain('after')
    expect(service.audit('webhook.created')).toMatchObject([{ user_id: 'alice', webhook_id: webhook.id }])
  })

  it('receives an event right after an earlier one, at the same time of the clock', async () => {
    await create()
    const first = await store('One event')
    await service.live.tick()
    const second = await store('Another event')
    await service.live.tick()
    expect(bodies().map(({ memory_id }) => memory_id)).toEqual([first.id, second.id])
  })

  it('shows a generated secret once, and never a secret that the caller chose', async () => {
    const { secret } = await create()
    const given = await create({ secret: 'given-by-the-caller-0123456789' })
    expect(given.secret).toBeNull()
    const { text } = await service.call('GET', '/webhooks')
    expect(text).not.toContain(secret)
    expect(text).not.toContain('given-by-the-caller')
  })

  it('receives only the requested event types and project', async () => {
    await create({ events: ['memory.forgotten'], url: 'https://receiver.example.com/forgotten' })
    await create({ project: 'p', url: 'https://receiver.example.com/project' })
    const { id } = await store('In the project', { project: 'p' })
    await store('Outside of it')
    await service.ok('DELETE', '/memories', { body: { memory_ids: [id] } })
    await service.live.tick()
    const told = sent.map(({ url, body }) => `${new URL(url).pathname} ${(JSON.parse(body) as { type: string }).type}`)
    // The memory was erased before its event was delivered, so that event is not sent.
    expect(told.sort()).toEqual(['/forgotten memory.forgotten', '/project memory.forgotten'])
  })

  it('is retried with growing delays while later events wait, until the event becomes a dead letter', async () => {
    const { webhook } = await create()
    const first = await store('The first event')
    answer = refused
    await service.live.tick()
    await service.live.tick()
    expect(sent).toHaveLength(1)
    expect(await find(webhook.id)).toMatchObject({ status: 'retrying', attempts: 1, last_error: 'status 500' })
    for (const delayMs of retryDelaysMs) {
      service.clock.advance(delayMs * 1.25)
      await service.live.tick()
    }
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1)
    expect(sent).toHaveLength(retryDelaysMs.length + 1)
    expect(await find(webhook.id)).toMatchObject({ status: 'failing', attempts: 0, dead_letters: 1 })
    const dead = await service.ok<{ dead_letters: readonly object[] }>('GET', `/webhooks/${webhook.id}/dead-letters`)
    expect(dead).toMatchObject({
      total: 1,
      dead_letters: [{ event: { memory_id: first.id }, attempts: 8, last_status: 500, redelivering: false }],
    })
  })

  it('redelivers dead letters on request, and recovers', async () => {
    const { webhook } = await create()
    const { id } = await store('The lost event')
    answer = refused
    await service.live.tick()
    for (const delayMs of retryDelaysMs) {
      service.clock.advance(delayMs * 1.25)
      await service.live.tick()
    }
    const path = `/webhooks/${webhook.id}/redeliver`
    expect(await service.ok('POST', path, { body: { event_ids: ['9-9'] } })).toMatchObject({ redelivering: 0 })
    answer = taken
    sent = []
    expect(await service.ok('POST', path, { body: {} })).toMatchObject({ redelivering: 1 })
    await service.live.tick()
    expect(bodies()).toMatchObject([{ memory_id: id }])
    expect(await find(webhook.id)).toMatchObject({ status: 'active', dead_letters: 0 })
  })

  it('waits as long as Retry-After of the receiver says', async () => {
    await create()
    await store('Come back later')
    answer = { status: 429, error: 'status 429', retryAfterSeconds: 3600 }
    await service.live.tick()
    service.clock.advance(3_599_000)
    await service.live.tick()
    expect(sent).toHaveLength(1)
    answer = taken
    service.clock.advance(1000)
    await service.live.tick()
    expect(sent).toHaveLength(2)
  })

  it('is limited to ten per user, and invisible to other users', async () => {
    const { webhook } = await create()
    for (let more = 1; more < 10; more++) await create()
    await service.fails(400, 'POST', '/webhooks', { body: { url: 'https://receiver.example.com/eleventh' } })
    const bob = (await service.createKey('bob')).key
    expect(await service.ok('GET', '/webhooks', { key: bob })).toEqual({ webhooks: [], total: 0 })
    for (const path of ['', '/dead-letters'])
      await service.fails(404, 'GET', `/webhooks/${webhook.id}${path}`, { key: bob })
    await service.fails(404, 'DELETE', `/webhooks/${webhook.id}`, { key: bob })
    await service.fails(404, 'POST', `/webhooks/${webhook.id}/redeliver`, { key: bob, body: {} })
    const body = { url: 'https://receiver.example.com/of-bob', user_id: 'alice' }
    await service.fails(400, 'POST', '/webhooks', { key: bob, body })
    await service.fails(401, 'GET', '/webhooks', { key: masterKey })
    await service.storeOne({ content: 'Nothing of alice' }, { key: bob })
    await service.live.tick()
    expect(sent).toEqual([])
  })

  it('gets no more deliveries after it is deleted', async () => {
    const { webhook } = await create()
    await store('Never to be sent')
    await service.ok('DELETE', `/webhooks/${webhook.id}`)
    await service.live.tick()
    expect(sent).toEqual([])
    await service.fails(404, 'GET', `/webhooks/${webhook.id}`)
  })
})

it('a webhook is refused with a private address or without TLS', async () => {
  const service = await startService({ env: { SERVICE_WEBHOOK_ALLOW_PRIVATE: 'false' } })
  for (const url of [
    'http://1.1.1.1/',
    'https://127.0.0.1/',
    'https://[fd00::1]/',
    'https://localhost/',
    'file:///etc',
  ])
    expect(
      (await service.fails(400, 'POST', '/webhooks', { body: { url, user_id: 'alice' } })).details,
      url,
    ).toMatchObject([{ path: 'url' }])
  await service.close()
})
