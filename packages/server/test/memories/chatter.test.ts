import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/harness.js'

const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })

describe('what is not a memory', () => {
  let service: TestService
  let users = 0
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  const newUser = () => `user-${users++}`
  const contents = async (body: object) =>
    (await service.store({ user_id: newUser(), ...body })).memories.map(({ content }) => content)

  it.each([
    'What’s the capital of Peru?',
    'How are you?',
    'what did I say about the car?',
    'can you make it shorter',
    'Good morning! How are you today (25 January 2026)?',
    'lol ok thanks',
    'ok',
  ])('of a user: %s', async (text) => {
    expect(await contents({ content: text })).toEqual([])
    expect(await contents({ messages: [user(text)] })).toEqual([])
  })

  it.each(['Sure! What kind of food do you like?', 'Great question!', 'Let me know if you need anything else.'])(
    'of an assistant: %s',
    async (text) => {
      expect(await contents({ content: `Assistant: ${text}` })).toEqual([])
      expect(await contents({ messages: [assistant(text)] })).toEqual([])
    },
  )

  it.each(['any vegan places near my new office in Leeds?', 'Is Anna still at Globex?', 'no, the 14th'])(
    'but a question or fragment that states something is: %s',
    async (text) => {
      expect(await contents({ content: text })).toEqual([text])
      expect(await contents({ messages: [user(text)] })).toEqual([text])
    },
  )

  it.each(['write tests with vitest', 'respond with diffs only', 'ask before deleting files', 'answer in German'])(
    'but a rule that holds from now on is: %s',
    async (text) => {
      expect(await contents({ content: text })).toEqual([text])
      expect(await contents({ messages: [user(text)] })).toEqual([text])
    },
  )

  it('but a note in the form of a question is, as a statement', async () => {
    const text = 'can you remember that my locker is C118?'
    expect(await contents({ content: text })).toEqual(['remember that my locker is C118'])
    expect(await contents({ messages: [user('did you know I’m left-handed? Thanks!')] })).toEqual([
      'I’m left-handed. Thanks!',
    ])
  })

  it('but a sentence of a written text is, unless the text says nothing at all', async () => {
    const guide =
      '# Errors\n\nThe service reports its own errors.\n\nThrow AppError with a code.\n\nExplain the error.\n'
    const stored = (await contents({ content: guide })).join(' ')
    expect(stored).toContain('Throw AppError with a code.')
    expect(stored).toContain('Explain the error.')
    expect(await contents({ content: 'Good morning!\n\nHow are you?\n\nTell me a joke.' })).toEqual([])
  })

  it('but information that an assistant gave is', async () => {
    const text = 'I recommend the Lotus Garden in Soho. Would you like to know more?'
    const messages = [user('Where should I eat?'), assistant(text)]
    expect(await contents({ messages })).toEqual([`Assistant: ${text}`])
  })

  it('with remember_assistant everything that the assistant says is, except small talk', async () => {
    const messages = [assistant('Sure! What kind of food do you like?'), assistant('You’re welcome!')]
    expect(await contents({ messages, remember_assistant: true })).toEqual([
      'Assistant: Sure! What kind of food do you like?',
    ])
    expect(await contents({ messages, remember_assistant: false })).toEqual([])
    const error = await service.fails(400, 'POST', '/store', { body: { messages, remember_assistant: 'yes' } })
    expect(error.details).toMatchObject([{ path: 'remember_assistant' }])
  })

  it('is what people ask each other: their questions stay', async () => {
    const messages = [
      { ...user('Where do you usually spend the summer?'), name: 'Ann' },
      { ...user('At the lake.'), name: 'Bob' },
    ]
    expect(await contents({ messages })).toEqual([
      'Ann: Where do you usually spend the summer?',
      'Bob: At the lake. (asked: “Where do you usually spend the summer?”)',
    ])
  })

  it('stays in the record of the text and is the context of an answer', async () => {
    const question = 'What time do you usually have dinner?'
    const messages = [assistant(question), user('20:30')]
    const user_id = newUser()
    const { memories } = await service.store({ user_id, messages })
    expect(memories.map(({ content }) => content)).toEqual([`20:30 (asked: “${question}”)`])
    const { provenance } = await service.ok<{ provenance: readonly { text: string }[] }>(
      'GET',
      `/memories/${memories[0]?.id}/history`,
    )
    expect(provenance[0]?.text).toBe(`${question}\n20:30`)
  })

  it('is a bare answer to an offer, but not one that says more', async () => {
    const offer = assistant('Shall I add a title?')
    expect(await contents({ messages: [offer, user('sure, why not')] })).toEqual([])
    expect(await contents({ messages: [offer, user('no titles in my notes, ever')] })).toEqual([
      'no titles in my notes, ever',
    ])
  })

  it('keeps a question with the statement of its turn', async () => {
    const text = 'Does the API support paging? Only with cursors.'
    expect((await contents({ content: text })).join(' ')).toBe(text)
    const asking = 'I moved to Leeds. Are there any good parks?'
    expect(await contents({ content: asking })).toEqual(await contents({ messages: [user(asking)] }))
    expect((await contents({ content: asking }))[0]).toContain('I moved to Leeds.')
  })
})

describe('a text that is long enough to say something', () => {
  let service: TestService
  beforeAll(async () => {
    // A model that takes everything for chatter.
    service = await startService({
      judge: {
        modelId: 'scripted',
        judge: async () => [],
        weigh: async (turns) => turns.map(() => ({ worth: 0, changes: 0 })),
        close: async () => undefined,
      },
    })
  })
  afterAll(() => service.close())

  const chinese = '周末的时候我会和父母一起去公园散步，然后在一家很小的茶馆里喝茶。'
  it.each([
    ['in English', 'We walk in the park with my parents and drink tea afterwards. '.repeat(7).trim()],
    ['in Chinese, which needs fewer characters', chinese.repeat(4)],
  ])('is kept: %s', async (_, content) => {
    expect((await service.store({ user_id: 'ana', content })).memories).not.toEqual([])
  })

  it('is kept as part of a written text, and so is a rule', async () => {
    const guide = 'Meals are at noon.\n\nFix the table.\n\nSort spoons alphabetically.'
    const { memories } = await service.store({ user_id: 'ben', content: guide })
    expect(memories.map(({ content }) => content).join(' ')).toBe(guide.replace(/\n+/g, ' '))
  })

  it('unlike a short one', async () => {
    expect((await service.store({ user_id: 'ana', content: chinese })).memories).toEqual([])
  })
})
