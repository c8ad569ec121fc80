import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EntitiesAnswer, EntityItem, ListAnswer, RelationshipsAnswer } from '../support/contract.js'
import { isoPattern } from '../support/contract.js'
import { type Query, startService, type TestService } from '../support/harness.js'

describe('entities', () => {
  let service: TestService
  let created: string
  const entities = (query: Query) => service.ok<EntitiesAnswer>('GET', '/entities', { query })
  const names = async (query: Query) => (await entities(query)).entities.map(({ name }) => name).sort()
  async function entity(user_id: string, name: string): Promise<EntityItem> {
    const found = (await entities({ user_id })).entities.find((item) => item.name === name)
    if (!found) throw new Error(`${name} is missing`)
    return found
  }
  const relationships = (id: string, query: Query = {}) =>
    service.ok<RelationshipsAnswer>('GET', `/entities/${id}/relationships`, { query })

  beforeAll(async () => {
    service = await startService()
    created = new Date(service.clock.now()).toISOString()
    await service.store({ user_id: 'ana', content: 'John works at Acme Corp' })
    service.clock.advance(1000)
    await service.store({ user_id: 'ana', content: 'John lives in Oslo', project: 'home' })
    await service.store({ user_id: 'bob', content: 'Ruth works at Globex' })
  })
  afterAll(() => service.close())

  it('are listed with type, aliases, memory count, first and last appearance', async () => {
    const answer = await entities({ user_id: 'ana' })
    expect(answer).toMatchObject({ total: 3, page: 1 })
    const john = answer.entities.find(({ name }) => name === 'John')
    expect(john).toMatchObject({
      type: 'PERSON',
      memory_count: 2,
      first_seen: created,
      last_seen: new Date(service.clock.now()).toISOString(),
    })
    expect(john?.id).toMatch(/^ent_/)
    expect(Array.isArray(john?.aliases)).toBe(true)
  })

  it('are filtered by type, text and project, and paged', async () => {
    expect(await names({ user_id: 'ana', type: 'ORG' })).toEqual(['Acme Corp'])
    expect(await names({ user_id: 'ana', q: 'acme' })).toEqual(['Acme Corp'])
    expect(await names({ user_id: 'ana', q: '%' })).toEqual([])
    expect(await names({ user_id: 'ana', project: 'home' })).toEqual(['John', 'Oslo'])
    const pages = [await entities({ user_id: 'ana', limit: 2 }), await entities({ user_id: 'ana', limit: 2, page: 2 })]
    expect(pages.map((page) => page.entities.length)).toEqual([2, 1])
    expect(new Set(pages.flatMap((page) => page.entities.map(({ id }) => id))).size).toBe(3)
    expect(pages[1]).toMatchObject({ total: 3, page: 2, limit: 2 })
  })

  it('are separate per user, and listed for all users without a user_id if authentication is off', async () => {
    expect(await names({ user_id: 'bob' })).toEqual(['Globex', 'Ruth'])
    expect(await names({ user_id: 'nobody' })).toEqual([])
    expect(await names({})).toEqual(['Acme Corp', 'Globex', 'John', 'Oslo', 'Ruth'])
    const john = await entity('ana', 'John')
    for (const path of ['', '/relationships', '/memories']) {
      await service.fails(404, 'GET', `/entities/${john.id}${path}`, { query: { user_id: 'bob' } })
    }
  })

  it('can be read one by one', async () => {
    const john = await entity('ana', 'John')
    const answer = await service.ok<{ entity: EntityItem }>('GET', `/entities/${john.id}`)
    expect(answer.entity).toEqual(john)
  })

  it('have relationships in both directions with ids, validity and source memories', async () => {
    const john = await entity('ana', 'John')
    const acme = await entity('ana', 'Acme Corp')
    const fromJohn = await relationships(john.id)
    expect(fromJohn.entity.id).toBe(john.id)
    expect(fromJohn.total).toBe(2)
    expect(fromJohn.relationships.map(({ type, target }) => `${type} ${target}`).sort()).toEqual([
      'LIVES_IN Oslo',
      'WORKS_AT Acme Corp',
    ])
    const toAcme = await relationships(acme.id)
    expect(toAcme.relationships).toMatchObject([
      { source: 'John', source_id: john.id, target: 'Acme Corp', target_id: acme.id, type: 'WORKS_AT', valid_to: null },
    ])
    expect(toAcme.relationships[0]?.id).toMatch(/^rel_/)
    expect(toAcme.relationships[0]?.valid_from).toMatch(isoPattern)
    expect(toAcme.relationships[0]?.memory_ids).toHaveLength(1)
    expect(typeof toAcme.relationships[0]?.properties).toBe('object')
  })

  it('list their memories in pages', async () => {
    const john = await entity('ana', 'John')
    const answer = await service.ok<ListAnswer & { entity: EntityItem }>('GET', `/entities/${john.id}/memories`, {
      query: { limit: 1 },
    })
    expect(answer).toMatchObject({ total: 2, page: 1, limit: 1, entity: { id: john.id } })
    expect(answer.memories.map(({ content }) => content)).toEqual(['John lives in Oslo'])
  })

  it('lose a relationship when its fact is replaced, except with as_of or include_history', async () => {
    const user_id = 'change'
    await service.store({ user_id, content: 'Lena works at Acme Corp' })
    service.clock.advance(1000)
    const before = new Date(service.clock.now()).toISOString()
    service.clock.advance(1000)
    await service.store({ user_id, content: 'Lena works at Globex' })
    const { id } = await entity(user_id, 'Lena')
    const targets = async (query: Query) => (await relationships(id, query)).relationships.map(({ target }) => target)
    expect(await targets({})).toEqual(['Globex'])
    expect(await targets({ as_of: before })).toEqual(['Acme Corp'])
    expect((await targets({ include_history: true })).sort()).toEqual(['Acme Corp', 'Globex'])
    const { relationships: all } = await relationships(id, { include_history: true })
    expect(all.find(({ target }) => target === 'Acme Corp')?.valid_to).toBe(new Date(service.clock.now()).toISOString())
  })

  it('are hidden when their only memory has expired', async () => {
    await service.store({ user_id: 'fading', content: 'Omar lives in Cairo', ttl: '1h' })
    expect(await names({ user_id: 'fading' })).toEqual(['Cairo', 'Omar'])
    const { id } = await entity('fading', 'Omar')
    service.clock.advance(3_600_000)
    expect(await names({ user_id: 'fading' })).toEqual([])
    await service.fails(404, 'GET', `/entities/${id}`)
  })

  it('lose a relationship and its count when the source memory expires', async () => {
    const user_id = 'half'
    await service.store({ user_id, content: 'Omar lives in Cairo', ttl: '1h' })
    await service.store({ user_id, content: 'Omar works at Acme Corp' })
    const { id, memory_count } = await entity(user_id, 'Omar')
    expect(memory_count).toBe(2)
    service.clock.advance(3_600_000)
    expect(await entity(user_id, 'Omar')).toMatchObject({ id, memory_count: 1 })
    expect(await names({ user_id })).toEqual(['Acme Corp', 'Omar'])
    expect((await relationships(id)).relationships.map(({ type }) => type)).toEqual(['WORKS_AT'])
    const memories = await service.ok<ListAnswer>('GET', `/entities/${id}/memories`)
    expect(memories.memories.map(({ content }) => content)).toEqual(['Omar works at Acme Corp'])
    expect(memories.total).toBe(1)
  })

  it('filter a recall by id', async () => {
    const { id } = await entity('ana', 'Oslo')
    const found = await service.recall({ user_id: 'ana', query: 'John', entity: id })
    expect(found.memories.map(({ content }) => content)).toEqual(['John lives in Oslo'])
    expect((await service.recall({ user_id: 'bob', query: 'John', entity: id })).total).toBe(0)
  })

  it('are the same for two spellings of a name', async () => {
    await service.store({ user_id: 'alias', content: 'Tom works at Acme Corp' })
    await service.store({ user_id: 'alias', content: 'Ida works at Acme' })
    const orgs = await entities({ user_id: 'alias', type: 'ORG' })
    expect(orgs.total).toBe(1)
    expect(orgs.entities[0]?.memory_count).toBe(2)
  })

  it.each(['ent_01h455vb4pex5vsknk084sn02q', 'mem_01h455vb4pex5vsknk084sn02q', 'ent_x', 'x'.repeat(80)])(
    'get 404 for the id %s',
    async (id) => {
      for (const path of ['', '/relationships', '/memories']) {
        expect((await service.fails(404, 'GET', `/entities/${id}${path}`)).code).toBe('not_found')
      }
    },
  )

  it.each([{ type: 'ROBOT' }, { limit: '0' }, { page: '0' }, { unknown: 'x' }, { user_id: ['a', 'b'] }])(
    'get 400 for the query %o',
    async (query) => {
      expect((await service.fails(400, 'GET', '/entities', { query })).code).toBe('validation_error')
    },
  )

  it('get 400 for an invalid as_of of relationships', async () => {
    const { id } = await entity('ana', 'John')
    const error = await service.fails(400, 'GET', `/entities/${id}/relationships`, { query: { as_of: '2026-02-30' } })
    expect(error.details).toMatchObject([{ path: 'as_of' }])
  })
})
