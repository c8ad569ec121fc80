/** Subscriptions to resources with the official client, at the revision that has them over HTTP. */
import { type Client, SdkHttpError } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { manualClock, masterKey, startService, type TestService } from '../support/harness.js'
import { connectedClient, issuer } from '../support/oauth-flow.js'
import { addressOf, call, connected, idOf } from './mcp-client.js'

let service: TestService
let url: URL
beforeAll(async () => {
  service = await startService({ auth: true, clock: manualClock() })
  url = await addressOf(service)
})
afterAll(() => service.close())

interface CreatedKey {
  readonly key: string
  readonly id: string
}
function createKey(userId: string, limits: object = {}): Promise<CreatedKey> {
  const body = { user_id: userId, name: 'a key', ...limits }
  return service.ok<CreatedKey>('POST', '/keys', { body, key: masterKey })
}
const keyOf = async (user: string, limits?: object) => (await createKey(user, limits)).key

/** A client and the notifications that it got: addresses, and `list` for a changed list. */
async function follower(key: string): Promise<{ client: Client; heard: string[] }> {
  const client = await connected(url, '2026-07-28', key)
  const heard: string[] = []
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri))
  client.setNotificationHandler('notifications/resources/list_changed', () => void heard.push('list'))
  return { client, heard }
}

describe('subscriptions/listen', () => {
  it('announces changes of the user, and nothing of anybody else', async () => {
    const [ann, ben] = [await keyOf('ann'), await keyOf('ben')]
    const { client, heard } = await follower(ann)
    const other = await follower(ben)
    const id = idOf(await call(client, 'store_memory', { content: 'The boat is called Pelican.' }))
    const uri = `keepsake://memories/${id}`
    const wanted = { resourcesListChanged: true, resourceSubscriptions: ['keepsake://profile', uri] }
    const subscription = await client.listen(wanted)
    expect(subscription.honoredFilter).toEqual(wanted)
    // A stranger who knows the id may subscribe to it, and hears nothing.
    await other.client.listen(wanted)
    await call(client, 'update_memory', { memory_id: id, content: 'The boat is called Heron.' })
    await vi.waitFor(() => expect(heard).toEqual(['list', 'keepsake://profile', uri]))
    await call(other.client, 'store_memory', { content: 'The cat is called Minka.' })
    await vi.waitFor(() => expect(other.heard).toEqual(['list', 'keepsake://profile']))
    expect(heard).toHaveLength(3)
    await subscription.close()
    await vi.waitFor(() => expect(service.live.streams.count()).toBe(1))
    await Promise.all([client.close(), other.client.close()])
    await vi.waitFor(() => expect(service.live.streams.count()).toBe(0))
  })

  it('announces nothing when only an item changes', async () => {
    const key = await keyOf('ivy')
    const { client, heard } = await follower(key)
    const id = idOf(await call(client, 'store_memory', { content: 'The boat is called Pelican.' }))
    const uri = `keepsake://memories/${id}`
    const subscription = await client.listen({ resourcesListChanged: true, resourceSubscriptions: [uri] })
    await service.ok('PUT', '/items/n/k', { key, body: { value: 1 } })
    await call(client, 'update_memory', { memory_id: id, content: 'The boat is called Heron.' })
    await vi.waitFor(() => expect(heard).toContain(uri))
    expect(heard).toEqual(['list', uri])
    await subscription.close()
    await client.close()
    await vi.waitFor(() => expect(service.live.streams.count()).toBe(0))
  })

  it('acknowledges only addresses that are announced', async () => {
    const { client } = await follower(await keyOf('cleo'))
    const resourceSubscriptions = ['keepsake://entities/ent_1', 'file:///etc/passwd', 'keepsake://profile']
    const subscription = await client.listen({ resourceSubscriptions, toolsListChanged: true })
    expect(subscription.honoredFilter).toEqual({ resourceSubscriptions: ['keepsake://profile'] })
    const nothing = await client.listen({ toolsListChanged: true })
    expect(nothing.honoredFilter).toEqual({})
    await client.close()
    await vi.waitFor(() => expect(service.live.streams.count()).toBe(0))
  })

  it('ends when the key is revoked, and is refused to a key that may not read', async () => {
    const { key, id } = await createKey('dora')
    const { client, heard } = await follower(key)
    const subscription = await client.listen({ resourcesListChanged: true })
    await service.ok('DELETE', `/keys/${id}`, { key: masterKey })
    await subscription.closed
    expect(service.live.streams.count()).toBe(0)
    expect(heard).toEqual([])
    const writer = await follower(await keyOf('dora', { access: 'write' }))
    await expect(writer.client.listen({ resourcesListChanged: true })).rejects.toSatisfy(
      (error) => error instanceof SdkHttpError && error.status === 403,
    )
    await Promise.all([client.close(), writer.client.close()])
  })

  it('follows the user who approved an OAuth grant, until the grant ends', async () => {
    const own = await startService({ auth: true, clock: manualClock(), env: { SERVICE_OAUTH_URL: issuer } })
    const { key } = await own.createKey('flora')
    const { tokens } = await connectedClient(own.app, key)
    const client = await connected(await addressOf(own), '2026-07-28', tokens.access_token)
    const heard: string[] = []
    client.setNotificationHandler('notifications/resources/list_changed', () => void heard.push('list'))
    const subscription = await client.listen({ resourcesListChanged: true })
    // A grant is not a key: looking for revoked keys must not end it.
    await own.live.tick()
    expect(own.live.streams.count()).toBe(1)
    await own.store({ content: 'The boat is called Pelican.' }, { key })
    await vi.waitFor(() => expect(heard).toEqual(['list']))
    // No token works any longer.
    own.clock.advance(16 * 60_000)
    await own.live.tick()
    expect(await subscription.closed).toBe('graceful')
    await client.close()
    await own.close()
  })

  it('is refused to an application key, because it names no user', async () => {
    const { client } = await follower(await keyOf('', { kind: 'application', user_id: undefined }))
    await expect(client.listen({ resourcesListChanged: true })).rejects.toMatchObject({ status: 400 })
    await client.close()
  })

  it('refuses more streams than a user may have, and more addresses than a client needs', async () => {
    const { client } = await follower(await keyOf('emil'))
    const resourceSubscriptions = Array.from({ length: 1_001 }, (_, at) => `keepsake://memories/mem_${at}`)
    await expect(client.listen({ resourceSubscriptions })).rejects.toMatchObject({ status: 400 })
    for (let opened = 0; opened < 10; opened++) await client.listen({ resourcesListChanged: true })
    await expect(client.listen({ resourcesListChanged: true })).rejects.toMatchObject({ status: 429 })
    await client.close()
    await vi.waitFor(() => expect(service.live.streams.count()).toBe(0))
  })

  it('does not keep the service from stopping', async () => {
    const own = await startService({ auth: true })
    const { key } = await own.createKey('ann')
    const client = await connected(await addressOf(own), '2026-07-28', key)
    const subscription = await client.listen({ resourcesListChanged: true })
    await own.close()
    expect(await subscription.closed).toBe('graceful')
    await client.close()
  })
})
