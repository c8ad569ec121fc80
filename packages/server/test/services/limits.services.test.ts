/** Rate limits that two instances share through a real Redis. */
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Log } from '../../src/core/log.js'
import type { RateLimiter } from '../../src/http/limits/rate-limit.js'
import { openRedisCounters } from '../../src/http/limits/redis-counters.js'
import { sharedRateLimiter } from '../../src/http/limits/shared-rate-limit.js'
import { startService, type TestService } from '../support/harness.js'
import { anyRedis, type RedisServer, redisClient, startRedis } from './redis.js'

const limits = { enabled: true, store: 30, recall: 60, forget: 10, default: 120 }
const open: RateLimiter[] = []

function listeningLog() {
  const lines: string[] = []
  const keep = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`)
  const log: Log = { info: keep, warn: keep, error: keep }
  return { lines, log }
}

async function instance(url: string, log: Log = listeningLog().log): Promise<RateLimiter> {
  // On a busy machine this process may stall for longer than the default timeout for Redis.
  const counters = await openRedisCounters({ url, log, answerTimeoutMs: 5000, startTimeoutMs: 10_000 })
  const limiter = sharedRateLimiter({ limits, counters })
  open.push(limiter)
  return limiter
}

afterEach(async () => {
  for (const limiter of open.splice(0)) await limiter.close()
})

/** The time limit of the test ends the wait. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20))
}

describe('two instances on one Redis', () => {
  let redis: Pick<RedisServer, 'url' | 'close'>
  beforeAll(async () => {
    redis = await anyRedis()
  })
  afterAll(() => redis.close())

  it('admit exactly the limit when both are asked at once', async () => {
    const [one, two] = [await instance(redis.url), await instance(redis.url)]
    for (let round = 0; round < 20; round += 1) {
      const subject = `key_${randomUUID()}`
      const asked = Array.from({ length: 200 }, (_, index) => (index % 2 ? one : two).take('recall', subject))
      const states = await Promise.all(asked)
      expect(states.filter(({ allowed }) => allowed)).toHaveLength(60)
      // No two requests get the same count.
      const rests = states.filter(({ allowed }) => allowed).map(({ remaining }) => remaining)
      expect(rests.sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, index) => index))
    }
  })

  it('admit exactly the limit per window when requests go on across its end', async () => {
    const look = await redisClient(redis.url)
    const [one, two] = [await instance(redis.url), await instance(redis.url)]
    const subject = `key_${randomUUID()}`
    const name = `keepsake:limit:forget:${subject}`
    for (let border = 0; border < 25; border += 1) {
      await one.take('forget', subject)
      // Ends the window in a moment instead of a minute, while both instances keep asking.
      await look.pExpire(name, 30 + border)
      const rests: number[] = []
      const asking = [one, two].map(async (limiter) => {
        for (;;) {
          const { allowed, remaining } = await limiter.take('forget', subject)
          if (allowed) rests.push(remaining)
          // The first request of the new window leaves nine; the loop goes on until they are spent.
          else if (rests.includes(9)) return
        }
      })
      await Promise.all(asking)
      // All ten of the new window and some of the old one; none twice.
      const old = Array.from({ length: rests.length - 10 }, (_, index) => 8 - index)
      const fresh = Array.from({ length: 10 }, (_, index) => 9 - index)
      expect(old.length).toBeLessThanOrEqual(9)
      expect(rests.sort()).toEqual([...old, ...fresh].sort())
      await look.del(name)
    }
    look.destroy()
  })

  it('store counters by key id and network, each with an expiry', async () => {
    const look = await redisClient(redis.url)
    const limiter = await instance(redis.url)
    const subject = `key_${randomUUID()}`
    await limiter.take('store', subject)
    await limiter.take('auth_failed', '2001:db8:77:1::5')
    expect(await look.get(`keepsake:limit:store:${subject}`)).toBe('1')
    expect(await look.exists('keepsake:limit:auth_failed:2001:db8:77:1::/64')).toBe(1)
    for (const key of await look.keys('keepsake:limit:*')) expect(await look.pTTL(key)).toBeLessThanOrEqual(60_000)
    await look.del('keepsake:limit:auth_failed:2001:db8:77:1::/64')
    look.destroy()
  })
})

describe('limits when Redis fails', () => {
  it('hold without an error while Redis is killed, and are shared again when it is back', async () => {
    const redis = await startRedis()
    const { lines, log } = listeningLog()
    const [one, two] = [await instance(redis.url, log), await instance(redis.url, log)]
    const taken = (limiter: RateLimiter) => limiter.take('forget', 'key_1').then(({ allowed }) => allowed)
    for (let count = 0; count < 5; count += 1) expect([await taken(one), await taken(two)]).toEqual([true, true])
    const killed = redis.kill()
    const during = await Promise.all(Array.from({ length: 200 }, (_, index) => taken(index % 2 ? one : two)))
    await killed
    // Both instances know of at least nine of the ten.
    expect(during.filter(Boolean).length).toBeLessThanOrEqual(1)
    expect([await taken(one), await taken(two)]).toEqual([false, false])
    expect(one.backend()).toBe('memory: redis is away')
    await redis.start()
    await until(() => one.backend() === 'redis' && two.backend() === 'redis')
    // Redis lost its data; the instances wrote their counts again.
    expect([await taken(one), await taken(two)]).toEqual([false, false])
    const others = await Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 2 ? one : two).take('forget', 'key_2')),
    )
    expect(others.filter(({ allowed }) => allowed)).toHaveLength(10)
    // Once per instance and change, not per request.
    expect(lines.filter((line) => line.startsWith('Redis is unavailable'))).toHaveLength(2)
    expect(lines.filter((line) => line.startsWith('Redis is available again'))).toHaveLength(2)
    await redis.close()
  })

  it('start without waiting for Redis, and are shared once it is there', async () => {
    const redis = await startRedis()
    await redis.kill()
    const limiter = await instance(redis.url)
    expect(limiter.backend()).toBe('memory: redis is away')
    expect(await limiter.take('forget', 'key_1')).toMatchObject({ allowed: true, remaining: 9 })
    await redis.start()
    await until(() => limiter.backend() === 'redis')
    expect(await limiter.take('forget', 'key_1')).toMatchObject({ allowed: true, remaining: 8 })
    const look = await redisClient(redis.url)
    expect(await look.get('keepsake:limit:forget:key_1')).toBe('2')
    look.destroy()
    await redis.close()
  })

  it('hold when Redis hangs, and are shared again when it continues', async () => {
    const redis = await startRedis()
    const counters = await openRedisCounters({ url: redis.url, log: listeningLog().log, startTimeoutMs: 10_000 })
    const limiter = sharedRateLimiter({ limits, counters })
    open.push(limiter)
    await until(() => limiter.backend() === 'redis')
    redis.freeze()
    let allowed = 0
    for (let count = 0; count < 50; count += 1) if ((await limiter.take('forget', 'key_1')).allowed) allowed += 1
    expect(allowed).toBe(10)
    expect(limiter.backend()).toBe('memory: redis is away')
    redis.thaw()
    await until(() => limiter.backend() === 'redis')
    expect((await limiter.take('forget', 'key_1')).allowed).toBe(false)
    await redis.close()
  })

  it('hold locally when Redis is read-only or rejects the password, and the log gives the reason without the password', async () => {
    const redis = await startRedis(['--requirepass', 'right-password'])
    const address = redis.url.replace('redis://', '')
    for (const [url, reason] of [
      [redis.url, 'NOAUTH'],
      [`redis://:wrong-password@${address}`, 'WRONGPASS'],
    ] as const) {
      const { lines, log } = listeningLog()
      const limiter = await instance(url, log)
      expect(limiter.backend()).toBe('memory: redis is away')
      expect((await limiter.take('forget', 'key_1')).allowed).toBe(true)
      expect(lines).toEqual([expect.stringContaining(reason)])
      expect(lines.join()).not.toContain('password')
    }
    const owner = `redis://:right-password@${address}/3`
    expect((await instance(owner)).backend()).toBe('redis')
    const look = await redisClient(owner)
    await look.sendCommand(['REPLICAOF', '127.0.0.1', '1'])
    const { lines, log } = listeningLog()
    expect((await instance(owner, log)).backend()).toBe('memory: redis is away')
    expect(lines).toEqual([expect.stringContaining('READONLY')])
    look.destroy()
    await redis.close()
  })
})

describe('two services on one Redis', () => {
  const env = { SERVICE_RATE_LIMIT_ENABLED: 'true', SERVICE_RATE_LIMIT_RECALL: '5/minute' }
  const ask = async (service: TestService, ip: string): Promise<number> =>
    (await service.call('POST', '/recall', { body: { user_id: 'ana', query: 'bell' }, ip })).status

  it('share limits before and after an outage, and never answer 500', async () => {
    const redis = await startRedis()
    const services = [
      await startService({ env: { ...env, SERVICE_REDIS_URL: redis.url } }),
      await startService({ env: { ...env, SERVICE_REDIS_URL: redis.url } }),
    ] as const
    const health = (service: TestService) => service.ok<{ checks: Record<string, string> }>('GET', '/health')
    const statuses = async (ip: string, times: number) =>
      Promise.all(Array.from({ length: times }, (_, index) => ask(services[index % 2 ? 1 : 0], ip)))
    const okOf = (seen: readonly number[]) => seen.filter((status) => status === 200).length
    const untilShared = async () => {
      for (const service of services)
        await until(async () => (await health(service)).checks.rate_limit_backend === 'redis')
    }
    const outages = () =>
      services.flatMap(({ logLines }) => logLines).filter((line) => line.includes('Redis is unavailable')).length
    /** Repeated from another address if a service lost Redis meanwhile: on a busy machine an answer may come too late. */
    const sharedRound = async (network: string) => {
      for (let host = 1; ; host += 1) {
        await untilShared()
        const before = outages()
        const ip = `${network}.${host}`
        const seen = await statuses(ip, 40)
        if (outages() === before) return { ip, seen }
      }
    }
    const { ip, seen: shared } = await sharedRound('10.0.1')
    expect(okOf(shared)).toBe(5)
    const killing = redis.kill()
    const during = [...(await statuses(ip, 40)), ...(await statuses('10.0.2.1', 40))]
    await killing
    const after = await statuses(ip, 40)
    expect(okOf(after)).toBe(0)
    // While Redis is unavailable, each service counts on its own: at most the limit on each.
    expect(okOf(during)).toBeLessThanOrEqual(10)
    expect((await health(services[0])).checks.rate_limit_backend).toBe('memory: redis is away')
    await redis.start()
    const { seen: again } = await sharedRound('10.0.3')
    expect(okOf(again)).toBe(5)
    const all = [...shared, ...during, ...after, ...again]
    expect(all.filter((status) => status !== 200 && status !== 429)).toEqual([])
    for (const service of services) await service.close()
    await redis.close()
  })
})
