import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EntitiesAnswer, RelationshipsAnswer } from '../support/contract.js'
import { startService, type TestService } from '../support/harness.js'

/** The clock of the service is at 2026-03-02, a Monday. */
describe('self-contained memories', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  const says = (name: string, content: string, created_at?: string) => ({
    role: 'user',
    name,
    content,
    ...(created_at === undefined ? {} : { created_at }),
  })
  const contents = async (body: object) => (await service.store(body)).memories.map(({ content }) => content)

  it('resolve relative dates by the time of the message, of the request, or now', async () => {
    expect(await contents({ user_id: 'when', content: 'I fell yesterday.' })).toEqual([
      'I fell yesterday (1 March 2026).',
    ])
    const created_at = '2024-03-01T09:00:00Z'
    expect(await contents({ user_id: 'when', content: 'I fell yesterday.', created_at })).toEqual([
      'I fell yesterday (29 February 2024).',
    ])
    const messages = [says('Ann', 'I start next Friday.', '2025-07-16T09:00:00Z')]
    expect(await contents({ user_id: 'when', messages })).toEqual(['Ann: I start next Friday (25 July 2025).'])
  })

  it('are the same for the same sentence on the same day, and different on another day', async () => {
    const store = async (created_at: string) =>
      (await service.store({ user_id: 'again', content: 'I ran ten miles today.', created_at })).memories[0]?.action
    expect(await store('2025-05-01T09:00:00Z')).toBe('ADD')
    expect(await store('2025-05-01T19:00:00Z')).toBe('NOOP')
    expect(await store('2025-05-02T09:00:00Z')).toBe('ADD')
  })

  it('name the person behind a pronoun, and link the fact to that person', async () => {
    const user_id = 'who'
    expect(await contents({ user_id, content: 'Anna lives in Hamburg. She works at Acme Corp.' })).toEqual([
      'Anna lives in Hamburg.',
      'She (Anna) works at Acme Corp.',
    ])
    const { entities } = await service.ok<EntitiesAnswer>('GET', '/entities', { query: { user_id, q: 'Anna' } })
    const { relationships } = await service.ok<RelationshipsAnswer>('GET', `/entities/${entities[0]?.id}/relationships`)
    expect(relationships.map(({ type, target }) => `${type} ${target}`).sort()).toEqual([
      'LIVES_IN Hamburg',
      'WORKS_AT Acme Corp',
    ])
  })

  it('supersede only one fact of a turn, and keep its other facts', async () => {
    const user_id = 'apart'
    await service.store({
      user_id,
      messages: [{ role: 'user', content: 'I live in Berlin. My garden is full of roses.' }],
    })
    const { memories } = await service.store({ user_id, messages: [{ role: 'user', content: 'I live in Paris.' }] })
    expect(memories.map(({ action }) => action)).toEqual(['UPDATE'])
    const { memories: found } = await service.recall({ user_id, query: 'garden roses', limit: 10 })
    expect(found.map(({ content }) => content).sort()).toEqual(['I live in Paris.', 'My garden is full of roses.'])
  })

  it('exclude small talk, which stays as provenance of the neighbouring memory', async () => {
    const messages = [says('Ann', 'Hi Bob!'), says('Bob', 'I moved to Graz yesterday.'), says('Ann', 'ok, thanks!')]
    const { memories } = await service.store({ user_id: 'small', messages })
    expect(memories.map(({ content }) => content)).toEqual(['Bob: I moved to Graz yesterday (1 March 2026).'])
    const history = await service.ok<{ provenance: readonly object[] }>('GET', `/memories/${memories[0]?.id}/history`)
    expect(history.provenance).toMatchObject([{ text: 'Hi Bob!\nI moved to Graz yesterday.\nok, thanks!' }])
  })

  it('include the question with a short answer', async () => {
    const messages = [says('Ann', 'Where do you live?'), says('Bob', 'In Berlin.')]
    expect(await contents({ user_id: 'asked', messages })).toEqual([
      'Ann: Where do you live?',
      'Bob: In Berlin. (asked: “Where do you live?”)',
    ])
  })

  it('are the same for a dialogue in one text as for messages', async () => {
    const content = 'Ann: My sister Rosa moved to Oslo.\nBob: Does she like it there?'
    expect(await contents({ user_id: 'written', content })).toEqual([
      'Ann: My sister Rosa moved to Oslo.',
      'Bob: Does she (Rosa) like it there (Oslo)?',
    ])
  })
})
