import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { DecayReportAnswer, MemoryDecayAnswer } from '../support/contract.js'
import { dayMs, hourMs, type Query, startService, type TestService } from '../support/harness.js'

const iso = (ms: number) => new Date(ms).toISOString()

describe('TTL', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  it.each([
    ['24h', 24 * hourMs],
    ['1h', hourMs],
    ['7d', 7 * dayMs],
    ['30d', 30 * dayMs],
    ['365d', 365 * dayMs],
    ['2w', 14 * dayMs],
    ['90min', 1.5 * hourMs],
    ['3m', 90 * dayMs],
    ['3mo', 90 * dayMs],
    ['1y', 365 * dayMs],
    ['100y', 36_500 * dayMs],
    ['876000h', 36_500 * dayMs],
  ])('%s expires after exactly that time', async (ttl, ms) => {
    const item = await service.storeOne({ user_id: 'ttl', content: `The note about ${ttl}`, ttl })
    expect(item.expires_at).toBe(iso(service.clock.now() + ms))
  })

  it.each([
    ...['0d', '-1d', '1', 'd', '1.5d', '7D', '07d', ' 7d', '7d ', '1s', '1minute', '1mon', '', 'forever', 'Permanent'],
    ...['101y', '36501d', '876001h', '99999999999999999999d', `${'9'.repeat(400)}y`, '７d', '7d\n'],
  ])('refuses the ttl %j', async (ttl) => {
    const error = await service.fails(400, 'POST', '/store', { body: { user_id: 'bad', content: 'x y z', ttl } })
    expect(error.details?.map(({ path }) => path)).toContain('ttl')
    expect((await service.list({ user_id: 'bad', include_expired: true })).total).toBe(0)
  })

  it('is absent by default and with permanent: the memory never expires', async () => {
    const plain = await service.storeOne({ user_id: 'ttl', content: 'The plain one stays' })
    const permanent = await service.storeOne({ user_id: 'ttl', content: 'The permanent one stays', ttl: 'permanent' })
    expect([plain.expires_at, permanent.expires_at]).toEqual([null, null])
  })

  it('has a default in the settings, which a request can override', async () => {
    const other = await startService({ env: { SERVICE_DEFAULT_TTL_DAYS: '5' } })
    const expiry = async (name: string, ttl?: string) =>
      (await other.storeOne({ user_id: 'x', content: `The ${name} memory`, ttl })).expires_at
    expect(await expiry('default')).toBe(iso(other.clock.now() + 5 * dayMs))
    expect(await expiry('own', '1h')).toBe(iso(other.clock.now() + hourMs))
    expect(await expiry('permanent', 'permanent')).toBeNull()
    await other.close()
  })

  it('starts at created_at for imported memories', async () => {
    const user_id = 'import'
    const created_at = iso(service.clock.now() - 10 * dayMs)
    const item = await service.storeOne({ user_id, content: 'The pass was valid for a week', created_at, ttl: '7d' })
    expect(item.expires_at).toBe(iso(service.clock.now() - 3 * dayMs))
    expect((await service.recall({ user_id, query: 'pass valid week' })).total).toBe(0)
    expect((await service.list({ user_id })).total).toBe(0)
    expect((await service.list({ user_id, include_expired: true })).total).toBe(1)
    const asOf = (daysAgo: number) =>
      service.recall({ user_id, query: 'pass valid week', as_of: iso(service.clock.now() - daysAgo * dayMs) })
    expect([(await asOf(11)).total, (await asOf(5)).total, (await asOf(2)).total]).toEqual([0, 1, 0])
  })

  it('prevents a temporary fact from superseding a permanent one', async () => {
    const user_id = 'guest'
    await service.storeOne({ user_id, content: 'I live in Rome' })
    expect(await service.storeOne({ user_id, content: 'I live in Oslo', ttl: '1h' })).toMatchObject({ action: 'ADD' })
    service.clock.advance(hourMs)
    const { memories } = await service.recall({ user_id, query: 'Where do I live?' })
    expect(memories.map(({ content }) => content)).toEqual(['I live in Rome'])
  })

  it('removes a memory from recall, lists, entities and reports in the millisecond in which it ends', async () => {
    const user_id = 'moment'
    await service.storeOne({ user_id, content: 'Olga works at Acme Corp', ttl: '1h' })
    const seen = async () => ({
      recall: (await service.recall({ user_id, query: 'Olga Acme' })).total,
      list: (await service.list({ user_id })).total,
      entities: (await service.ok<{ total: number }>('GET', '/entities', { query: { user_id } })).total,
      report: (await service.ok<DecayReportAnswer>('GET', '/temporal/decay/report', { query: { user_id } }))
        .total_memories,
    })
    service.clock.advance(hourMs - 1)
    expect(await seen()).toEqual({ recall: 1, list: 1, entities: 2, report: 1 })
    service.clock.advance(1)
    expect(await seen()).toEqual({ recall: 0, list: 0, entities: 0, report: 0 })
  })

  it('allows the same text to be stored again after it has expired', async () => {
    const first = await service.storeOne({ user_id: 'renew', content: 'The tea is ready', ttl: '1h' })
    service.clock.advance(hourMs)
    const second = await service.storeOne({ user_id: 'renew', content: 'The tea is ready' })
    expect(second.action).toBe('ADD')
    expect(second.id).not.toBe(first.id)
  })
})

describe('decay', () => {
  const formula = (ageDays: number, accesses: number, sinceAccessDays: number | null) => {
    const timeDecay = 0.5 ** (ageDays / 30)
    const accessBoost = 1 + 0.2 * accesses
    const recencyBoost = sinceAccessDays === null ? 1 : 1 + 0.1 * 0.5 ** (sinceAccessDays / 7)
    const score = Math.min(1, Math.max(0.1, timeDecay * accessBoost * recencyBoost))
    return { timeDecay, accessBoost, recencyBoost, score }
  }
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())
  const decay = (id: string) => service.ok<MemoryDecayAnswer>('GET', `/temporal/memory/${id}/decay`)
  const report = (query: Query) => service.ok<DecayReportAnswer>('GET', '/temporal/decay/report', { query })

  it.each([
    [0, 0, 0, 'healthy'],
    [10, 0, 0, 'healthy'],
    [30, 0, 0, 'decaying'],
    [60, 0, 0, 'expired'],
    [3000, 0, 0, 'expired'],
    [30, 1, 0, 'decaying'],
    [30, 3, 14, 'healthy'],
    [100, 5, 50, 'expired'],
    [0, 4, 0, 'healthy'],
  ])(
    'follows the formula at an age of %d days with %d accesses, the last %d days ago',
    async (ageDays, accesses, sinceDays, status) => {
      const user_id = `age-${ageDays}-${accesses}-${sinceDays}`
      const { id } = await service.storeOne({ user_id, content: 'The violin is in the red case' })
      service.clock.advance((ageDays - sinceDays) * dayMs)
      for (let access = 0; access < accesses; access++) await service.recall({ user_id, query: 'violin red case' })
      const accessedAt = service.clock.now()
      service.clock.advance(sinceDays * dayMs)
      const expected = formula(ageDays, accesses, accesses === 0 ? null : sinceDays)
      const answer = await decay(id)
      expect(answer).toMatchObject({
        id,
        age_days: ageDays,
        access_count: accesses,
        last_accessed: accesses === 0 ? null : iso(accessedAt),
        half_life_days: 30,
        status,
        expires_at: null,
      })
      expect(answer.decay_score).toBeCloseTo(expected.score, 9)
      expect(answer.time_decay).toBeCloseTo(expected.timeDecay, 9)
      expect(answer.access_boost).toBeCloseTo(expected.accessBoost, 9)
      expect(answer.recency_boost).toBeCloseTo(expected.recencyBoost, 9)
      expect(answer.forecast.map(({ days }) => days)).toEqual([7, 30, 90, 365])
      for (const { days, decay_score } of answer.forecast) {
        const later = formula(ageDays + days, accesses, accesses === 0 ? null : sinceDays + days)
        expect(decay_score).toBeCloseTo(later.score, 9)
      }
      const { memories } = await report({ user_id })
      expect(memories).toMatchObject([{ id, content: 'The violin is in the red case' }])
      expect(memories[0]?.decay_score).toBeCloseTo(expected.score, 9)
      expect((await service.memory(id)).decay_score).toBeCloseTo(expected.score, 9)
    },
  )

  it('gains a fifth per access, up to a score of 1', async () => {
    const user_id = 'boost'
    const { id } = await service.storeOne({ user_id, content: 'The drum is loud' })
    service.clock.advance(90 * dayMs)
    const before = await decay(id)
    await service.recall({ user_id, query: 'loud drum' })
    service.clock.advance(0)
    const after = await decay(id)
    expect(after.access_boost / before.access_boost).toBeCloseTo(1.2, 9)
    for (let access = 0; access < 60; access++) await service.recall({ user_id, query: 'loud drum' })
    expect((await decay(id)).decay_score).toBe(1)
  })

  it('counts scores of exactly 0.7 and 0.3 as decaying, so that the three counts add up', async () => {
    // With a half-life of 1000 days the recency boost of an access 1000 days ago is exactly 1 in binary,
    // so 0.5 × 1.4 and 0.25 × 1.2 are exactly 0.7 and 0.3.
    const other = await startService({ env: { SERVICE_DECAY_HALF_LIFE_DAYS: '1000' } })
    const user_id = 'border'
    await other.store({ user_id, content: 'The upper border stone', metadata: { stone: 'upper' } })
    await other.store({ user_id, content: 'The lower border stone', metadata: { stone: 'lower' } })
    const touch = (stone: string) => other.recall({ user_id, query: `${stone} border stone`, filters: { stone } })
    await touch('upper')
    await touch('upper')
    await touch('lower')
    const counts = async () => {
      const { total_memories, healthy, decaying, expired } = await other.ok<DecayReportAnswer>(
        'GET',
        '/temporal/decay/report',
        { query: { user_id } },
      )
      expect(healthy + decaying + expired).toBe(total_memories)
      return { healthy, decaying, expired }
    }
    other.clock.advance(1000 * dayMs - 1)
    expect(await counts()).toEqual({ healthy: 1, decaying: 1, expired: 0 })
    const query = { user_id }
    expect((await other.ok<DecayReportAnswer>('GET', '/temporal/decay/report', { query })).forecast).toEqual(
      [7, 30, 90, 365].map((days) => ({ days, healthy: 0, decaying: 2, expired: 0 })),
    )
    other.clock.advance(1)
    expect(await counts()).toEqual({ healthy: 0, decaying: 2, expired: 0 })
    other.clock.advance(1000 * dayMs)
    expect(await counts()).toEqual({ healthy: 0, decaying: 2, expired: 0 })
    other.clock.advance(1)
    expect(await counts()).toEqual({ healthy: 0, decaying: 1, expired: 1 })
    await other.close()
  })

  it('is reported in pages, by user and project, and for all users if authentication is off', async () => {
    const user_id = 'pages'
    for (let index = 0; index < 5; index++) {
      const project = index < 2 ? 'few' : undefined
      await service.store({ user_id, content: `Report line ${index}`, project })
      service.clock.advance(dayMs)
    }
    expect(await report({ user_id, project: 'few' })).toMatchObject({ total_memories: 2 })
    const first = await report({ user_id, limit: 3 })
    const second = await report({ user_id, limit: 3, page: 2 })
    expect([first.memories.length, second.memories.length]).toEqual([3, 2])
    expect([first.total_memories, second.total_memories]).toEqual([5, 5])
    expect(new Set([...first.memories, ...second.memories].map(({ id }) => id)).size).toBe(5)
    expect((await report({})).total_memories).toBeGreaterThan(5)
    expect(await report({ user_id: 'nobody' })).toMatchObject({ total_memories: 0, memories: [] })
  })

  it('does not count reading by id, listing and reporting as accesses', async () => {
    const { id } = await service.storeOne({ user_id: 'look', content: 'The flute is silver' })
    await service.memory(id)
    await service.list({ user_id: 'look' })
    await report({ user_id: 'look' })
    expect(await decay(id)).toMatchObject({ access_count: 0, last_accessed: null })
  })
})

describe('as_of', () => {
  let service: TestService
  let user_id: string
  let users = 0
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())
  beforeEach(() => {
    users += 1
    user_id = `then-${users}`
  })
  const contents = async (query: string, at: number | string, extra = {}) => {
    const as_of = typeof at === 'number' ? iso(at) : at
    const { memories } = await service.recall({ user_id, query, as_of, limit: 100, ...extra })
    return memories.map(({ content }) => content)
  }

  it('includes only memories created before that time, to the millisecond', async () => {
    const at = service.clock.now()
    await service.store({ user_id, content: 'The clock struck nine' })
    service.clock.advance(dayMs)
    expect(await contents('clock struck', at)).toEqual([])
    expect(await contents('clock struck', at + 1)).toEqual(['The clock struck nine'])
  })

  it('includes memories that expired after that time', async () => {
    const at = service.clock.now()
    await service.store({ user_id, content: 'The market is open', ttl: '1h' })
    service.clock.advance(dayMs)
    expect(await contents('market open', at + hourMs - 1)).toEqual(['The market is open'])
    expect(await contents('market open', at + hourMs)).toEqual([])
  })

  it('returns the content of that time', async () => {
    const { id } = await service.storeOne({ user_id, content: 'The fence is white' })
    service.clock.advance(hourMs)
    const changed = service.clock.now()
    await service.ok('PUT', `/memories/${id}`, { body: { content: 'The fence is black' } })
    service.clock.advance(hourMs)
    expect(await contents('fence', changed - 1)).toEqual(['The fence is white'])
    // One of the versions is visible in the millisecond of the change.
    expect(await contents('fence', changed)).toEqual(['The fence is white'])
    expect(await contents('fence', changed + 1)).toEqual(['The fence is black'])
    expect(await contents('white', changed - 1)).toEqual(['The fence is white'])
  })

  it('includes memories that were superseded later, without their replacements', async () => {
    await service.store({ user_id, content: 'Nora works at Acme Corp' })
    service.clock.advance(hourMs)
    const between = service.clock.now()
    service.clock.advance(hourMs)
    await service.store({ user_id, content: 'Nora works at Globex' })
    service.clock.advance(hourMs)
    expect(await contents('Nora works', between)).toEqual(['Nora works at Acme Corp'])
    expect(await contents('Nora works', service.clock.now())).toEqual(['Nora works at Globex'])
  })

  it('does not include deleted memories', async () => {
    const { id } = await service.storeOne({ user_id, content: 'The diary lies open' })
    service.clock.advance(hourMs)
    const before = service.clock.now()
    await service.ok('DELETE', '/memories', { body: { memory_ids: [id] } })
    service.clock.advance(hourMs)
    expect(await contents('diary', before)).toEqual([])
  })

  it('records no access', async () => {
    const { id } = await service.storeOne({ user_id, content: 'The stove is off' })
    service.clock.advance(hourMs)
    expect(await contents('stove', service.clock.now())).toHaveLength(1)
    expect(await service.memory(id)).toMatchObject({ access_count: 0, last_accessed: null })
  })

  it('uses the project and the expiry of that time', async () => {
    const start = service.clock.now()
    const { id } = await service.storeOne({ user_id, content: 'The ferry sails at ten', project: 'a', ttl: '2h' })
    service.clock.advance(hourMs)
    await service.ok('PUT', `/memories/${id}`, { body: { project: 'b', ttl: 'permanent' } })
    service.clock.advance(9 * hourMs)
    expect(await contents('ferry', start + 60_000, { project: 'a' })).toHaveLength(1)
    expect(await contents('ferry', start + 60_000, { project: 'b' })).toHaveLength(0)
    expect(await contents('ferry', start + 5 * hourMs, { project: 'b' })).toHaveLength(1)
    expect(await contents('ferry', start + 5 * hourMs, { project: 'a' })).toHaveLength(0)
    await service.ok('PUT', `/memories/${id}`, { body: { ttl: '1h' } })
    service.clock.advance(5 * hourMs)
    expect(await contents('ferry', start + 9 * hourMs)).toHaveLength(1)
    expect(await contents('ferry', start + 10 * hourMs + 60_000)).toHaveLength(1)
    expect(await contents('ferry', start + 11 * hourMs)).toHaveLength(0)
  })

  it('accepts any ISO 8601 offset, and reads a time without a zone as UTC', async () => {
    await service.store({ user_id, content: 'The kite flew away', created_at: '2026-01-10T12:00:00Z' })
    expect(await contents('kite', '2026-01-10T12:00:00.001Z')).toHaveLength(1)
    expect(await contents('kite', '2026-01-10T14:00:00.001+02:00')).toHaveLength(1)
    expect(await contents('kite', '2026-01-10T14:00:00.000+02:00')).toHaveLength(0)
    expect(await contents('kite', '2026-01-10T12:00:00.001')).toHaveLength(1)
    expect(await contents('kite', '2026-01-10T12:00:00')).toHaveLength(0)
    expect(await contents('kite', '2026-01-10')).toHaveLength(0)
    expect(await contents('kite', '2026-01-11')).toHaveLength(1)
  })

  it('respects the project and the threshold', async () => {
    await service.store({ user_id, content: 'The chess set is oak', project: 'games' })
    service.clock.advance(hourMs)
    expect(await contents('chess', service.clock.now(), { project: 'games' })).toHaveLength(1)
    expect(await contents('chess', service.clock.now(), { project: 'other' })).toHaveLength(0)
    expect(await contents('nothing alike at all', service.clock.now(), { threshold: 1 })).toHaveLength(0)
  })
})
