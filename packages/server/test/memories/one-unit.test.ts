import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EntitiesAnswer, RelationshipsAnswer, StoredItem } from '../support/contract.js'
import { startService, type TestService } from '../support/harness.js'

const says = (name: string, content: string) => ({ role: 'user', name, content })

/** The examples of text that people send as `content`, turn by turn, or with chatter. */
describe('the same words give the same memories, however they are sent', () => {
  let service: TestService
  let users = 0
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  const newUser = () => `user-${users++}`
  const stored = async (user_id: string, body: object) =>
    (await service.store({ user_id, ...body })).memories.map(({ content, action, entities }: StoredItem) => ({
      content,
      action,
      entities: [...entities].sort(),
    }))

  it('as “Name: text” in content, and as a message', async () => {
    const text = 'My dog Toby is ill. I hate waiting at the vet.'
    const memories = await stored(newUser(), { content: `Audrey: ${text}` })
    expect(memories).toEqual(await stored(newUser(), { messages: [says('Audrey', text)] }))
    expect(memories.map(({ content }) => content)).toEqual([`Audrey: ${text}`])
  })

  it('and are the same memory, so that the second is a NOOP', async () => {
    const user_id = newUser()
    await service.store({ user_id, content: 'Audrey: I keep bees. They are calm.' })
    const { memories } = await service.store({ user_id, messages: [says('Audrey', 'I keep bees. They are calm.')] })
    expect(memories).toMatchObject([{ action: 'NOOP' }])
  })

  it('as a transcript in content, and as messages', async () => {
    const turns = [
      says('Audrey', 'My sister Rosa moved to Oslo. She loves it.'),
      says('Muhhamed', 'Does she work there?'),
      says('Audrey', 'Yes, at Globex.'),
    ]
    const content = turns.map((turn) => `${turn.name}: ${turn.content}`).join('\n')
    expect(await stored(newUser(), { content })).toEqual(await stored(newUser(), { messages: turns }))
  })

  it('and a label keeps the space before its colon, as French writes it', async () => {
    const content = 'Voiture : Dacia Sandero bleue, contrôle à repasser avant le 18 septembre'
    expect((await stored(newUser(), { content })).map((memory) => memory.content)).toEqual([content])
  })

  it('with every fact about the speaker, and none about the user', async () => {
    const user_id = newUser()
    await service.store({ user_id, content: 'Audrey: The weather is grey. I work at Globex. I live in Oslo.' })
    const { entities } = await service.ok<EntitiesAnswer>('GET', '/entities', { query: { user_id } })
    const audrey = entities.find(({ name }) => name === 'Audrey')
    const { relationships } = await service.ok<RelationshipsAnswer>('GET', `/entities/${audrey?.id}/relationships`)
    expect(relationships.map(({ type, target }) => `${type} ${target}`).sort()).toEqual([
      'LIVES_IN Oslo',
      'WORKS_AT Globex',
    ])
    expect(entities.map(({ name }) => name)).not.toContain(user_id)
  })

  it('and what only looks like a speaker stays the user’s own statement', async () => {
    for (const label of ['Note', 'TODO', 'Warning', 'Subject', 'Update', 'Allergies', 'Berlin', 'Monday']) {
      const user_id = newUser()
      await service.store({ user_id, content: `${label}: I work at Globex.` })
      const { entities } = await service.ok<EntitiesAnswer>('GET', '/entities', { query: { user_id, type: 'PERSON' } })
      expect(entities.map(({ name }) => name)).toEqual([user_id])
    }
  })
})

describe('nothing is lost', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  const contents = async (body: object) => (await service.store(body)).memories.map(({ content }) => content)

  it('skips a blank turn and stores the others of its batch', async () => {
    const messages = [says('Ann', 'I moved to Graz.'), says('Bob', ' \n'), says('Ann', 'My cat is grey.')]
    expect(await contents({ user_id: 'blank', messages })).toEqual(['Ann: I moved to Graz.', 'Ann: My cat is grey.'])
  })

  it('reports the place of a problem among all messages, blank ones included', async () => {
    const messages = [says('Ann', ''), { ...says('Bob', 'I moved.'), created_at: '2030-01-01T00:00:00Z' }]
    const error = await service.fails(400, 'POST', '/store', { body: { user_id: 'blank', messages } })
    expect(error.details).toMatchObject([{ path: 'messages[1].created_at' }])
  })

  it('keeps a number that starts a text', async () => {
    const content = '97. My mum won half the battle.'
    expect(await contents({ user_id: 'number', content })).toEqual([content])
    const messages = [says('Ann', 'How many guests came?'), says('Bob', content)]
    expect(await contents({ user_id: 'number', messages })).toEqual(['Ann: How many guests came?', `Bob: ${content}`])
  })

  it('lets no fragment supersede a longer memory', async () => {
    const user_id = 'fragment'
    const longer = 'Glad your dance videos are doing well online. Keep going like that!'
    await service.store({ user_id, messages: [says('Gina', longer)] })
    const { memories } = await service.store({ user_id, messages: [says('Gina', 'Keep going like that!')] })
    expect(memories).toMatchObject([{ action: 'ADD' }])
    const again = await service.store({ user_id, messages: [says('Gina', `Wow, a new studio. ${longer}`)] })
    expect(again.memories).toMatchObject([{ action: 'ADD' }])
    expect((await service.list({ user_id })).total).toBe(3)
  })
})

describe('chatter', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  it.each([
    [{ content: 'ok' }],
    [{ content: 'lol ok thanks' }],
    [{ content: 'Good morning! How are you today?' }],
    [{ content: 'Keep it up!' }],
    [{ content: 'Audrey: Thanks!' }],
    [{ messages: [says('Ann', 'Hi Bob!'), says('Bob', 'Hello! How are you?')] }],
  ])('yields success without memories, and nothing is kept: %j', async (body) => {
    const user_id = 'chatter'
    const answer = await service.store({ user_id, ...body })
    expect(answer).toEqual({ status: 'success', memories: [], entities_extracted: 0, relationships_created: 0 })
    expect((await service.list({ user_id })).total).toBe(0)
    expect(service.audit('memory.store').at(-1)).toMatchObject({ memory_id: null, outcome: 'success' })
  })

  it('is returned again for a repeated request with the same Idempotency-Key', async () => {
    const send = () =>
      service.call('POST', '/store', {
        body: { user_id: 'chatter', content: 'ok' },
        headers: { 'idempotency-key': 'chatter-1' },
      })
    const [first, second] = [await send(), await send()]
    expect(second.body).toEqual(first.body)
    expect(second.headers['idempotency-replayed']).toBe('true')
  })

  it.each(['Yes, Berlin.', '97', 'Thanks, I moved to Paris.', 'ok but I quit', 'Hi, I am Marta and I am 34'])(
    'does not swallow a statement: %s',
    async (content) => {
      await service.storeOne({ user_id: 'statement', content })
    },
  )
})
