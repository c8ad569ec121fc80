/** Events of items: in the log, in a stream over a socket, by webhook and through MCP. */
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Delivery } from '../../src/service/webhooks/webhook-call.js'
import { hourMs, masterKey, startService, type TestService } from '../support/harness.js'
import { startReading } from './event-reader.js'

interface Event {
  readonly type: string
  readonly action: string
  readonly project: string | null
  readonly memory_id: string | null
  readonly item: { readonly namespace: string; readonly key: string; readonly version: number | null } | null
}

const brief = ({ type, item }: Event) => `${type} ${item ? `${item.namespace}/${item.key}` : 'all'}`

describe('events of items', () => {
  let service: TestService
  let url = ''
  let alice = ''
  let bob = ''
  let sent: Delivery[] = []
  beforeEach(async () => {
    sent = []
    const callWebhook = async (delivery: Delivery) => {
      sent.push(delivery)
      return { status: 200, error: null, retryAfterSeconds: null }
    }
    service = await startService({ auth: true, callWebhook })
    await service.app.listen({ host: '127.0.0.1', port: 0 })
    url = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}/api/v1/events`
    alice = (await service.createKey('alice')).key
    bob = (await service.createKey('bob')).key
  })
  afterEach(() => service.close())

  type Query = Record<string, string>
  const put = (key: string, place: string, value: unknown, query: Query = {}) =>
    service.ok<{ item: { version: number } }>('PUT', `/items/${place}`, { key, body: { value }, query })
  const remove = (key: string, place: string, query: Query = {}) =>
    service.ok('DELETE', `/items/${place}`, { key, query })
  const log = async (key: string, query: Query = {}) =>
    (await service.ok<{ events: Event[] }>('GET', '/events', { key, query })).events
  const read = (key: string, query = '') => startReading(`${url}${query}`, { authorization: `Bearer ${key}` })

  it('arrive in the stream of their user as they happen, without the value', async () => {
    const reader = await read(alice)
    await reader.next()
    const { item } = await put(alice, 'pets.cats/minka', { food: 'canary' })
    expect(await reader.next()).toMatchObject({
      event: 'item.put',
      id: '1-0',
      data: {
        type: 'item.put',
        action: 'ADD',
        user_id: 'alice',
        memory_id: null,
        item: { namespace: 'pets.cats', key: 'minka', version: item.version },
        related_memory_ids: [],
      },
    })
    await put(alice, 'pets.cats/minka', { food: 'canaries' })
    expect(await reader.next()).toMatchObject({ event: 'item.put', data: { action: 'UPDATE' } })
    await remove(alice, 'pets.cats/minka')
    const gone = { namespace: 'pets.cats', key: 'minka', version: null }
    expect(await reader.next()).toMatchObject({ event: 'item.deleted', data: { action: 'FORGET', item: gone } })
    await put(alice, 'pets.dogs/rex', 1)
    await reader.next()
    await service.ok('DELETE', '/items', { key: alice, query: { prefix: 'pets' } })
    expect(await reader.next()).toMatchObject({ event: 'item.deleted', data: { item: { key: 'rex' } } })
    expect(reader.text()).not.toContain('canar')
    await reader.close()
  })

  it('never reach another user, whose requests name the owner', async () => {
    const [own, foreign] = await Promise.all([read(bob), read(bob, '?user_id=alice&since=0')])
    await put(alice, 'of.alice/secret-name', 1)
    await remove(alice, 'of.alice/secret-name')
    await put(bob, 'of.bob/k', 1)
    await own.next()
    expect(await own.next()).toMatchObject({ data: { item: { namespace: 'of.bob' } } })
    expect(await log(bob, { user_id: 'alice' })).toEqual([])
    service.live.streams.close()
    await Promise.all([own.ended, foreign.ended])
    expect(own.text() + foreign.text()).not.toContain('alice/')
    expect(own.text() + foreign.text()).not.toContain('secret-name')
  })

  it('of a space are in no log of its members', async () => {
    const { space } = await service.ok<{ space: { id: string } }>('POST', '/spaces', {
      key: alice,
      body: { name: 'S' },
    })
    const body = { member: 'bob', role: 'writer' }
    await service.ok('POST', `/spaces/${space.id}/members`, { key: alice, body })
    await put(bob, 'shared/plan', 1, { space: space.id })
    await remove(alice, 'shared/plan', { space: space.id })
    for (const key of [alice, bob]) expect(await log(key)).toEqual([])
  })

  it('reach a key of one project only from that project', async () => {
    const body = { user_id: 'alice', name: 'one project', project: 'house' }
    const { key } = await service.ok<{ key: string }>('POST', '/keys', { key: masterKey, body })
    await put(alice, 'n/outside', 1)
    await put(alice, 'n/garden', 1, { project: 'garden' })
    await remove(alice, 'n/garden', { project: 'garden' })
    await put(alice, 'n/inside', 1, { project: 'house' })
    expect((await log(key)).map(brief)).toEqual(['item.put n/inside'])
    expect((await log(alice, { project: 'garden' })).map(brief)).toEqual(['item.deleted n/garden'])
  })

  it('reach an application key only for the user that it names', async () => {
    const body = { kind: 'application', name: 'backend', user_prefix: 'app-' }
    const { key } = await service.ok<{ key: string }>('POST', '/keys', { key: masterKey, body })
    await put(key, 'n/one', 1, { user_id: 'app-1' })
    await put(key, 'n/two', 1, { user_id: 'app-2' })
    await put(alice, 'n/alice', 1)
    expect((await log(key, { user_id: 'app-1' })).map(brief)).toEqual(['item.put n/one'])
    expect((await service.call('GET', '/events', { key, query: { user_id: 'alice' } })).text).not.toContain('n/')
  })

  it('are delivered to the webhooks of their user that want them', async () => {
    const hook = (key: string, name: string, more: object = {}) =>
      service.ok('POST', '/webhooks', { key, body: { url: `https://receiver.example.com/${name}`, ...more } })
    await hook(alice, 'all')
    await hook(alice, 'puts', { events: ['item.put'] })
    await hook(alice, 'memories', { events: ['memory.stored'] })
    await hook(alice, 'project', { project: 'house' })
    await hook(bob, 'bob')
    const got = () => sent.map(({ url: to, body }) => `${to.split('/').at(-1)} ${brief(JSON.parse(body) as Event)}`)
    await put(alice, 'n/k', 'a canary')
    await service.live.tick()
    await vi.waitFor(() => expect(got().sort()).toEqual(['all item.put n/k', 'puts item.put n/k']))
    await remove(alice, 'n/k')
    const all = ['all item.deleted n/k', 'all item.put n/k', 'puts item.put n/k']
    await vi.waitFor(async () => {
      await service.live.tick()
      expect(got().sort()).toEqual(all)
    })
    expect(JSON.stringify(sent)).not.toContain('canary')
  })

  it('report an item that a cleanup erases after its TTL', async () => {
    await service.ok('PUT', '/items/n/short', { key: alice, body: { value: 1, ttl: '1h' } })
    service.clock.advance(hourMs)
    await service.ok('POST', '/cleanup-expired', { key: alice, body: {} })
    expect(await log(alice)).toMatchObject([{ type: 'item.deleted', action: 'CLEANUP', item: { key: 'short' } }])
  })

  it('lose the names of all items when everything of the user is deleted', async () => {
    await put(alice, 'n/private-name', 1)
    await remove(alice, 'n/private-name')
    await put(alice, 'n/other-name', 1)
    await service.ok('DELETE', '/memories', { key: alice, body: { all: true } })
    const events = await log(alice)
    expect(events.map(brief)).toEqual(['item.deleted all'])
    expect(JSON.stringify(events)).not.toContain('name"')
  })
})
