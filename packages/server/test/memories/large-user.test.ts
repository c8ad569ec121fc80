/** A user who is too large for memory, beside the same user in a service where nobody is. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/harness.js'

const user_id = 'ana'
const notes: [content: string, more: object][] = [
  ['The kettle is red', { metadata: { run: 1 }, project: 'home' }],
  ['The kettle is broken since Tuesday', { metadata: { run: 2 }, source: 'import' }],
  ['The ladder leans on the garden wall', { created_at: '2025-06-01' }],
  ['Maria works at Globex', { metadata: { run: 3 } }],
  ['The piano tuner comes every March', {}],
  ['Our tent is green and stands in the attic', { project: 'boat' }],
]

describe('a user who is too large for memory', () => {
  let large: TestService
  let small: TestService
  beforeAll(async () => {
    large = await startService({ env: { SERVICE_INDEX_USER_MEMORIES: '2' } })
    small = await startService()
    for (const service of [large, small]) {
      for (const [content, more] of notes) await service.store({ user_id, content, ...more })
      await service.store({ user_id: 'bob', content: 'The kettle of Bob is blue' })
    }
  })
  afterAll(() => Promise.all([large, small].map((service) => service.close())))

  const recalled = async (service: TestService, more: object) => {
    const { memories, searched_in } = await service.recall({ user_id, query: 'kettle', explain: true, ...more })
    const found = memories.map(({ content, score, explain }) => ({ content, score: score.toFixed(6), explain }))
    return { searched_in, found }
  }

  it.each([
    { query: 'Where does Maria work?' },
    { query: 'What is in the attic?', limit: 3 },
    { query: 'kettle', enable_hybrid: false },
    { query: 'kettle', filters: { run: 1 } },
    { query: 'kettle', filter: { source: 'import' } },
    { query: 'kettle', project: 'home' },
    { query: 'kettle', entity: 'Maria' },
    { query: 'ladder', as_of: '2025-07-01' },
    { query: 'What happened in June 2025?' },
    { query: 'kettle', filter: { 'metadata.run': 99 } },
  ])('gets the same memories with the same scores for %j', async (more) => {
    const inStorage = await recalled(large, more)
    const inMemory = await recalled(small, more)
    expect(inStorage.found).toEqual(inMemory.found)
    expect(inStorage.searched_in).toBe('storage')
    expect(inMemory.searched_in).toBe('memory')
  })

  it('sees what was stored, changed and forgotten just before, and nothing of others', async () => {
    const contents = async (query: string, more: object = {}) =>
      (await large.recall({ user_id, query, limit: 50, ...more })).memories.map(({ content }) => content)
    const { id } = await large.storeOne({ user_id, content: 'The xylophone is in the cellar' })
    expect((await contents('xylophone'))[0]).toBe('The xylophone is in the cellar')
    await large.ok('PUT', `/memories/${id}`, { body: { content: 'The xylophone is in the kitchen' } })
    expect((await contents('xylophone'))[0]).toBe('The xylophone is in the kitchen')
    expect(await contents('xylophone')).not.toContain('The xylophone is in the cellar')
    await large.ok('DELETE', `/memories/${id}`)
    expect((await contents('xylophone', { include_history: true })).join()).not.toContain('xylophone')
    expect((await contents('kettle')).join()).not.toContain('Bob')
    await large.ok('DELETE', '/memories', { body: { user_id, all: true } })
    expect(await contents('kettle', { include_history: true })).toEqual([])
  })
})
