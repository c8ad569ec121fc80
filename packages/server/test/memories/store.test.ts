import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type EntitiesAnswer,
  type EntityItem,
  isoPattern,
  memoryIdPattern,
  type RelationshipsAnswer,
  type StoreAnswer,
} from '../support/contract.js'
import { startService, type TestService } from '../support/harness.js'

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex')

describe('POST /store', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  it('returns the stored memory with all fields, and the numbers of entities and relationships', async () => {
    const { body } = await service.call<StoreAnswer>('POST', '/store', {
      body: { user_id: 'fields', content: 'John works at Acme Corp', project: 'crm', source: 'meeting' },
    })
    expect(body).toMatchObject({ status: 'success', entities_extracted: 2, relationships_created: 1 })
    expect(body.memories).toHaveLength(1)
    const [item] = body.memories
    expect(item).toMatchObject({
      content: 'John works at Acme Corp',
      action: 'ADD',
      project: 'crm',
      source: 'meeting',
      trust_score: 1,
      expires_at: null,
      checksum: sha256('John works at Acme Corp'),
      created_at: '2026-03-02T10:00:00.000Z',
    })
    expect([...(item?.entities ?? [])].sort()).toEqual(['Acme Corp', 'John'])
    expect(item?.id).toMatch(memoryIdPattern)
  })

  it('extracts a person, an organisation, and the relationship between them', async () => {
    await service.store({ user_id: 'example', content: 'John works at Acme Corp' })
    const { entities } = await service.ok<EntitiesAnswer>('GET', '/entities', {
      query: { user_id: 'example' },
    })
    expect(entities.map(({ name, type }) => `${name} ${type}`).sort()).toEqual(['Acme Corp ORG', 'John PERSON'])
    const john = entities.find(({ name }) => name === 'John')
    const { relationships } = await service.ok<RelationshipsAnswer>('GET', `/entities/${john?.id}/relationships`)
    expect(relationships).toMatchObject([{ source: 'John', target: 'Acme Corp', type: 'WORKS_AT' }])
  })

  it('attributes first-person statements to the user, who is an entity of type person', async () => {
    const stored = await service.store({ user_id: 'speaker', content: 'I work at Acme' })
    expect(stored.relationships_created).toBe(1)
    const { entities } = await service.ok<EntitiesAnswer>('GET', '/entities', {
      query: { user_id: 'speaker', type: 'ORG' },
    })
    expect(entities).toMatchObject([{ name: 'Acme', type: 'ORG' }])
    const { relationships } = await service.ok<RelationshipsAnswer>('GET', `/entities/${entities[0]?.id}/relationships`)
    expect(relationships).toMatchObject([{ target: 'Acme', type: 'WORKS_AT' }])
    const { entity } = await service.ok<{ entity: EntityItem }>('GET', `/entities/${relationships[0]?.source_id}`)
    expect(entity).toMatchObject({ type: 'PERSON' })
  })

  it('returns NOOP with the existing id for a known memory of the project, and counts an access', async () => {
    const first = await service.storeOne({ user_id: 'noop', content: 'The garage code is kept by Maria' })
    const again = await service.storeOne({ user_id: 'noop', content: 'The garage code is kept by Maria' })
    expect(first.action).toBe('ADD')
    expect(again).toMatchObject({ action: 'NOOP', id: first.id })
    expect((await service.memory(first.id)).access_count).toBe(1)
    expect((await service.list({ user_id: 'noop' })).total).toBe(1)
  })

  it('extends the TTL of a memory that is stored again with a longer one, and never shortens it', async () => {
    const said = { user_id: 'longer', content: 'The alarm code is kept by Otto' }
    const first = await service.storeOne({ ...said, ttl: '1d' })
    const longer = await service.storeOne({ ...said, ttl: '7d' })
    expect(longer).toMatchObject({ action: 'NOOP', id: first.id, expires_at: '2026-03-09T10:00:00.000Z' })
    const forGood = await service.storeOne(said)
    expect(forGood).toMatchObject({ action: 'NOOP', id: first.id, expires_at: null })
    expect(await service.storeOne({ ...said, ttl: '1h' })).toMatchObject({ id: first.id, expires_at: null })
    expect(await service.memory(first.id)).toMatchObject({ expires_at: null })
    expect((await service.list({ user_id: 'longer' })).total).toBe(1)
  })

  it('adds the same text again in another project and for another user', async () => {
    const content = 'The office closes at six'
    const plain = await service.storeOne({ user_id: 'apart', content })
    const inProject = await service.storeOne({ user_id: 'apart', content, project: 'p' })
    const ofOther = await service.storeOne({ user_id: 'apart-2', content })
    expect([plain.action, inProject.action, ofOther.action]).toEqual(['ADD', 'ADD', 'ADD'])
    expect(new Set([plain.id, inProject.id, ofOther.id]).size).toBe(3)
  })

  it('returns UPDATE with the superseded ids for a contradicting fact, and removes the old one from recall and list', async () => {
    const old = await service.storeOne({ user_id: 'update', content: 'John works at Acme Corp' })
    service.clock.advance(1000)
    const fresh = await service.storeOne({ user_id: 'update', content: 'John works at Globex' })
    expect(fresh).toMatchObject({ action: 'UPDATE', supersedes: [old.id] })
    const recalled = await service.recall({ user_id: 'update', query: 'Where does John work?' })
    expect(recalled.memories.map(({ id }) => id)).toEqual([fresh.id])
    expect((await service.list({ user_id: 'update' })).memories.map(({ id }) => id)).toEqual([fresh.id])
    const history = await service.recall({ user_id: 'update', query: 'Where does John work?', include_history: true })
    expect(history.memories.map(({ id }) => id).sort()).toEqual([old.id, fresh.id].sort())
  })

  it('does not supersede across projects or users', async () => {
    const kept = await service.storeOne({ user_id: 'scoped', content: 'Dana works at Acme Corp', project: 'a' })
    const other = await service.storeOne({ user_id: 'scoped', content: 'Dana works at Globex', project: 'b' })
    const foreign = await service.storeOne({ user_id: 'scoped-2', content: 'Dana works at Initech', project: 'a' })
    expect([other.action, foreign.action]).toEqual(['ADD', 'ADD'])
    expect((await service.list({ user_id: 'scoped', project: 'a' })).memories.map(({ id }) => id)).toEqual([kept.id])
  })

  it('splits a text of several facts into self-contained memories, each with an id and a checksum', async () => {
    const { memories } = await service.store({
      user_id: 'several',
      content: 'John works at Acme Corp. I love hiking in the mountains. My sister Anna lives in Oslo.',
    })
    expect(memories.length).toBeGreaterThanOrEqual(2)
    expect(new Set(memories.map(({ id }) => id)).size).toBe(memories.length)
    for (const memory of memories) expect(memory.checksum).toBe(sha256(memory.content))
  })

  it('accepts a conversation as messages instead of content', async () => {
    const { memories } = await service.store({
      user_id: 'chat',
      messages: [
        { role: 'user', name: 'Ana', content: 'I moved to Lisbon last spring.', created_at: '2026-02-01T08:00:00Z' },
        { role: 'assistant', content: 'Lisbon has wonderful light.' },
      ],
    })
    expect(memories.length).toBeGreaterThanOrEqual(1)
    const { memories: found } = await service.recall({ user_id: 'chat', query: 'moved to Lisbon' })
    expect(found[0]?.content).toContain('Lisbon')
    expect(found.map(({ created_at }) => created_at)).toContain('2026-02-01T08:00:00.000Z')
  })

  it('resolves “I” in a message to its named speaker, or to the user without a name', async () => {
    const user_id = 'speakers'
    await service.store({
      user_id,
      messages: [
        { role: 'user', name: 'Ana', content: 'I work at Globex.' },
        { role: 'user', content: 'I work at Initech.' },
      ],
    })
    const { entities } = await service.ok<EntitiesAnswer>('GET', '/entities', { query: { user_id } })
    const employer = async (org: string) => {
      const id = entities.find(({ name }) => name === org)?.id
      const { relationships } = await service.ok<RelationshipsAnswer>('GET', `/entities/${id}/relationships`)
      return relationships.filter(({ type }) => type === 'WORKS_AT').map(({ source }) => source)
    }
    expect(await employer('Globex')).toEqual(['Ana'])
    const [speaker] = await employer('Initech')
    expect(speaker).not.toBe('Ana')
    expect(entities.find(({ name }) => name === speaker)?.type).toBe('PERSON')
  })

  it('imports past memories with created_at, with or without an offset', async () => {
    const item = await service.storeOne({
      user_id: 'past',
      content: 'We met in Prague',
      created_at: '2020-05-01T12:00:00+02:00',
    })
    expect(item.created_at).toBe('2020-05-01T10:00:00.000Z')
  })

  it('returns every timestamp in UTC with milliseconds', async () => {
    const item = await service.storeOne({ user_id: 'times', content: 'The kettle is blue', ttl: '7d' })
    expect(item.created_at).toMatch(isoPattern)
    expect(item.expires_at).toMatch(isoPattern)
  })

  it('trims content and otherwise preserves it', async () => {
    const item = await service.storeOne({ user_id: 'trim', content: ' \n The lamp  flickers \t' })
    expect(item.content).toBe('The lamp  flickers')
  })

  it.each([
    ['no content', {}, 'content'],
    ['only white space', { content: ' \n\t ' }, 'content'],
    ['empty content', { content: '' }, 'content'],
    ['50,001 characters', { content: 'a'.repeat(50_001) }, 'content'],
    ['content that is not a string', { content: 12 }, 'content'],
    ['content and messages', { content: 'both here', messages: [{ role: 'user', content: 'x' }] }, undefined],
    ['no messages', { messages: [] }, 'messages'],
    ['only blank messages', { messages: [{ role: 'user', content: ' \n' }] }, 'messages[0].content'],
    ['a message without content', { messages: [{ role: 'user' }] }, 'messages[0].content'],
    ['a message of an unknown role', { messages: [{ role: 'king', content: 'x' }] }, 'messages[0].role'],
    ['created_at in the future', { content: 'tomorrow', created_at: '2026-03-03T10:00:00Z' }, 'created_at'],
    ['created_at on 30 February', { content: 'never', created_at: '2025-02-30T00:00:00Z' }, 'created_at'],
    ['a misspelt field', { content: 'typo', tll: '7d' }, 'tll'],
    ['an invalid ttl', { content: 'odd', ttl: '7 days' }, 'ttl'],
    ['metadata that is a list', { content: 'list', metadata: [] }, 'metadata'],
    ['an empty user', { content: 'x', user_id: '' }, 'user_id'],
  ])('refuses %s, names the field and writes nothing', async (_name, body, path) => {
    const error = await service.fails(400, 'POST', '/store', { body: { user_id: 'refused', ...body } })
    expect(error.code).toBe('validation_error')
    if (path !== undefined) expect(error.details?.map((detail) => detail.path)).toContain(path)
    expect((await service.list({ user_id: 'refused' })).total).toBe(0)
  })

  it('requires a user_id if authentication is off', async () => {
    const error = await service.fails(400, 'POST', '/store', { body: { content: 'whose is this' } })
    expect(error.details).toMatchObject([{ path: 'user_id' }])
  })

  it('stores 50,000 characters and returns all of them', async () => {
    const content = 'The quick brown fox jumps over the lazy dog. '.repeat(1112).slice(0, 49_999).trimEnd()
    const { memories } = await service.store({ user_id: 'long', content })
    const { total } = await service.list({ user_id: 'long', limit: 500 })
    expect(total).toBe(memories.length)
    expect(memories.length).toBeGreaterThan(0)
  })
})

describe('read-your-writes', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  it('recalls a memory as soon as its store has returned', async () => {
    for (let round = 0; round < 60; round++) {
      const { id } = await service.storeOne({
        user_id: 'reader',
        content: `Parcel number ${round} went to shelf s${round}`,
      })
      const { memories } = await service.recall({
        user_id: 'reader',
        query: `Parcel number ${round} shelf s${round}`,
        limit: 100,
      })
      expect(memories.map((memory) => memory.id)).toContain(id)
    }
  })

  it('recalls it as soon as concurrent stores of many users have returned', async () => {
    const one = async (user: number, round: number) => {
      const { id } = await service.storeOne({
        user_id: `u${user}`,
        content: `Crate ${round} of user ${user} holds item i${round}`,
      })
      const { memories } = await service.recall({
        user_id: `u${user}`,
        query: `Crate ${round} item i${round}`,
        limit: 100,
      })
      expect(memories.map((memory) => memory.id)).toContain(id)
    }
    await Promise.all(Array.from({ length: 120 }, (_, index) => one(index % 8, index)))
  })

  it('keeps one memory when the same text is stored concurrently', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        service.storeOne({ user_id: 'same', content: 'The red bicycle is in the shed' }),
      ),
    )
    expect(answers.filter(({ action }) => action === 'ADD')).toHaveLength(1)
    expect(answers.filter(({ action }) => action === 'NOOP')).toHaveLength(19)
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
    expect((await service.list({ user_id: 'same' })).total).toBe(1)
  })

  it('does not recall a memory after its deletion has returned', async () => {
    for (let round = 0; round < 20; round++) {
      const { id } = await service.storeOne({ user_id: 'eraser', content: `Secret drawer number ${round}` })
      await service.ok('DELETE', '/memories', { body: { memory_ids: [id] } })
      const { memories } = await service.recall({ user_id: 'eraser', query: `Secret drawer number ${round}` })
      expect(memories.map((memory) => memory.id)).not.toContain(id)
    }
  })
})
