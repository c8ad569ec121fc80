/** One caller must not starve the others: long texts leave the main thread free, users take turns, limits count size. */
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { fakeEmbedder } from '../../src/models/embedder/fake-embedder.js'
import type { Embedder } from '../../src/models/models.js'
import type { ErrorAnswer, StoreAnswer } from '../support/contract.js'
import { startService, type TestService } from '../support/harness.js'

const services: TestService[] = []
afterEach(async () => {
  for (const service of services.splice(0)) await service.close()
})

async function start(...options: Parameters<typeof startService>): Promise<TestService> {
  const service = await startService(...options)
  services.push(service)
  return service
}

function longText(characters: number): string {
  const people = ['Anna Weber', 'John Smith', 'Priya', 'Marcus']
  let text = ''
  for (let index = 0; text.length < characters; index += 1)
    text += `${people[index % 4]} works at Acme ${index} in Berlin, and my sister likes tea number ${index}. `
  return text.slice(0, characters)
}

/** Holds the texts that contain "Acme" until `release` is called. */
function holdingEmbedder(): { readonly embedder: Embedder; release(): void } {
  const working = fakeEmbedder()
  let release = () => undefined as undefined
  const gate = new Promise<void>((resolve) => {
    release = () => void resolve()
  })
  return {
    release: () => release(),
    embedder: {
      ...working,
      async embed(texts) {
        if (texts.some((text) => text.includes('Acme'))) await gate
        return working.embed(texts)
      },
    },
  }
}

describe('a long text', () => {
  it('leaves the main thread free while it is understood', async () => {
    const service = await start({ languageModel: null })
    // The thread has started before anything is measured.
    await service.store({ user_id: 'ana', content: longText(1_500) })
    let isRunning = true
    const startedAt = performance.now()
    const storing = service.store({ user_id: 'mallory', content: longText(20_000) }).finally(() => {
      isRunning = false
    })
    let [longest, last] = [0, startedAt]
    while (isRunning) {
      // Injected requests alone never let a thread's messages through.
      await nextTurn()
      expect((await service.callRoot('GET', '/livez')).status).toBe(200)
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
    }
    await storing
    // The rules for tagging alone took more than half of the time in one piece.
    expect(longest / (performance.now() - startedAt)).toBeLessThan(0.35)
  })

  it('makes the same memories as its parts would in the main thread', async () => {
    const service = await start({ languageModel: null })
    const { memories } = await service.store({ user_id: 'ana', content: `${longText(3_000)}. Ana lives in Oslo.` })
    expect(memories.map(({ content }) => content).join(' ')).toContain('Ana lives in Oslo')
    expect(memories.flatMap(({ entities }) => entities)).toEqual(expect.arrayContaining(['Anna Weber', 'Berlin']))
  })
})

describe('users with long texts', () => {
  it('are bounded each: one of five texts gets a 429 and Retry-After, and others are served meanwhile', async () => {
    const { embedder, release } = holdingEmbedder()
    const service = await start({ auth: true, embedder, languageModel: null })
    const [mallory, ana] = [(await service.createKey('mallory')).key, (await service.createKey('ana')).key]
    const store = (key: string, content: string) =>
      service.call<StoreAnswer & ErrorAnswer>('POST', '/store', { key, body: { content } })
    // Quickly understood: only the embedder holds it up.
    const digits = '0123456789'.repeat(4_900)
    const sent = Array.from({ length: 5 }, (_, number) => store(mallory, `Acme ${number} ${digits}`))
    try {
      // Keys are checked in any order, so any of them may be the fifth. The others wait for the embedder.
      const refused = await Promise.race(sent)
      expect(refused.status).toBe(429)
      expect(refused.body.error.code).toBe('rate_limit_exceeded')
      expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
      expect((await store(ana, 'The plum tree is behind the house')).status).toBe(200)
      expect((await store(ana, 'The garden has a gate and a bench. '.repeat(70))).status).toBe(200)
      expect((await store(mallory, 'The plum is blue')).status).toBe(200)
    } finally {
      release()
    }
    expect((await Promise.all(sent)).map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 429])
  })

  it('gain nothing from many spaces, and do not hold up the other members', async () => {
    const { embedder, release } = holdingEmbedder()
    const service = await start({ auth: true, embedder, languageModel: null })
    const [mallory, ana] = [(await service.createKey('mallory')).key, (await service.createKey('ana')).key]
    const spaces: string[] = []
    for (const name of ['one', 'two', 'three', 'four', 'five']) {
      const made = await service.ok<{ space: { id: string } }>('POST', '/spaces', { key: mallory, body: { name } })
      spaces.push(made.space.id)
      const body = { member: 'ana', role: 'writer' }
      await service.ok('POST', `/spaces/${made.space.id}/members`, { key: mallory, body })
    }
    const store = (key: string, space: string, content: string) =>
      service.call<StoreAnswer & ErrorAnswer>('POST', '/store', { key, body: { content, space } })
    const digits = '0123456789'.repeat(4_900)
    const sent = spaces.map((space) => store(mallory, space, `Acme ${digits}`))
    const [first = ''] = spaces
    try {
      expect((await store(ana, first, 'The garden has a gate and a bench. '.repeat(70))).status).toBe(200)
    } finally {
      release()
    }
    expect((await Promise.all(sent)).map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 429])
  })
})

describe('rate limits', () => {
  const env = { SERVICE_RATE_LIMIT_ENABLED: 'true', SERVICE_RATE_LIMIT_STORE: '4/minute' }
  const note = 'The bell rang twice. '

  it('count a request once more for every 10,000 bytes of its body', async () => {
    const service = await start({ env, languageModel: null })
    const store = (content: string) => service.call('POST', '/store', { body: { user_id: 'ana', content } })
    expect((await store(note)).headers['x-ratelimit-remaining']).toBe('3')
    expect((await store(note.repeat(1_000))).headers['x-ratelimit-remaining']).toBe('0')
    expect((await store(note)).status).toBe(429)
  })

  it('let a request pass that costs more than the limit, once', async () => {
    const service = await start({ env: { ...env, SERVICE_RATE_LIMIT_STORE: '1/minute' }, languageModel: null })
    const store = (content: string) => service.call('POST', '/store', { body: { user_id: 'ana', content } })
    expect((await store(note.repeat(1_000))).status).toBe(200)
    expect((await store(note)).status).toBe(429)
  })

  it('count a body of unknown length when it was read', async () => {
    const service = await start({ env, languageModel: null })
    const send = () =>
      service.app.inject({
        method: 'POST',
        url: '/api/v1/store',
        headers: { 'content-type': 'application/json' },
        payload: Readable.from([JSON.stringify({ user_id: 'ana', content: note.repeat(1_000) })]),
      })
    expect((await send()).headers['x-ratelimit-remaining']).toBe('1')
    expect((await send()).statusCode).toBe(429)
  })

  it('count the size of a call through MCP', async () => {
    const service = await start({ env, languageModel: null })
    const call = (content: string) =>
      service.app.inject({
        method: 'POST',
        url: '/mcp',
        headers: { accept: 'application/json, text/event-stream' },
        payload: {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'store_memory', arguments: { user_id: 'ana', content } },
        },
      })
    expect((await call(note.repeat(1_000))).headers['x-ratelimit-remaining']).toBe('1')
  })
})
