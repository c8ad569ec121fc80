/** A connection over streams, with the official client's messages written by hand. */
import { PassThrough } from 'node:stream'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { silentLog } from '../core/log.js'
import type { Followed, Session } from './operations.js'
import { serveStreams } from './stdio-door.js'

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const close: (() => void)[] = []
afterEach(() => {
  for (const each of close.splice(0)) each()
})

/** A connection whose user's memories change when the test says so. */
function connection() {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const feeds: ((followed: Followed) => void)[] = []
  let followers = 0
  const session = {
    requestId: 'r',
    defaultUser: undefined,
    mayCall: () => true,
    follow: async () => {
      followers += 1
      return {
        next: () => new Promise<Followed>((resolve) => feeds.push(resolve)),
        close: () => {
          for (const feed of feeds.splice(0)) feed({ kind: 'closed' })
        },
      }
    },
    // Nothing here performs an operation.
  } as unknown as Session
  const parts = {
    version: '1',
    tools: async () => new Map(),
    log: silentLog,
    maxMessageBytes: 1e6,
    heard: () => undefined,
  }
  const served = serveStreams(input, output, parts, () => session)
  close.push(served.close)
  let text = ''
  output.on('data', (chunk) => {
    text += chunk
  })
  const heard = () =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  return {
    served,
    input,
    heard,
    followers: () => followers,
    send: (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    async change(...memoryIds: string[]) {
      await vi.waitFor(() => expect(feeds).not.toEqual([]))
      feeds.shift()?.({ kind: 'changed', memoryIds })
    },
    answerTo: (id: number) => vi.waitFor(() => expect(heard()).toContainEqual(expect.objectContaining({ id }))),
    updates: () => heard().flatMap(({ method, params }) => (/resources\//.test(method) ? [params.uri ?? 'list'] : [])),
  }
}

describe('a connection of revision 2025-11-25', () => {
  it('announces the subscribed resources only, until they are unsubscribed', async () => {
    const { send, change, answerTo, updates, heard, followers } = connection()
    const clientInfo = { name: 'x', version: '1' }
    send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } })
    send({ method: 'notifications/initialized' })
    await answerTo(1)
    expect(heard()[0].result.capabilities.resources).toEqual({ subscribe: true })
    expect(followers()).toBe(0)
    send({ id: 2, method: 'resources/subscribe', params: { uri: 'keepsake://memories/mem_1' } })
    send({ id: 3, method: 'resources/subscribe', params: { uri: 'keepsake://entities/ent_1' } })
    await Promise.all([answerTo(2), answerTo(3)])
    expect(heard().find(({ id }) => id === 3)).toMatchObject({ error: { data: { uri: 'keepsake://entities/ent_1' } } })
    await change('mem_1', 'mem_2', 'mem_1')
    await vi.waitFor(() => expect(updates()).toEqual(['keepsake://memories/mem_1']))
    send({ id: 4, method: 'resources/unsubscribe', params: { uri: 'keepsake://memories/mem_1' } })
    await answerTo(4)
    await change('mem_1')
    await change('mem_1')
    expect(updates()).toHaveLength(1)
    expect(followers()).toBe(1)
  })
})

describe('a connection of revision 2026-07-28', () => {
  it('announces what its subscriptions ask for, and closes the follower with the connection', async () => {
    const { served, input, send, change, updates, heard } = connection()
    send({ id: 1, method: 'server/discover', params: { _meta: meta } })
    const resourceSubscriptions = ['keepsake://profile', 'keepsake://entities/ent_1']
    const notifications = { resourcesListChanged: true, resourceSubscriptions }
    send({ id: 2, method: 'subscriptions/listen', params: { _meta: meta, notifications } })
    const acknowledged = { resourcesListChanged: true, resourceSubscriptions: ['keepsake://profile'] }
    await vi.waitFor(() =>
      expect(heard()).toContainEqual(
        expect.objectContaining({
          method: 'notifications/subscriptions/acknowledged',
          params: expect.objectContaining({ notifications: acknowledged }),
        }),
      ),
    )
    await change('mem_1')
    await vi.waitFor(() => expect(updates()).toEqual(['list', 'keepsake://profile']))
    input.end()
    await served.closed
  })
})
