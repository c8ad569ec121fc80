import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  AuthenticationError,
  ConnectionError,
  type Keepsake,
  RateLimitError,
  UnavailableError,
  ValidationError,
} from '@keepsake/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openState } from './import-state.js'
import type { ImportItem } from './item.js'
import { idempotencyKeyOf, type Outcome, sendAll } from './send.js'

const item = (text: string, more: Partial<ImportItem> = {}): ImportItem => ({
  kind: 'item',
  name: text,
  text,
  source: 'test',
  ...more,
})
async function* from(...texts: string[]) {
  yield* texts.map((text) => item(text))
}

interface Call {
  readonly text: string
  readonly key: string
  readonly conversation: string | undefined
}

/** A service with scripted answers. Time passes only during sleeps. */
function scene(answer: (call: Call, count: number) => Error | undefined, together = 1) {
  const calls: Call[] = []
  const outcomes: Outcome[] = []
  const done = new Set<string>()
  const pauses: number[] = []
  const stop = new AbortController()
  let [now, inFlight, most] = [0, 0, 0]
  const store: Keepsake['store'] = async (text, options = {}) => {
    const call = { text: String(text), key: options.idempotencyKey ?? '', conversation: options.conversationId }
    calls.push(call)
    inFlight += 1
    most = Math.max(most, inFlight)
    await new Promise(setImmediate)
    inFlight -= 1
    const error = answer(call, calls.filter(({ key }) => key === call.key).length)
    if (error) throw error
    return { status: 'success', memories: [], entitiesExtracted: 0, relationshipsCreated: 0 }
  }
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms
    },
  }
  const deps = {
    client: { store },
    clock,
    together,
    timeoutMs: 1_000,
    isDone: (key: string) => done.has(key),
    settled: (outcome: Outcome) => void outcomes.push(outcome),
    waiting: (seconds: number) => void pauses.push(seconds),
    signal: stop.signal,
  }
  return { calls, outcomes, done, pauses, stop, deps, now: () => now, most: () => most }
}

describe('sending items', () => {
  it('sends parts of one chat as one conversation, and every other item as its own', async () => {
    const { deps, calls } = scene(() => undefined)
    const chat = { metadata: { conversation_id: 'c1' } }
    async function* items() {
      yield* [item('a', chat), item('b', chat), item('c'), item('d', { metadata: { conversation_id: 7 } })]
    }
    await sendAll(items(), deps)
    const ofText = new Map(calls.map(({ text, conversation }) => [text, conversation]))
    expect([ofText.get('a'), ofText.get('b')]).toEqual(['c1', 'c1'])
    expect(new Set(ofText.values()).size).toBe(3)
    for (const id of ofText.values()) expect(id?.length).toBeLessThanOrEqual(200)
  })

  it('derives a stable idempotency key from the content of each item', async () => {
    const { deps, calls } = scene(() => undefined, 3)
    await sendAll(from('a', 'b', 'c', 'd'), deps)
    expect(calls.map(({ text }) => text).sort()).toEqual(['a', 'b', 'c', 'd'])
    expect(new Set(calls.map(({ key }) => key)).size).toBe(4)
    expect(calls.find(({ text }) => text === 'a')?.key).toBe(idempotencyKeyOf(item('a')))
    expect(idempotencyKeyOf(item('a', { name: 'renamed' }))).toBe(idempotencyKeyOf(item('a')))
    expect(idempotencyKeyOf(item('a', { createdAt: '2025-01-01' }))).not.toBe(idempotencyKeyOf(item('a')))
  })

  it('keeps at most the given number of requests in flight', async () => {
    const scenery = scene(() => undefined, 3)
    await sendAll(from(...'abcdefghij'), scenery.deps)
    expect(scenery.most()).toBe(3)
  })

  it('waits as long and as often as the service asks', async () => {
    const limited = new RateLimitError('Too many', { retryAfter: 40 })
    const { deps, outcomes, now, pauses } = scene((_, count) => (count < 10 ? limited : undefined))
    await sendAll(from('a'), deps)
    expect(outcomes).toMatchObject([{ kind: 'stored' }])
    expect(now()).toBe(9 * 40_000)
    expect(pauses).toEqual(Array.from({ length: 9 }, () => 40))
  })

  it('retries a lost request with the same key, and gives up after six attempts', async () => {
    const lost = new ConnectionError('No answer')
    const healed = scene((_, count) => (count < 3 ? lost : undefined))
    await sendAll(from('a'), healed.deps)
    expect(healed.calls).toHaveLength(3)
    expect(new Set(healed.calls.map(({ key }) => key)).size).toBe(1)
    const away = scene(() => new UnavailableError('Not now', { retryAfter: 1 }))
    await expect(sendAll(from('a', 'b'), away.deps)).rejects.toThrow('Not now')
    expect(away.calls.map(({ text }) => text)).toEqual(Array.from({ length: 6 }, () => 'a'))
  })

  it('continues after a refused item, and stops on errors that would affect every item', async () => {
    const details = [{ path: 'content', message: 'looks like an instruction' }]
    const guard = scene(({ text }) => (text === 'b' ? new ValidationError('no', { details }) : undefined))
    await sendAll(from('a', 'b', 'c'), guard.deps)
    expect(guard.outcomes.map(({ kind }) => kind)).toEqual(['stored', 'refused', 'stored'])
    expect(guard.outcomes[1]).toMatchObject({ reason: 'looks like an instruction' })
    const locked = scene(() => new AuthenticationError('Who are you?'))
    await expect(sendAll(from('a', 'b'), locked.deps)).rejects.toThrow('Who are you?')
    expect(locked.calls).toHaveLength(1)
    const someoneElse = [{ path: 'user_id', message: 'is not yours' }]
    const foreign = scene(() => new ValidationError('user_id: is not yours', { details: someoneElse }))
    await expect(sendAll(from('a', 'b'), foreign.deps)).rejects.toThrow('is not yours')
    expect(foreign.calls).toHaveLength(1)
  })

  it('skips items that are done, and starts nothing after an abort', async () => {
    const scenery = scene(({ text }) => (text === 'c' ? void scenery.stop.abort() : undefined))
    scenery.done.add(idempotencyKeyOf(item('b')))
    await sendAll(from('a', 'b', 'c', 'd'), scenery.deps)
    expect(scenery.calls.map(({ text }) => text)).toEqual(['a', 'c'])
    expect(scenery.outcomes).toHaveLength(2)
  })

  it('rejects with the error of its source after finishing the requests in flight', async () => {
    async function* broken() {
      yield item('a')
      throw new Error('cut off')
    }
    const { deps, outcomes } = scene(() => undefined)
    await expect(sendAll(broken(), deps)).rejects.toThrow('cut off')
    expect(outcomes).toHaveLength(1)
  })
})

describe('the import state file', () => {
  let directory = ''
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'keepsake-state-'))
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  it('survives to the next run, applies to its destination only, and contains nothing of the items', async () => {
    const path = join(directory, 'x.keepsake-import')
    const first = await openState(path, 'here')
    first.add('key-a')
    first.add('key-a')
    first.add('key-b')
    await first.close()
    const text = readFileSync(path, 'utf8')
    expect(text).toMatch(/^(?:[0-9a-f]{32}\n){2}$/)
    // As if a crash had cut off the last line.
    writeFileSync(path, text.slice(0, -5))
    const second = await openState(path, 'here')
    expect([second.has('key-a'), second.has('key-b'), second.has('key-c')]).toEqual([true, false, false])
    second.add('key-c')
    await second.close()
    const third = await openState(path, 'here')
    expect([third.has('key-a'), third.has('key-c')]).toEqual([true, true])
    await third.close()
    const elsewhere = await openState(path, 'there')
    expect(elsewhere.has('key-a')).toBe(false)
    await elsewhere.close()
  })
})
