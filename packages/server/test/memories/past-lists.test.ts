/** Lists, entities and the graph at a past time, memories that expire next, and decay with other settings. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EntitiesAnswer, EntityItem, ListAnswer, MemoryItem, RelationshipItem } from '../support/contract.js'
import { dayMs, hourMs, type Query, startService, startTime, type TestService } from '../support/harness.js'

interface GraphAnswer {
  readonly entities: readonly EntityItem[]
  readonly relationships: readonly RelationshipItem[]
  readonly total_entities: number
  readonly total_relationships: number
}

const iso = (ms: number) => new Date(ms).toISOString()

describe('as_of on lists', () => {
  let service: TestService
  const user_id = 'alice'
  const moments = { before: 0, acme: 0, globex: 0 }

  beforeAll(async () => {
    service = await startService()
    moments.before = service.clock.now()
    await service.storeOne({ user_id, content: 'John works at Acme Corp' })
    await service.storeOne({ user_id, content: 'The parking code is 4711', ttl: '2h' })
    service.clock.advance(hourMs)
    moments.acme = service.clock.now()
    await service.recall({ user_id, query: 'John' })
    await service.storeOne({ user_id, content: 'John works at Globex' })
    service.clock.advance(2 * hourMs)
    moments.globex = service.clock.now()
    await service.storeOne({ user_id: 'bob', content: 'Mary works at Initech' })
  })
  afterAll(() => service.close())

  const contents = async (query: Query) => (await service.list(query)).memories.map(({ content }) => content)

  it('includes memories that were superseded or expired later, and excludes newer ones', async () => {
    expect(await contents({ user_id, as_of: iso(moments.before) })).toEqual([])
    const then = await service.list({ user_id, as_of: iso(moments.acme) })
    expect(then.memories.map(({ content }) => content).sort()).toEqual([
      'John works at Acme Corp',
      'The parking code is 4711',
    ])
    expect(then.total).toBe(2)
    expect(then.memories[0]).toMatchObject({ superseded_at: null, superseded_by: null })
    expect(await contents({ user_id, as_of: iso(moments.globex) })).toEqual(['John works at Globex'])
    expect(await contents({ user_id })).toEqual(['John works at Globex'])
    expect(await contents({ user_id: 'bob', as_of: iso(moments.globex) })).toEqual([])
  })

  it('shows the decay score of that time, without later accesses', async () => {
    const [first] = (await service.list({ user_id, q: 'globex' })).memories
    expect(first?.content).toBe('John works at Globex')
    const then = await service.list({ user_id, as_of: iso(moments.acme), q: 'acme' })
    expect(then.memories).toMatchObject([{ access_count: 0, last_accessed: null }])
    expect(then.memories[0]?.decay_score).toBeCloseTo(0.5 ** (hourMs / dayMs / 30), 6)
  })

  it('includes and marks memories that had expired by then, on request', async () => {
    const listed = await service.list({ user_id, as_of: iso(moments.globex), include_expired: true })
    expect(
      listed.memories.map(({ content, expired }: MemoryItem & { expired?: boolean }) => [content, expired]),
    ).toEqual([
      ['John works at Globex', false],
      ['The parking code is 4711', true],
    ])
  })

  it('shows the entities and the graph of that time, for the user only', async () => {
    const names = async (query: Query) =>
      (await service.ok<EntitiesAnswer>('GET', '/entities', { query })).entities.map(({ name }) => name).sort()
    expect(await names({ user_id, as_of: iso(moments.before) })).toEqual([])
    expect(await names({ user_id, as_of: iso(moments.acme), type: 'ORG' })).toEqual(['Acme Corp'])
    const graphOf = (query: Query) => service.ok<GraphAnswer>('GET', '/graph', { query })
    const then = await graphOf({ user_id, as_of: iso(moments.acme) })
    expect(then.relationships).toMatchObject([{ source: 'John', target: 'Acme Corp', type: 'WORKS_AT' }])
    const now = await graphOf({ user_id })
    expect(now.relationships).toMatchObject([{ source: 'John', target: 'Globex' }])
    expect(now).toMatchObject({ total_entities: now.entities.length, total_relationships: 1 })
    expect(await graphOf({ user_id, limit: 1 })).toMatchObject({ relationships: [], total_relationships: 1 })
    const memoryId = then.relationships[0]?.memory_ids[0]
    const john = then.entities.find(({ name }) => name === 'John')
    const told = await service.ok<ListAnswer>('GET', `/entities/${john?.id}/memories`, {
      query: { user_id, as_of: iso(moments.acme) },
    })
    expect(told.memories).toMatchObject([{ id: memoryId, content: 'John works at Acme Corp' }])
    await service.fails(404, 'GET', `/entities/${john?.id}/memories`, {
      query: { user_id, as_of: iso(moments.before) },
    })
    await service.fails(404, 'GET', `/entities/${john?.id}`, { query: { user_id, as_of: iso(moments.before) } })
    await service.ok('GET', `/entities/${john?.id}/relationships`, { query: { user_id, as_of: iso(moments.before) } })
    expect(await graphOf({ user_id: 'nobody' })).toEqual({
      entities: [],
      relationships: [],
      total_entities: 0,
      total_relationships: 0,
    })
  })

  it.each(['/memories', '/entities', '/graph'])('refuses an invalid as_of on %s', async (path) => {
    const { details } = await service.fails(400, 'GET', path, { query: { user_id, as_of: '2026-02-30' } })
    expect(details).toMatchObject([{ path: 'as_of' }])
  })

  it('refuses a limit of more than 2,000 entities for a graph', async () => {
    await service.fails(400, 'GET', '/graph', { query: { user_id, limit: 2001 } })
  })
})

describe('the list of expiring memories', () => {
  it('is sorted by expiry, paged, and excludes memories that never expire', async () => {
    const service = await startService()
    const user_id = 'carol'
    for (const [content, ttl] of [
      ['The week pass is 77', '7d'],
      ['The day pass is 11', '1d'],
      ['The eternal pass is 99', 'permanent'],
      ['The month pass is 30', '30d'],
    ])
      await service.storeOne({ user_id, content, ttl })
    const page = (query: Query) => service.list({ user_id, sort: 'expires_at', limit: 2, ...query })
    const first = await page({})
    expect(first.memories.map(({ content }) => content)).toEqual(['The day pass is 11', 'The week pass is 77'])
    expect(first).toMatchObject({ total: 3, next_cursor: expect.any(String) })
    for (const rest of [{ page: 2 }, { cursor: first.next_cursor ?? '' }]) {
      const second = await page(rest)
      expect(second.memories.map(({ content }) => content)).toEqual(['The month pass is 30'])
      expect(second.next_cursor).toBeNull()
    }
    const { next_cursor: cursor } = await service.list({ user_id, limit: 2 })
    const { details } = await service.fails(400, 'GET', '/memories', {
      query: { user_id, sort: 'expires_at', cursor: cursor ?? '' },
    })
    expect(details).toMatchObject([{ path: 'cursor' }])
    await service.fails(400, 'GET', '/memories', { query: { user_id, sort: 'size' } })
    await service.close()
  })
})

describe('decay with other settings', () => {
  let service: TestService
  const user_id = 'dave'
  let id = ''
  beforeAll(async () => {
    service = await startService()
    id = (await service.storeOne({ user_id, content: 'The boat is called Petrel' })).id
    service.clock.set(startTime + 30 * dayMs)
    await service.storeOne({ user_id, content: 'The car is called Rosinante' })
  })
  afterAll(() => service.close())

  interface Report {
    readonly healthy: number
    readonly decaying: number
    readonly expired: number
    readonly half_life_days: number
    readonly access_boost_weight: number
    readonly distribution: readonly { readonly from: number; readonly to: number; readonly count: number }[]
  }
  const report = (query: Query = {}) =>
    service.ok<Report>('GET', '/temporal/decay/report', { query: { user_id, ...query } })

  it('reports the distribution of scores in ten bins that add up', async () => {
    const { distribution, ...rest } = await report()
    expect(rest).toMatchObject({ half_life_days: 30, access_boost_weight: 0.2, healthy: 1, decaying: 1, expired: 0 })
    expect(distribution).toHaveLength(10)
    expect(distribution[5]).toEqual({ from: 0.5, to: 0.6, count: 1 })
    expect(distribution[9]).toEqual({ from: 0.9, to: 1, count: 1 })
    expect(distribution.reduce((sum, { count }) => sum + count, 0)).toBe(2)
  })

  it('previews another half-life without changing anything', async () => {
    expect(await report({ half_life_days: 10 })).toMatchObject({ half_life_days: 10, healthy: 1, expired: 1 })
    expect(await report({ half_life_days: 300, access_boost_weight: 0 })).toMatchObject({ healthy: 2 })
    expect(await report()).toMatchObject({ half_life_days: 30, decaying: 1 })
    for (const query of [{ half_life_days: 0 }, { half_life_days: -1 }, { access_boost_weight: -1 }])
      await service.fails(400, 'GET', '/temporal/decay/report', { query: { user_id, ...query } })
  })

  it('forecasts one memory with another half-life on the requested days', async () => {
    const decay = (query: Query) =>
      service.ok<{ forecast: unknown; decay_score: number; half_life_days: number }>(
        'GET',
        `/temporal/memory/${id}/decay`,
        { query: { user_id, ...query } },
      )
    const asked = await decay({ half_life_days: 60, forecast_days: '0,30' })
    expect(asked.half_life_days).toBe(60)
    expect(asked.decay_score).toBeCloseTo(0.5 ** 0.5, 9)
    expect(asked.forecast).toEqual([
      { days: 0, decay_score: expect.closeTo(0.5 ** 0.5, 9) },
      { days: 30, decay_score: expect.closeTo(0.5, 9) },
    ])
    expect(await decay({})).toMatchObject({ half_life_days: 30, forecast: [{ days: 7 }, { days: 30 }, {}, {}] })
    for (const forecast_days of ['', '1,', 'x', '1.5', '99999', Array.from({ length: 101 }, () => '1').join(',')])
      await service.fails(400, 'GET', `/temporal/memory/${id}/decay`, { query: { user_id, forecast_days } })
  })

  it('previews decay even if decay is switched off', async () => {
    const off = await startService({ env: { SERVICE_DECAY_ENABLED: 'false' } })
    await off.storeOne({ user_id, content: 'The boat is called Petrel' })
    off.clock.set(startTime + 30 * dayMs)
    const read = (query: Query) => off.ok<Report>('GET', '/temporal/decay/report', { query: { user_id, ...query } })
    expect(await read({})).toMatchObject({ healthy: 1 })
    expect(await read({ half_life_days: 10 })).toMatchObject({ expired: 1 })
    await off.close()
  })
})
