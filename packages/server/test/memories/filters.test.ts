import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/harness.js'

type Filter = Record<string, unknown>

describe('a filter', () => {
  let service: TestService
  const user_id = 'ana'
  beforeAll(async () => {
    service = await startService()
    const notes: [content: string, more: object][] = [
      ['The kettle is red', { metadata: { run: 1, tags: ['kitchen', 'new'], agent: { id: 'a1' } }, project: 'home' }],
      ['The kettle is broken', { metadata: { run: 2, tags: ['kitchen'] }, source: 'import' }],
      ['The ladder leans on the wall', { metadata: { run: '2', note: null }, created_at: '2025-06-01' }],
      ['Maria works at Globex since May 2019', { metadata: { run: 3 } }],
    ]
    for (const [content, more] of notes) await service.store({ user_id, content, ...more })
    await service.store({ user_id: 'bob', content: 'The kettle of Bob is blue', metadata: { run: 1 } })
  })
  afterAll(() => service.close())

  const listed = async (filter: Filter, more: object = {}) =>
    (await service.list({ user_id, filter: JSON.stringify(filter), ...more })).memories
      .map(({ content }) => content)
      .sort()
  const recalled = async (filter: Filter) =>
    (await service.recall({ user_id, query: 'kettle', filter, limit: 100 })).memories
      .map(({ content }) => content)
      .sort()

  const kettle = 'The kettle is red'
  const broken = 'The kettle is broken'
  const ladder = 'The ladder leans on the wall'
  const maria = 'Maria works at Globex since May 2019'
  it.each<[Filter, string[]]>([
    [{ 'metadata.run': 1 }, [kettle]],
    [{ 'metadata.run': { in: [1, '2'] } }, [kettle, ladder]],
    [{ 'metadata.run': { gte: 2 } }, [broken, maria]],
    [{ 'metadata.tags': 'kitchen' }, [kettle, broken]],
    [{ 'metadata.agent.id': 'a1' }, [kettle]],
    [{ 'metadata.note': { exists: true } }, [ladder]],
    [{ 'metadata.note': null }, [ladder]],
    [{ 'metadata.tags': { exists: false } }, [ladder, maria]],
    [{ not: { 'metadata.tags': 'new' } }, [broken, ladder, maria]],
    [{ project: 'home' }, [kettle]],
    [{ project: null }, [broken, ladder, maria]],
    [{ project: { exists: true } }, [kettle]],
    [{ source: 'import' }, [broken]],
    [{ created_at: { lt: '2026-01-01' } }, [ladder]],
    [{ created_at: { gte: '2025-06-01', lte: '2025-06-01T00:00:00Z' } }, [ladder]],
    [{ event_time: { gte: '2019-05-31', lt: '2019-06-30' } }, [maria]],
    [{ event_time: { gte: '2019-06-01', lt: '2025-06-01' } }, []],
    [{ event_time: { lt: '2025-06-02' } }, [ladder, maria]],
    [{ event_time: { exists: true } }, [maria]],
    [{ entity: 'globex' }, [maria]],
    [{ trust_score: { lt: 0 } }, []],
    [{ or: [{ entity: 'Maria' }, { and: [{ 'metadata.run': 2 }, { source: 'import' }] }] }, [broken, maria]],
  ])('%j selects the same memories in a recall and in a list', async (filter, expected) => {
    expect(await listed(filter)).toEqual([...expected].sort())
    expect(await recalled(filter)).toEqual([...expected].sort())
  })

  it('is combined with project, filters, entity, q and as_of', async () => {
    expect(await listed({ 'metadata.run': { exists: true } }, { project: 'home' })).toEqual([kettle])
    expect(await listed({ 'metadata.tags': 'kitchen' }, { q: 'RED' })).toEqual([kettle])
    expect(await listed({ 'metadata.run': { exists: true } }, { as_of: '2025-07-01' })).toEqual([ladder])
    const body = { user_id, query: 'kettle', filter: { 'metadata.tags': 'kitchen' } }
    expect((await service.recall({ ...body, filters: { run: 2 } })).memories.map(({ content }) => content)).toEqual([
      broken,
    ])
    expect((await service.recall({ ...body, entity: 'Maria' })).total).toBe(0)
  })

  it('counts and pages what it selects', async () => {
    const filter = JSON.stringify({ 'metadata.run': { exists: true } })
    const first = await service.list({ user_id, filter, limit: 3 })
    expect(first).toMatchObject({ total: 4, memories: { length: 3 } })
    const rest = await service.list({ user_id, filter, limit: 3, cursor: first.next_cursor ?? '' })
    expect(rest.memories).toHaveLength(1)
  })

  it('explains a memory that it excluded', async () => {
    const { memories } = await service.list({ user_id, q: 'ladder' })
    const answer = await service.ok<{ not_returned: readonly object[] }>('POST', '/recall', {
      body: { user_id, query: 'ladder', filter: { 'metadata.run': 1 }, explain_memory_ids: [memories[0]?.id] },
    })
    expect(answer.not_returned).toMatchObject([{ reason: 'filtered' }])
  })

  it('is refused with the path of what is wrong, on every route', async () => {
    const bad = { 'metadata.run': { near: 1 } }
    const calls = [
      service.fails(400, 'POST', '/recall', { body: { user_id, query: 'kettle', filter: bad } }),
      service.fails(400, 'GET', '/memories', { query: { user_id, filter: JSON.stringify(bad) } }),
      service.fails(400, 'DELETE', '/memories', { body: { user_id, filter: bad } }),
      service.fails(400, 'DELETE', '/memories', { query: { user_id, filter: JSON.stringify(bad) } }),
    ]
    for (const error of await Promise.all(calls)) {
      expect(error.details).toMatchObject([
        { path: 'filter["metadata.run"].near', message: expect.stringContaining('gte') },
      ])
    }
    expect(await listed({ 'metadata.run': { exists: true } })).toHaveLength(4)
  })

  it('deletes only what it selects of its user, and needs to be the only choice', async () => {
    for (const content of ['One night on a boat', 'Two nights in a tent'])
      await service.store({ user_id: 'dora', content, metadata: { run: content.includes('boat') ? 'b' : 't' } })
    await service.store({ user_id: 'erik', content: 'Three nights on a boat', metadata: { run: 'b' } })
    const remove = (body: object) => service.ok('DELETE', '/memories', { body: { user_id: 'dora', ...body } })
    for (const body of [{ all: true }, { memory_ids: ['mem_x'] }]) {
      const call = { body: { user_id: 'dora', filter: { 'metadata.run': 'b' }, ...body } }
      expect((await service.fails(400, 'DELETE', '/memories', call)).details?.[0]?.path).toBe('filter')
    }
    await service.fails(400, 'DELETE', '/memories', { body: { filter: { 'metadata.run': 'b' } } })
    await service.fails(400, 'DELETE', '/memories', { body: { user_id: 'dora', filter: {} } })
    expect(await remove({ filter: { 'metadata.run': 'b' } })).toMatchObject({ deleted: 1 })
    expect(await remove({ filter: { 'metadata.run': 'b' } })).toMatchObject({ deleted: 0 })
    const left = await service.list({ user_id: 'dora' })
    expect(left.memories.map(({ content }) => content)).toEqual(['Two nights in a tent'])
    expect((await service.list({ user_id: 'erik' })).total).toBe(1)
  })
})
