/** `keepsake demo` against the whole service, with quick models. */
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

// Some fill a whole year, which takes its time on a busy machine.
describe('keepsake demo', { timeout: 120_000 }, () => {
  it('fills the demo user, and nobody else', async () => {
    const { code, output, errors } = await demo()
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    expect(output).toMatch(/^demo: 3\d\d memories stored, \d+ of them replaced others\n$/)
    expect(await total('demo')).toBeGreaterThan(280)
    expect(await total('somebody')).toBe(0)
  })

  it('leaves something for every page: projects, contradictions, what expires, what was used', async () => {
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

  it('stores nothing twice when it is done again, also on another day and after a cleanup', async () => {
    const before = await total('demo')
    service.clock.advance(2 * 86_400_000)
    await service.ok('POST', '/cleanup-expired', { body: { user_id: 'demo' } })
    const kept = await total('demo')
    expect(kept).toBeLessThan(before)
    expect(await demo()).toEqual({ code: 0, output: 'demo has the whole year already\n', errors: '' })
    expect(await total('demo', { include_expired: true })).toBe(kept)
  })

  it('waits for a limit, and goes on where it was interrupted, with the days of its first run', async () => {
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

  it('never goes to the user of a key who was not named', async () => {
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

  it('erases the demo user only when that is meant', async () => {
    expect(await demo('--reset')).toMatchObject({ code: 2, errors: expect.stringContaining('--yes') })
    expect(await total('demo')).toBeGreaterThan(280)
    const env = { KEEPSAKE_URL: service.url }
    const stopped = await keepsake(['demo', '--reset', '--yes'], { env, now, fetch: dyingAfter(5, 0) })
    expect(stopped.code).toBe(3)
    expect(await total('demo')).toBeLessThan(100)
  })
})

/** A service that refuses the first stores for a limit, and is lost after so many requests. */
function dyingAfter(requests: number, refusals: number): typeof fetch {
  let [done, refused] = [0, 0]
  return async (input, init) => {
    if (init?.method === 'POST' && refused < refusals) {
      refused += 1
      const error = { code: 'rate_limit_exceeded', message: 'Too many requests', request_id: 'r' }
      return Response.json({ error }, { status: 429, headers: { 'retry-after': '7' } })
    }
    done += 1
    if (done > requests) throw new TypeError('the line is dead')
    return fetch(input, init)
  }
}
