import { describe, expect, it } from 'vitest'
import type { RateLimiter } from './rate-limit.js'
import type { SharedCount, SharedCounters } from './redis-counters.js'
import { sharedRateLimiter } from './shared-rate-limit.js'

const limits = { enabled: true, store: 3, recall: 5, forget: 1, default: 7 }

/** Behaves like Redis, in this process. It can become unavailable and lose its counts. */
function fakeRedis() {
  let at = 0
  let isUp = true
  let life = 1
  let counts = new Map<string, { count: number; endsAt: number }>()
  const running = (name: string) => {
    const found = counts.get(name)
    return found !== undefined && found.endsAt > at ? found : undefined
  }
  const counters: SharedCounters = {
    available: () => isUp,
    life: () => life,
    async add(name, amount, base, lengthMs): Promise<SharedCount | undefined> {
      if (!isUp) return undefined
      const window = running(name) ?? { count: base, endsAt: at + lengthMs }
      window.count += amount
      counts.set(name, window)
      return { count: window.count, msLeft: window.endsAt - at }
    },
    async look(name) {
      if (!isUp) return undefined
      const window = running(name)
      return window === undefined ? null : { count: window.count, msLeft: window.endsAt - at }
    },
    close: async () => undefined,
  }
  return {
    counters,
    now: () => at,
    names: () => [...counts.keys()],
    advance: (ms: number) => {
      at += ms
    },
    away: () => {
      isUp = false
    },
    back: ({ empty }: { readonly empty: boolean }) => {
      isUp = true
      life += 1
      if (empty) counts = new Map()
    },
  }
}

function twoInstances(redis: ReturnType<typeof fakeRedis>): [RateLimiter, RateLimiter] {
  const options = { limits, counters: redis.counters, now: redis.now }
  return [sharedRateLimiter(options), sharedRateLimiter(options)]
}

async function passed(limiters: readonly RateLimiter[], times: number, subject = 'key_1'): Promise<number> {
  let allowed = 0
  for (let index = 0; index < times; index += 1) {
    const limiter = limiters[index % limiters.length]
    if ((await limiter?.take('recall', subject))?.allowed) allowed += 1
  }
  return allowed
}

describe('a limit that two instances share', () => {
  it('lets exactly its number pass on both together, in each window', async () => {
    const redis = fakeRedis()
    const both = twoInstances(redis)
    expect(await passed(both, 20)).toBe(5)
    redis.advance(59_999)
    expect(await passed(both, 20)).toBe(0)
    redis.advance(1)
    expect(await passed(both, 20)).toBe(5)
  })

  it('shows on one instance what was used on the other', async () => {
    const redis = fakeRedis()
    const [one, two] = twoInstances(redis)
    await one.take('recall', 'key_1')
    redis.advance(10_000)
    expect(await two.peek('recall', 'key_1')).toEqual({ allowed: true, limit: 5, remaining: 4, resetSeconds: 50 })
    expect(await two.take('recall', 'key_1')).toEqual({ allowed: true, limit: 5, remaining: 3, resetSeconds: 50 })
    expect(two.backend()).toBe('redis')
  })

  it('names counters by group and key id, or by network', async () => {
    const redis = fakeRedis()
    const [one] = twoInstances(redis)
    await one.take('recall', 'key_1')
    await one.take('auth_failed', '2001:db8:1:2::9')
    expect(redis.names()).toEqual(['recall:key_1', 'auth_failed:2001:db8:1:2::/64'])
  })
})

describe('while the shared counters are unavailable', () => {
  it('each instance continues from the last shared count: a spent limit stays spent', async () => {
    const redis = fakeRedis()
    const both = twoInstances(redis)
    await passed(both, 6)
    redis.away()
    expect(await passed(both, 20)).toBe(0)
    expect(both[0].backend()).toBe('memory: redis is away')
    expect((await both[0].peek('recall', 'key_1')).allowed).toBe(false)
    redis.advance(60_000)
    expect(await passed([both[0]], 20)).toBe(5)
  })

  it('each instance lets at most its limit pass, and reports that it counted alone', async () => {
    const redis = fakeRedis()
    redis.away()
    let alone = 0
    const onLocal = () => {
      alone += 1
    }
    const limiter = sharedRateLimiter({ limits, counters: redis.counters, now: redis.now, onLocal })
    expect(await passed([limiter], 20)).toBe(5)
    expect(alone).toBe(20)
  })
})

describe('when the shared counters are back', () => {
  it.each([{ empty: true }, { empty: false }])('they learn what was used in the meantime (%o)', async (how) => {
    const redis = fakeRedis()
    const [one, two] = twoInstances(redis)
    expect(await passed([one], 2)).toBe(2)
    redis.away()
    expect(await passed([one], 2)).toBe(2)
    redis.advance(30_000)
    redis.back(how)
    // The fifth of five, although Redis itself has seen two, or none.
    expect((await one.peek('recall', 'key_1')).remaining).toBe(1)
    expect(await one.take('recall', 'key_1')).toEqual({ allowed: true, limit: 5, remaining: 0, resetSeconds: 30 })
    expect(await passed([two, one], 10)).toBe(0)
    redis.advance(30_000)
    expect(await passed([two, one], 10)).toBe(5)
  })

  it('they are told once, however many requests are in flight', async () => {
    const redis = fakeRedis()
    const [one] = twoInstances(redis)
    redis.away()
    await passed([one], 2)
    redis.back({ empty: true })
    const states = await Promise.all(Array.from({ length: 3 }, () => one.take('recall', 'key_1')))
    expect(states.map(({ remaining }) => remaining)).toEqual([2, 1, 0])
  })

  it('they are not told about windows that have ended', async () => {
    const redis = fakeRedis()
    const [one] = twoInstances(redis)
    redis.away()
    await passed([one], 5)
    redis.advance(60_000)
    redis.back({ empty: false })
    expect(await one.take('recall', 'key_1')).toMatchObject({ remaining: 4, resetSeconds: 60 })
  })
})

it('limits nothing when limits are off', async () => {
  const { counters, names } = fakeRedis()
  const limiter = sharedRateLimiter({ limits: { ...limits, enabled: false }, counters })
  expect(await passed([limiter], 20)).toBe(20)
  expect(names()).toEqual([])
})
