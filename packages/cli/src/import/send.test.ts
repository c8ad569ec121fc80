import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  AuthenticationError,
  ConnectionError,
  type ErrorBody,
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

/** The problem of one item. Other errors concern the whole request. */
class ItemError extends Error {
  constructor(
    readonly status: 'refused' | 'failed',
    readonly body: Pick<ErrorBody, 'code' | 'message' | 'details'>,
  ) {
    super(body.message)
  }
}

/** A service with scripted answers. Time passes only during sleeps. */
function scene(answer: (call: Call, count: number) => Error | undefined, together = 1) {
  const calls: Call[] = []
  const sizes: number[] = []
  const outcomes: Outcome[] = []
  const done = new Set<string>()
  const pauses: number[] = []
  const stop = new AbortController()
  let [now, inFlight, most] = [0, 0, 0]
  const storeBatch: Keepsake['storeBatch'] = async (items) => {
    const sent = items.map(({ text, idempotencyKey: key = '', conversationId: conversation }) => {
      const call = { text: String(text), key, conversation }
      calls.push(call)
      return call
    })
    sizes.push(items.length)
    inFlight += 1
    most = Math.max(most, inFlight)
    await new Promise(setImmediate)
    inFlight -= 1
    const errors = sent.map((call) => answer(call, calls.filter(({ key }) => key === call.key).length))
    const whole = errors.find((error) => error && !(error instanceof ItemError))
    if (whole) throw whole
    const stored = { status: 'success' as const, memories: [], entitiesExtracted: 0, relationshipsCreated: 0 }
    const results = errors.map((error, index) =>
      error instanceof ItemError
        ? { index, status: error.status, error: { ...error.body, requestId: 'r' } }
        : { index, status: 'stored' as const, result: stored },
    )
    return { status: 'success', stored: 0, refused: 0, failed: 0, results }
  }
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms
    },
  }
  const deps = {
    client: { storeBatch },
    clock,
    together,
    timeoutMs: 1_000,
    isDone: (key: string) => done.has(key),
    settled: (outcome: Outcome) => void outcomes.push(outcome),
    waiting: (seconds: number) => void pauses.push(seconds),
    signal: stop.signal,
  }
  return { calls, sizes, outcomes, done, pauses, stop, deps, now: () => now, most: () => most }
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

  it('sends many items per request, in their order, and long ones apart', async () => {
    const { deps, sizes, calls } = scene(() => undefined)
    const texts = Array.from({ length: 120 }, (_, index) => `item ${index}`)
    await sendAll(from(...texts, 'x'.repeat(100_000), 'y'.repeat(100_000)), deps)
    expect(sizes).toEqual([50, 50, 21, 1])
    expect(calls.slice(0, 120).map(({ text }) => text)).toEqual(texts)
  })

  it('keeps at most the given number of batches in flight', async () => {
    const scenery = scene(() => undefined, 3)
    await sendAll(from(...Array.from({ length: 400 }, (_, index) => `item ${index}`)), scenery.deps)
    expect(scenery.most()).toBe(3)
  })

  it('sends only the items again that failed', async () => {
    const busy = new ItemError('failed', { code: 'unavailable', message: 'No time left' })
    const { deps, sizes, outcomes } = scene(({ text }, count) => (text > 'b' && count < 3 ? busy : undefined))
    await sendAll(from('a', 'b', 'c', 'd'), deps)
    expect(sizes).toEqual([4, 2, 2])
    expect(outcomes.map(({ item: { text } }) => text)).toEqual(['a', 'b', 'c', 'd'])
    const never = scene(() => busy)
    await expect(sendAll(from('a'), never.deps)).rejects.toThrow('stores nothing')
    expect(never.calls).toHaveLength(6)
  })

  it('finds the item that makes a whole request invalid', async () => {
    const { deps, outcomes } = scene(({ text }) => (text === 'b' ? new ValidationError('too large') : undefined))
    await sendAll(from('a', 'b', 'c'), deps)
    expect(outcomes.map(({ kind }) => kind)).toEqual(['stored', 'refused', 'stored'])
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
    expect(away.sizes).toEqual(Array.from({ length: 6 }, () => 2))
  })

  it('continues after a refused item, and stops on errors that would affect every item', async () => {
    const details = [{ path: 'content', message: 'looks like an instruction' }]
    const refused = new ItemError('refused', { code: 'validation_error', message: 'no', details })
    const guard = scene(({ text }) => (text === 'b' ? refused : undefined))
    await sendAll(from('a', 'b', 'c'), guard.deps)
    expect(guard.outcomes.map(({ kind }) => kind)).toEqual(['stored', 'refused', 'stored'])
    expect(guard.outcomes[1]).toMatchObject({ reason: 'looks like an instruction' })
    const locked = scene(() => new AuthenticationError('Who are you?'))
    await expect(sendAll(from('a', 'b'), locked.deps)).rejects.toThrow('Who are you?')
    expect(locked.sizes).toEqual([2])
    const someoneElse = [{ path: 'user_id', message: 'is not yours' }]
    const foreign = scene(() => new ValidationError('user_id: is not yours', { details: someoneElse }))
    await expect(sendAll(from('a', 'b'), foreign.deps)).rejects.toThrow('is not yours')
    expect(foreign.sizes).toEqual([2])
    const closed = scene(() => new ItemError('refused', { code: 'forbidden', message: 'This key may only read' }))
    await expect(sendAll(from('a', 'b'), closed.deps)).rejects.toThrow('may only read')
  })

  it('skips items that are done, and starts nothing after an abort', async () => {
    const scenery = scene(({ text }) => (text === 'c' ? void scenery.stop.abort() : undefined))
    scenery.done.add(idempotencyKeyOf(item('b')))
    const many = Array.from({ length: 60 }, (_, index) => `item ${index}`)
    await sendAll(from('a', 'b', 'c', ...many), scenery.deps)
    expect(scenery.sizes).toEqual([50])
    expect(scenery.calls.some(({ text }) => text === 'b')).toBe(false)
    expect(scenery.outcomes).toHaveLength(50)
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
