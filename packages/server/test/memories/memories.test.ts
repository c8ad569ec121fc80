import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DeleteAnswer, ListAnswer, UpdateAnswer } from '../support/contract.js'
import { dayMs, startService, type TestService } from '../support/harness.js'

const unknownId = 'mem_01h455vb4pex5vsknk084sn02q'

describe('GET /memories', () => {
  let service: TestService
  const ids: string[] = []
  beforeAll(async () => {
    service = await startService()
    for (let index = 0; index < 25; index++) {
      const project = index % 5 === 0 ? 'five' : undefined
      const item = await service.storeOne({ user_id: 'ana', content: `Box ${index} has 50% of tile_${index}`, project })
      ids.unshift(item.id)
      service.clock.advance(index % 3 === 0 ? 0 : 1000)
    }
    await service.store({ user_id: 'bob', content: 'Box of Bob' })
  })
  afterAll(() => service.close())

  it('lists newest first with every memory field', async () => {
    const answer = await service.list({ user_id: 'ana' })
    expect(answer).toMatchObject({ total: 25, page: 1, limit: 50, next_cursor: null })
    expect(answer.memories.map(({ id }) => id)).toEqual(ids)
    expect(Object.keys(answer.memories[0] ?? {})).toEqual(
      expect.arrayContaining([
        ...['id', 'content', 'entities', 'created_at', 'decay_score', 'last_accessed', 'metadata', 'checksum'],
        ...['trust_score', 'source', 'user_id', 'project', 'updated_at', 'expires_at', 'access_count'],
      ]),
    )
    expect(answer.memories[0]).not.toHaveProperty('ttl')
  })

  it('pages without gaps or duplicates, by page number and by cursor', async () => {
    const byPage: string[] = []
    for (let page = 1; page <= 4; page++) {
      const answer = await service.list({ user_id: 'ana', limit: 8, page })
      expect(answer).toMatchObject({ total: 25, page, limit: 8 })
      byPage.push(...answer.memories.map(({ id }) => id))
    }
    expect(byPage).toEqual(ids)
    const byCursor: string[] = []
    let cursor: string | null | undefined
    do {
      const answer: ListAnswer = await service.list({ user_id: 'ana', limit: 8, cursor: cursor ?? undefined })
      byCursor.push(...answer.memories.map(({ id }) => id))
      cursor = answer.next_cursor
    } while (cursor !== null)
    expect(byCursor).toEqual(ids)
  })

  it('keeps the position of a cursor when memories are added and deleted', async () => {
    const user_id = 'moving'
    const stored: string[] = []
    for (let index = 0; index < 6; index++) {
      stored.unshift((await service.storeOne({ user_id, content: `Moving part ${index}` })).id)
      service.clock.advance(10)
    }
    const first = await service.list({ user_id, limit: 3 })
    await service.store({ user_id, content: 'A part that came later' })
    await service.ok('DELETE', '/memories', { body: { memory_ids: [stored[2]] } })
    const second = await service.list({ user_id, limit: 10, cursor: first.next_cursor ?? '' })
    expect(second.memories.map(({ id }) => id)).toEqual(stored.slice(3))
  })

  it('filters by project and by text, ignoring case and without wildcards', async () => {
    expect((await service.list({ user_id: 'ana', project: 'five' })).total).toBe(5)
    expect((await service.list({ user_id: 'ana', project: 'six' })).total).toBe(0)
    expect((await service.list({ user_id: 'ana', q: 'BOX 7 has' })).memories.map(({ content }) => content)).toEqual([
      'Box 7 has 50% of tile_7',
    ])
    await service.store({ user_id: 'cases', content: 'Das Café ist für Gäste' })
    expect((await service.list({ user_id: 'cases', q: 'CAFÉ IST FÜR' })).total).toBe(1)
    expect((await service.list({ user_id: 'ana', q: '50%' })).total).toBe(25)
    expect((await service.list({ user_id: 'ana', q: 'Box%tile' })).total).toBe(0)
    expect((await service.list({ user_id: 'ana', q: 'tile_7' })).total).toBe(1)
    expect((await service.list({ user_id: 'ana', q: 'tile_' })).total).toBe(25)
    expect((await service.list({ user_id: 'ana', q: "'; DROP TABLE memories; --" })).total).toBe(0)
  })

  it('lists all users without a user_id if authentication is off, and nothing for an unknown user_id', async () => {
    const { memories } = await service.list({ limit: 500 })
    expect(new Set(memories.map(({ user_id }) => user_id))).toEqual(new Set(['ana', 'bob', 'moving', 'cases']))
    expect(await service.list({ user_id: 'stranger' })).toMatchObject({ memories: [], total: 0, next_cursor: null })
  })

  it('shows expired memories only on request', async () => {
    const { id } = await service.storeOne({ user_id: 'gone', content: 'A short note', ttl: '1h' })
    service.clock.advance(dayMs)
    expect((await service.list({ user_id: 'gone' })).total).toBe(0)
    const asked = await service.list({ user_id: 'gone', include_expired: true })
    expect(asked).toMatchObject({ total: 1, memories: [{ id }] })
    await service.fails(404, 'GET', `/memories/${id}`)
  })

  it.each([
    { limit: '0' },
    { limit: '501' },
    { limit: 'ten' },
    { limit: '1.5' },
    { page: '0' },
    { page: '-1' },
    { page: '2', cursor: 'abc' },
    { cursor: 'not a cursor' },
    { cursor: Buffer.from('{"createdAt":"x"}').toString('base64url') },
    { include_expired: 'perhaps' },
    { usr_id: 'ana' },
    { limit: ['5', '6'] },
    { user_id: ['ana', 'bob'] },
  ])('refuses the query %o with 400', async (query) => {
    const error = await service.fails(400, 'GET', '/memories', { query })
    expect(error.code).toBe('validation_error')
    expect(error.details?.length).toBeGreaterThan(0)
  })

  it('returns an empty list and the correct total for a page beyond the last', async () => {
    expect(await service.list({ user_id: 'ana', page: 1000 })).toMatchObject({ memories: [], total: 25, page: 1000 })
  })
})

describe('pages of lists', () => {
  interface Pages {
    readonly next_cursor: string | null
    readonly versions?: readonly { readonly version: number }[]
    readonly provenance?: readonly { readonly text: string }[]
    readonly memories?: readonly { readonly id: string }[]
    readonly contradictions?: readonly { readonly id: string }[]
  }
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  async function pagesOf(path: string, query: Readonly<Record<string, string | number>>): Promise<Pages[]> {
    const pages: Pages[] = []
    for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)?.next_cursor ?? null) {
      pages.push(await service.ok<Pages>('GET', path, { query: cursor === '' ? query : { ...query, cursor } }))
    }
    return pages
  }

  it('go through the versions of a memory, then through its texts', async () => {
    const { id } = await service.storeOne({ user_id: 'pia', content: 'Pia plays chess' })
    for (let n = 0; n < 4; n++) await service.ok('PUT', `/memories/${id}`, { body: { metadata: { n } } })
    await service.store({ user_id: 'pia', content: 'Pia plays chess' })
    const pages = await pagesOf(`/memories/${id}/history`, { limit: 2 })
    expect(pages.map(({ versions }) => versions?.map(({ version }) => version))).toEqual([[1, 2], [3, 4], [5], []])
    expect(pages.map(({ provenance }) => provenance?.length)).toEqual([0, 0, 1, 1])
    const [whole] = await pagesOf(`/memories/${id}/history`, {})
    expect(whole?.versions).toEqual(pages.flatMap(({ versions }) => versions))
    expect(whole?.provenance).toEqual(pages.flatMap(({ provenance }) => provenance))
  })

  it('go through the memories of an entity, contradictions and the decay report', async () => {
    for (const city of ['Paris', 'Rome', 'Oslo', 'Bonn', 'Lima']) {
      await service.store({ user_id: 'quin', content: `Dora lives in ${city}` })
      await service.store({ user_id: 'quin', content: `Dora visited the museum of ${city}` })
      service.clock.advance(1000)
    }
    const { entities } = await service.ok<{ entities: readonly { id: string; name: string }[] }>('GET', '/entities', {
      query: { user_id: 'quin', q: 'Dora' },
    })
    const paths = [`/entities/${entities[0]?.id}/memories`, '/contradictions', '/temporal/decay/report']
    for (const path of paths) {
      const idsOf = (pages: readonly Pages[]) =>
        pages.flatMap(({ memories, contradictions }) => (memories ?? contradictions ?? []).map(({ id }) => id))
      const pages = await pagesOf(path, { user_id: 'quin', limit: 2 })
      expect(pages.length, path).toBeGreaterThan(1)
      expect(idsOf(pages), path).toEqual(idsOf(await pagesOf(path, { user_id: 'quin' })))
    }
  })

  it('refuse the cursor of another list', async () => {
    const { next_cursor } = await service.ok<Pages>('GET', '/memories', { query: { user_id: 'quin', limit: 1 } })
    for (const path of ['/contradictions', '/temporal/decay/report']) {
      const query = { user_id: 'quin', cursor: next_cursor ?? '' }
      expect((await service.fails(400, 'GET', path, { query })).details).toMatchObject([{ path: 'cursor' }])
    }
  })
})

describe('GET /memories/{id} and its history', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  it('returns one memory', async () => {
    const { id } = await service.storeOne({ user_id: 'ana', content: 'The door is green', metadata: { a: 1 } })
    expect(await service.memory(id)).toMatchObject({
      id,
      user_id: 'ana',
      content: 'The door is green',
      metadata: { a: 1 },
    })
    expect(await service.memory(id, { query: { user_id: 'ana' } })).toMatchObject({ id })
    await service.fails(404, 'GET', `/memories/${id}`, { query: { user_id: 'bob' } })
  })

  it.each([
    unknownId,
    'mem_',
    'x',
    'MEM_01h455vb4pex5vsknk084sn02q',
    'ent_01h455vb4pex5vsknk084sn02q',
    '%F0%9F%98%80',
    `mem_${'9'.repeat(26)}`,
    'mem_01h455vb4pex5vsknk084sn02q%27--',
    'a'.repeat(90),
  ])('answers 404 to the id %s', async (id) => {
    for (const [method, path, body] of [
      ['GET', `/memories/${id}`, undefined],
      ['GET', `/memories/${id}/history`, undefined],
      ['PUT', `/memories/${id}`, { content: 'new text' }],
      ['GET', `/temporal/memory/${id}/decay`, undefined],
    ] as const) {
      const error = await service.fails(404, method, path, body === undefined ? {} : { body })
      expect(error.code).toBe('not_found')
    }
  })

  it('returns each version with its content and validity', async () => {
    const { id } = await service.storeOne({ user_id: 'ana', content: 'The door is green now' })
    const first = new Date(service.clock.now()).toISOString()
    service.clock.advance(60_000)
    await service.ok('PUT', `/memories/${id}`, { body: { content: 'The door is red now' } })
    const second = new Date(service.clock.now()).toISOString()
    const history = await service.ok<{ versions: readonly object[] }>('GET', `/memories/${id}/history`)
    expect(history.versions).toMatchObject([
      { content: 'The door is green now', valid_from: first, valid_to: second },
      { content: 'The door is red now', valid_from: second, valid_to: null },
    ])
  })
})

describe('PUT /memories/{id}', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  it('updates recall, list, entities and checksum with the content, and keeps id and creation time', async () => {
    const before = await service.storeOne({ user_id: 'put', content: 'John works at Acme Corp' })
    service.clock.advance(1000)
    const answer = await service.ok<UpdateAnswer>('PUT', `/memories/${before.id}`, {
      body: { content: 'Mary lives in Oslo' },
    })
    expect(answer).toMatchObject({ status: 'success', memory: { id: before.id, content: 'Mary lives in Oslo' } })
    const after = await service.memory(before.id)
    expect(after).toMatchObject({
      created_at: before.created_at,
      updated_at: new Date(service.clock.now()).toISOString(),
    })
    expect(after.checksum).not.toBe(before.checksum)
    expect([...after.entities].sort()).toEqual(['Mary', 'Oslo'])
    const found = await service.recall({ user_id: 'put', query: 'Mary Oslo' })
    expect(found.memories.map(({ content }) => content)).toEqual(['Mary lives in Oslo'])
    const { entities } = await service.ok<{ entities: readonly { name: string }[] }>('GET', '/entities', {
      query: { user_id: 'put' },
    })
    expect(entities.map(({ name }) => name).sort()).toEqual(['Mary', 'Oslo'])
  })

  it('replaces metadata, changes the project, and leaves the rest unchanged', async () => {
    const { id } = await service.storeOne({
      user_id: 'put',
      content: 'The sofa is grey',
      metadata: { a: 1, b: 2 },
      project: 'p',
    })
    await service.ok('PUT', `/memories/${id}`, { body: { metadata: { c: 3 } } })
    expect(await service.memory(id)).toMatchObject({ metadata: { c: 3 }, project: 'p', content: 'The sofa is grey' })
    expect((await service.memory(id)).metadata).toEqual({ c: 3 })
    await service.ok('PUT', `/memories/${id}`, { body: { project: 'q' } })
    expect((await service.list({ user_id: 'put', project: 'q' })).memories.map((memory) => memory.id)).toEqual([id])
    expect((await service.list({ user_id: 'put', project: 'p' })).total).toBe(0)
    expect((await service.recall({ user_id: 'put', project: 'q', query: 'grey sofa' })).total).toBe(1)
    expect((await service.recall({ user_id: 'put', project: 'p', query: 'grey sofa' })).total).toBe(0)
  })

  it('starts a new ttl now, and removes it with permanent', async () => {
    const { id } = await service.storeOne({ user_id: 'put', content: 'The milk is fresh', ttl: '7d' })
    service.clock.advance(dayMs)
    await service.ok('PUT', `/memories/${id}`, { body: { ttl: '1d' } })
    expect((await service.memory(id)).expires_at).toBe(new Date(service.clock.now() + dayMs).toISOString())
    await service.ok('PUT', `/memories/${id}`, { body: { ttl: 'permanent' } })
    expect((await service.memory(id)).expires_at).toBeNull()
    service.clock.advance(1000 * dayMs)
    expect((await service.memory(id)).id).toBe(id)
  })

  it('answers 404 for an expired or superseded memory and for another user’s', async () => {
    const expiring = await service.storeOne({ user_id: 'put', content: 'The soup is hot', ttl: '1h' })
    service.clock.advance(3_600_000)
    await service.fails(404, 'PUT', `/memories/${expiring.id}`, { body: { ttl: 'permanent' } })
    const old = await service.storeOne({ user_id: 'put', content: 'Kim works at Acme Corp' })
    await service.storeOne({ user_id: 'put', content: 'Kim works at Globex' })
    await service.fails(404, 'PUT', `/memories/${old.id}`, { body: { content: 'Kim works at Initech' } })
    const own = await service.storeOne({ user_id: 'put', content: 'The yard is swept' })
    await service.fails(404, 'PUT', `/memories/${own.id}`, { body: { content: 'changed', user_id: 'bob' } })
    expect((await service.memory(own.id)).content).toBe('The yard is swept')
  })

  it.each([
    [{}, ''],
    [{ content: '   ' }, 'content'],
    [{ content: 'a'.repeat(50_001) }, 'content'],
    [{ ttl: '0d' }, 'ttl'],
    [{ metadata: 'x' }, 'metadata'],
    [{ id: unknownId }, 'id'],
    [{ content: null }, 'content'],
  ])('refuses the body %o with 400', async (body, path) => {
    const { id } = await service.storeOne({ user_id: 'put-400', content: 'The roof is new' })
    const error = await service.fails(400, 'PUT', `/memories/${id}`, { body })
    expect(error.details?.map((detail) => detail.path)).toContain(path)
    expect(await service.memory(id)).toMatchObject({ content: 'The roof is new', updated_at: expect.any(String) })
  })
})

describe('DELETE /memories', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())
  const remove = (body: object) => service.ok<DeleteAnswer>('DELETE', '/memories', { body })
  const removeByQuery = (query: Record<string, string>) => service.ok<DeleteAnswer>('DELETE', '/memories', { query })

  async function three(user_id: string): Promise<string[]> {
    const ids: string[] = []
    for (const name of ['one', 'two', 'three']) {
      ids.push((await service.storeOne({ user_id, content: `Note ${name} of the series`, project: name })).id)
    }
    return ids
  }

  it('erases the given memories and nothing else, counting each once', async () => {
    const [one = '', two = '', three_ = ''] = await three('named')
    const answer = await remove({ memory_ids: [one, two, one, unknownId, 'nonsense'] })
    expect(answer).toMatchObject({ status: 'success', deleted: 2 })
    expect([...answer.memory_ids].sort()).toEqual([one, two].sort())
    expect((await service.list({ user_id: 'named' })).memories.map(({ id }) => id)).toEqual([three_])
    await service.fails(404, 'GET', `/memories/${one}`)
    await service.fails(404, 'GET', `/memories/${one}/history`)
    expect(await remove({ memory_ids: [one] })).toMatchObject({ deleted: 0, memory_ids: [] })
  })

  it('accepts the same fields as query parameters', async () => {
    const [one = '', two = ''] = await three('by-query')
    expect(await removeByQuery({ memory_ids: `${one},${two}` })).toMatchObject({ deleted: 2 })
    expect(await removeByQuery({ user_id: 'by-query', all: 'true' })).toMatchObject({ deleted: 1 })
    expect((await service.list({ user_id: 'by-query' })).total).toBe(0)
  })

  it('erases all memories of a user or of one project, and no other user’s', async () => {
    await three('all')
    await three('all-other')
    expect(await remove({ user_id: 'all', all: true, project: 'one' })).toMatchObject({ deleted: 1 })
    expect((await service.list({ user_id: 'all' })).total).toBe(2)
    expect(await remove({ user_id: 'all', all: true })).toMatchObject({ deleted: 2 })
    expect((await service.list({ user_id: 'all' })).total).toBe(0)
    expect((await service.list({ user_id: 'all-other' })).total).toBe(3)
  })

  it('deletes nothing if the ids belong to another user than user_id', async () => {
    const ids = await three('owner')
    expect(await remove({ memory_ids: ids, user_id: 'thief' })).toMatchObject({ deleted: 0, memory_ids: [] })
    expect((await service.list({ user_id: 'owner' })).total).toBe(3)
  })

  it('leaves no trace in recall, history, as_of, entities and relationships', async () => {
    const user_id = 'trace'
    const first = await service.storeOne({ user_id, content: 'John works at Acme Corp' })
    await service.storeOne({ user_id, content: 'John lives in Oslo' })
    service.clock.advance(1000)
    await remove({ memory_ids: [first.id] })
    const as_of = new Date(service.clock.now()).toISOString()
    for (const extra of [{}, { as_of }, { include_history: true }]) {
      const { memories } = await service.recall({ user_id, query: 'John works at Acme Corp', ...extra })
      expect(memories.map(({ content }) => content)).toEqual(['John lives in Oslo'])
    }
    const { entities } = await service.ok<{ entities: readonly { id: string; name: string }[] }>('GET', '/entities', {
      query: { user_id },
    })
    expect(entities.map(({ name }) => name).sort()).toEqual(['John', 'Oslo'])
    const john = entities.find(({ name }) => name === 'John')
    const { relationships } = await service.ok<{ relationships: readonly { type: string }[] }>(
      'GET',
      `/entities/${john?.id}/relationships`,
      { query: { include_history: true } },
    )
    expect(relationships.map(({ type }) => type)).toEqual(['LIVES_IN'])
  })

  it('erases expired and superseded memories too, by id and with all', async () => {
    const user_id = 'rest'
    const old = await service.storeOne({ user_id, content: 'Vera works at Acme Corp' })
    await service.storeOne({ user_id, content: 'Vera works at Globex' })
    const expiring = await service.storeOne({ user_id, content: 'The fire is burning', ttl: '1h' })
    const second = await service.storeOne({ user_id, content: 'The ice is melting', ttl: '1h' })
    service.clock.advance(dayMs)
    expect(await remove({ memory_ids: [expiring.id] })).toMatchObject({ deleted: 1 })
    const answer = await remove({ user_id, all: true })
    expect(answer.memory_ids).toEqual(expect.arrayContaining([old.id, second.id]))
    expect((await service.list({ user_id, include_expired: true })).total).toBe(0)
    const as_of = new Date(service.clock.now() - dayMs + 1).toISOString()
    expect((await service.recall({ user_id, query: 'Vera fire ice', as_of, include_history: true })).total).toBe(0)
    const entities = await service.ok<{ total: number }>('GET', '/entities', { query: { user_id } })
    expect(entities.total).toBe(0)
  })

  it('allows an erased text to be stored again as a new memory', async () => {
    const first = await service.storeOne({ user_id: 'again', content: 'The hat is brown' })
    await remove({ memory_ids: [first.id] })
    const second = await service.storeOne({ user_id: 'again', content: 'The hat is brown' })
    expect(second.action).toBe('ADD')
    expect(second.id).not.toBe(first.id)
  })

  it.each([
    ['an empty body', { body: {} }],
    ['no body at all', {}],
    ['both forms', { body: { memory_ids: [unknownId], all: true, user_id: 'keep' } }],
    ['all without a user', { body: { all: true } }],
    ['all false', { body: { user_id: 'keep', all: false } }],
    ['only a user', { body: { user_id: 'keep' } }],
    ['no ids', { body: { memory_ids: [] } }],
    ['1,001 ids', { body: { memory_ids: Array.from({ length: 1001 }, () => unknownId) } }],
    ['an id that is not a string', { body: { memory_ids: [7] } }],
    ['an unknown field', { body: { memory_ids: [unknownId], force: true } }],
    ['ids as text', { body: { memory_ids: unknownId } }],
    ['all without a user in the query', { query: { all: 'true' } }],
    ['a body and a query', { body: { memory_ids: [unknownId] }, query: { user_id: 'keep', all: 'true' } }],
    ['an unknown query parameter', { query: { memory_ids: unknownId, force: 'true' } }],
  ])('refuses %s and deletes nothing', async (_name, call) => {
    await service.store({ user_id: 'keep', content: 'This must stay' })
    const error = await service.fails(400, 'DELETE', '/memories', call)
    expect(error.code).toBe('validation_error')
    expect((await service.list({ user_id: 'keep' })).total).toBe(1)
  })
})
