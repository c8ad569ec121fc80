import { describe, expect, it } from 'vitest'
import { limitWindows } from './limit-windows.js'
import { type LimitGroup, localRateLimiter } from './rate-limit.js'

const limits = { enabled: true, store: 3, recall: 5, forget: 1, default: 7 }

/** A clock that only moves when a test advances it. */
function stoppedClock() {
  let at = 1000
  return {
    now: () => at,
    advance: (ms: number) => {
      at += ms
    },
  }
}

describe('a limit', () => {
  it.each<[LimitGroup, number]>([
    ['store', 3],
    ['recall', 5],
    ['forget', 1],
    ['default', 7],
    ['auth_failed', 120],
  ])('of group %s lets %i requests per minute pass and no more', async (group, limit) => {
    const limiter = localRateLimiter(limits)
    for (let count = 1; count <= limit; count += 1) {
      expect(await limiter.take(group, 'key_1')).toEqual({
        allowed: true,
        limit,
        remaining: limit - count,
        resetSeconds: 60,
      })
    }
    const refused = { allowed: false, limit, remaining: 0, resetSeconds: 60 }
    for (let count = 0; count < 3; count += 1) expect(await limiter.take(group, 'key_1')).toEqual(refused)
  })

  it('counts a costly request several times: it passes if there is room for one, and delays the next', async () => {
    const limiter = localRateLimiter(limits)
    expect(await limiter.take('recall', 'key_1', 3)).toMatchObject({ allowed: true, remaining: 2 })
    expect(await limiter.take('recall', 'key_1', 3)).toMatchObject({ allowed: true, remaining: 0 })
    expect(await limiter.take('recall', 'key_1')).toMatchObject({ allowed: false, remaining: 0 })
    expect(await limiter.take('forget', 'key_1', 50)).toMatchObject({ allowed: true, remaining: 0 })
  })

  it('is counted separately per subject and group', async () => {
    const limiter = localRateLimiter(limits)
    await limiter.take('forget', 'key_1')
    expect((await limiter.take('forget', 'key_1')).allowed).toBe(false)
    expect((await limiter.take('forget', 'key_2')).allowed).toBe(true)
    expect((await limiter.take('store', 'key_1')).allowed).toBe(true)
  })

  it('reports the seconds left, rounded up to at least one, and ends with its window', async () => {
    const clock = stoppedClock()
    const limiter = localRateLimiter(limits, clock)
    await limiter.take('forget', 'key_1')
    clock.advance(100)
    expect((await limiter.take('forget', 'key_1')).resetSeconds).toBe(60)
    clock.advance(58_900)
    expect((await limiter.take('forget', 'key_1')).resetSeconds).toBe(1)
    clock.advance(999)
    expect(await limiter.take('forget', 'key_1')).toMatchObject({ allowed: false, resetSeconds: 1 })
    clock.advance(1)
    expect(await limiter.peek('forget', 'key_1')).toMatchObject({ allowed: true, remaining: 1 })
    expect(await limiter.take('forget', 'key_1')).toMatchObject({ allowed: true, resetSeconds: 60 })
    expect((await limiter.take('forget', 'key_1')).allowed).toBe(false)
  })

  it('lets exactly its number pass in each window, even if requests straddle the edges', async () => {
    const clock = stoppedClock()
    const limiter = localRateLimiter(limits, clock)
    let passed = 0
    for (let ms = 0; ms < 600_000; ms += 250) {
      if ((await limiter.take('recall', 'key_1')).allowed) passed += 1
      clock.advance(250)
    }
    expect(passed).toBe(10 * 5)
  })

  it('can be read without being used up', async () => {
    const clock = stoppedClock()
    const limiter = localRateLimiter(limits, clock)
    expect(await limiter.peek('store', 'key_1')).toEqual({ allowed: true, limit: 3, remaining: 3, resetSeconds: 60 })
    for (let count = 0; count < 3; count += 1) {
      expect((await limiter.peek('store', 'key_1')).allowed).toBe(true)
      await limiter.take('store', 'key_1')
    }
    expect(await limiter.peek('store', 'key_1')).toEqual({ allowed: false, limit: 3, remaining: 0, resetSeconds: 60 })
    clock.advance(60_000)
    expect(await limiter.peek('store', 'key_1')).toMatchObject({ allowed: true, remaining: 3 })
  })

  it('lets exactly its number of concurrent requests pass', async () => {
    const limiter = localRateLimiter(limits)
    const states = await Promise.all(Array.from({ length: 100 }, () => limiter.take('recall', 'key_1')))
    expect(states.filter(({ allowed }) => allowed)).toHaveLength(5)
  })
})

describe('addresses', () => {
  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2:a:b:c:d'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::ffff:a00:1', '10.0.0.1'],
    ['fe80::1%eth0', 'fe80::2'],
    ['::1', '::2'],
  ])('%s and %s count as one client', async (first, second) => {
    const limiter = localRateLimiter(limits)
    expect((await limiter.take('forget', first)).allowed).toBe(true)
    expect((await limiter.take('forget', second)).allowed).toBe(false)
  })

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['10.0.0.1', '10.0.0.2'],
    ['::1', '1::'],
    ['::ffff:10.0.0.1', '::1'],
  ])('%s and %s count as two clients', async (first, second) => {
    const limiter = localRateLimiter(limits)
    expect((await limiter.take('forget', first)).allowed).toBe(true)
    expect((await limiter.take('forget', second)).allowed).toBe(true)
  })
})

describe('memory', () => {
  it('is bounded: beyond the bound, the subjects whose windows end first are dropped', async () => {
    const limiter = localRateLimiter(limits, { maxSubjects: 10 })
    for (let index = 0; index < 250; index += 1) await limiter.take('forget', `10.0.0.${index}`)
    expect((await limiter.peek('forget', '10.0.0.1')).allowed).toBe(true)
    for (let index = 245; index < 250; index += 1) {
      expect((await limiter.peek('forget', `10.0.0.${index}`)).allowed).toBe(false)
    }
  })

  it('for keys is not affected by a flood of addresses', async () => {
    const limiter = localRateLimiter(limits, { maxSubjects: 10 })
    await limiter.take('forget', 'key_1')
    for (let index = 0; index < 250; index += 1) await limiter.take('forget', `10.0.0.${index}`)
    expect((await limiter.peek('forget', 'key_1')).allowed).toBe(false)
  })

  it('holds no more windows than its bound, and drops ended ones', () => {
    const clock = stoppedClock()
    const windows = limitWindows(60_000, 10, clock.now)
    for (let index = 0; index < 1000; index += 1) windows.begin(`subject ${index}`)
    expect(windows.size).toBeLessThanOrEqual(10)
    clock.advance(60_000)
    windows.begin('one')
    clock.advance(60_000)
    windows.begin('another')
    expect(windows.size).toBe(2)
  })
})

it('limits nothing when limits are off', async () => {
  const limiter = localRateLimiter({ ...limits, enabled: false })
  for (let count = 0; count < 100; count += 1) {
    expect(await limiter.take('forget', 'key_1')).toMatchObject({ allowed: true, limit: Number.POSITIVE_INFINITY })
  }
  expect((await limiter.peek('auth_failed', '10.0.0.1')).allowed).toBe(true)
  expect(limiter.backend()).toBe('off')
  expect(localRateLimiter(limits).backend()).toBe('memory')
})
