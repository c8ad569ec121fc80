/** Runs `keepsake demo` against the whole service, with fast stub models. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RealService, startRealService } from '../../client/test/real-service.js'
import { keepsake } from './in-process.js'

let service: RealService
beforeAll(async () => {
  service = await startRealService()
})
afterAll(() => service.close())

const now = () => service.clock.now()
const demo = (...args: string[]) =>
  keepsake(['demo', ...args], { env: { KEEPSAKE_URL: service.url, KEEPSAKE_USER: 'somebody' }, now })
const total = async (user: string, more = {}) => (await service.list({ user_id: user, limit: 1, ...more })).total

// Some tests store a whole year, which is slow on a busy machine.
describe('keepsake demo', { timeout: 300_000 }, () => {
  it('fills the demo user and no other', async () => {
    const { code, output, errors } = await demo()
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    expect(output).toMatch(/^demo: 3\d\d memories stored, \d+ of them replaced earlier ones\n$/)
    expect(await total('demo')).toBeGreaterThan(280)
    expect(await total('somebody')).toBe(0)
  })

  it('creates data for every dashboard page: projects, contradictions, expiring and used memories', async () => {
    for (const project of ['work', 'travel', 'garden', 'health']) {
      expect(await total('demo', { project }), project).toBeGreaterThan(10)
    }
    expect(await total('demo', { include_expired: true })).toBeGreaterThan(await total('demo'))
    const { memories } = await service.list({ user_id: 'demo', limit: 500 })
    expect(memories.filter(({ access_count: count }) => count > 0).length).toBeGreaterThan(5)
    expect(memories.filter(({ expires_at: end }) => end !== null).length).toBeGreaterThan(5)
    const days = memories.map(({ created_at: at }) => (now() - Date.parse(at)) / 86_400_000)
    expect(Math.max(...days)).toBeGreaterThan(350)
    expect(Math.min(...days)).toBeLessThan(2)
    const found = await service.ok<{ total: number }>('GET', '/contradictions', { query: { user_id: 'demo' } })
    expect(found.total).toBeGreaterThan(8)
  })

  it('stores nothing twice when run again, even on another day and after a cleanup', async () => {
    const before = await total('demo')
    service.clock.advance(2 * 86_400_000)
    await service.ok('POST', '/cleanup-expired', { body: { user_id: 'demo' } })
    const kept = await total('demo')
    expect(kept).toBeLessThan(before)
    expect(await demo()).toEqual({ code: 0, output: 'demo already has the whole year\n', errors: '' })
    expect(await total('demo', { include_expired: true })).toBe(kept)
  })

  it('waits for a rate limit, and continues an interrupted run with the dates of the first run', async () => {
    const user = 'interrupted'
    const env = { KEEPSAKE_URL: service.url }
    expect(await keepsake(['demo', '--user', user], { env, now, fetch: dyingAfter(12, 3) })).toMatchObject({ code: 3 })
    const part = await total(user)
    expect(part).toBeGreaterThan(30)
    service.clock.advance(3 * 86_400_000)
    const { output } = await keepsake(['demo', '--user', user, '--json'], { env, now })
    const { stored, known } = JSON.parse(output)
    expect(known).toBe(11)
    expect(part + stored).toBeGreaterThan(330)
    const { memories } = await service.list({ user_id: user, limit: 500 })
    expect(new Set(memories.map(({ metadata }) => metadata.demo_day)).size).toBe(1)
  })

  it('never fills the user of the key unless that user is named', async () => {
    const guarded = await startRealService({ auth: true })
    try {
      const { key } = await guarded.createKey('ana')
      const env = { KEEPSAKE_URL: guarded.url, KEEPSAKE_API_KEY: key, KEEPSAKE_USER: 'ana' }
      const { code, errors } = await keepsake(['demo'], { env })
      expect({ code, errors }).toEqual({ code: 2, errors: expect.stringContaining('keys create --user demo') })
      expect((await guarded.list({}, { key })).total).toBe(0)
    } finally {
      await guarded.close()
    }
  })

  it('erases the demo user only with --reset and a confirmation', async () => {
    expect(await demo('--reset')).toMatchObject({ code: 2, errors: expect.stringContaining('--yes') })
    expect(await total('demo')).toBeGreaterThan(280)
    const env = { KEEPSAKE_URL: service.url }
    const stopped = await keepsake(['demo', '--reset', '--yes'], { env, now, fetch: dyingAfter(5, 0) })
    expect(stopped.code).toBe(3)
    expect(await total('demo')).toBeLessThan(100)
  })
})

/** Refuses the first `refusals` stores with a rate limit, and drops the connection after `requests` requests. */
function dyingAfter(requests: number, refusals: number): typeof fetch {
  let [done, refused] = [0, 0]
  return async (input, init) => {
    if (init?.method === 'POST' && refused < refusals) {
      refused += 1
      const error = { code: 'rate_limit_exceeded', message: 'Too many requests', request_id: 'r' }
      return Response.json({ error }, { status: 429, headers: { 'retry-after': '7' } })
    }
    done += 1
    if (done > requests) throw new TypeError('connection lost')
    return fetch(input, init)
  }
}
