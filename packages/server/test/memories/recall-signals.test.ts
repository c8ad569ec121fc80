/** Signals of recall beside meaning and words: speaker, time, and which statement answers which question. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/harness.js'

describe('POST /recall by speaker and time', () => {
  let service: TestService
  const now = Date.UTC(2024, 4, 15, 12)
  const at = (year: number, month: number, day: number) => new Date(Date.UTC(year, month - 1, day, 9)).toISOString()
  const contents = async (user_id: string, query: string, more: object = {}) =>
    (await service.recall({ user_id, query, ...more })).memories.map(({ content }) => content)

  beforeAll(async () => {
    let time = now
    const clock = {
      now: () => time,
      advance: (ms: number) => {
        time += ms
      },
      set: (ms: number) => {
        time = ms
      },
    }
    // Old memories must not lose to recent ones in these tests.
    service = await startService({ clock, env: { SERVICE_DECAY_ENABLED: 'false' } })
  })
  afterAll(() => service.close())

  it('prefers statements of the speaker whom the question names', async () => {
    await service.store({
      user_id: 'names',
      messages: [
        { role: 'user', name: 'Melanie', content: 'Paintings of the sea are what I make.' },
        { role: 'user', name: 'Caroline', content: 'Paintings of the wood are what I make.' },
        { role: 'user', name: 'Melanie', content: 'Pottery is fun.' },
        { role: 'user', name: 'Caroline', content: 'Running is fun.' },
      ],
    })
    expect((await contents('names', 'What paintings does Caroline make?'))[0]).toMatch(/^Caroline: Paintings/)
    expect((await contents('names', "Melanie's paintings: what does she make?"))[0]).toMatch(/^Melanie: Paintings/)
  })

  it('lowers the score if the question names another speaker', async () => {
    const says = (name: string, content: string) => ({ role: 'user', name, content })
    await service.store({
      user_id: 'mixed',
      messages: [
        says('Melanie', 'The charity race made me think about rest.'),
        says('Caroline', 'The adoption agency called on Monday.'),
        says('Melanie', 'My pottery class starts soon.'),
        says('Caroline', 'Counselling is the work for me.'),
      ],
    })
    const top = async (query: string) => (await service.recall({ user_id: 'mixed', query })).memories[0]?.score ?? 0
    expect(await top('What did Melanie think about after the charity race?')).toBeGreaterThan(
      await top('What did Caroline think about after the charity race?'),
    )
    expect(await top('What did Caroline hear from the adoption agency?')).toBeGreaterThan(
      await top('What did Melanie hear from the adoption agency?'),
    )
  })

  it('prefers the user’s statements for questions about “I”, and the assistant’s for questions about “you”', async () => {
    await service.store({
      user_id: 'chat',
      messages: [
        { role: 'user', content: 'The soup for my dinner was leek.' },
        { role: 'assistant', content: 'The soup for a dinner could be pumpkin.' },
        { role: 'user', content: 'Thanks, that is a good idea for Sunday.' },
        { role: 'assistant', content: 'With pleasure, enjoy the weekend together.' },
      ],
    })
    expect((await contents('chat', 'Which soup did I have for dinner?'))[0]).toBe('The soup for my dinner was leek.')
    expect((await contents('chat', 'Which soup did you suggest for dinner?'))[0]).toMatch(/^Assistant: .*pumpkin/)
  })

  it('prefers a statement that answered the same question', async () => {
    const says = (name: string, content: string) => ({ role: 'user', name, content })
    await service.store({
      user_id: 'reply',
      messages: [
        says('Ana', 'Where did your brother spend the winter holidays?'),
        says('Ben', 'With friends by a lake.'),
        says('Ana', 'The bakery closes early.'),
        says('Ben', 'Good to know.'),
      ],
    })
    const [first, second] = await contents('reply', 'Where did the brother of Ben spend the winter holidays?')
    expect([first, second]).toContain(
      'Ben: With friends by a lake. (asked: “Where did your brother spend the winter holidays?”)',
    )
    const { memories } = await service.recall({ user_id: 'reply', query: 'brother winter holidays', explain: true })
    const answer = memories.find(({ content }) => content.startsWith('Ben: With friends'))
    expect(answer?.explain).toMatchObject({ reply: { rank: 1 }, statement: { score: 1 } })
  })

  describe('time', () => {
    beforeAll(async () => {
      for (const [content, created_at] of [
        ['The team lunch was at the harbour', at(2022, 5, 4)],
        ['The team lunch was at the castle', at(2023, 5, 7)],
        ['The team lunch was at the mill', at(2024, 5, 14)],
        ['We moved into the new house', at(2023, 2, 1)],
      ]) {
        await service.store({ user_id: 'when', content, created_at })
      }
    })

    it.each([
      ['Where was the team lunch on 7 May 2023?', 'castle'],
      ['Where was the team lunch in 2022?', 'harbour'],
      ['Where was the team lunch last May?', 'castle'],
      ['Where was the team lunch two years ago?', 'harbour'],
      ['Where was the team lunch yesterday?', 'mill'],
      ['Where was the team lunch between March and June 2022?', 'harbour'],
      ['Where was the team lunch before we moved?', 'harbour'],
      ['Where was the team lunch after 2023?', 'mill'],
      ['Where was the team lunch before 2023?', 'harbour'],
    ])('ranks the memory of the right time first for “%s”', async (query, place) => {
      const lunches = (await contents('when', query)).filter((content) => content.includes('lunch'))
      expect(lunches[0]).toBe(`The team lunch was at the ${place}`)
    })

    it('is relative to as_of', async () => {
      const as_of = at(2023, 5, 8)
      expect((await contents('when', 'Where was the team lunch yesterday?', { as_of }))[0]).toContain('castle')
      expect((await contents('when', 'Where was the team lunch last year?', { as_of }))[0]).toContain('harbour')
    })

    it('does not hide an exact answer if the question names a wrong time', async () => {
      const [first] = await contents('when', 'When did we move into the new house, was it in May 2024?')
      expect(first).toBe('We moved into the new house')
    })

    it('has no effect on purely semantic recall or on a question without a time', async () => {
      const explained = async (query: string, more: object = {}) =>
        (await service.recall({ user_id: 'when', query, explain: true, ...more })).memories[0]?.explain
      expect(await explained('Where was the team lunch in 2022?')).toMatchObject({ time: { score: 1, rank: 1 } })
      expect(await explained('Where was the team lunch?')).toMatchObject({ time: null })
      expect(await explained('Where was the team lunch in 2022?', { enable_hybrid: false })).toMatchObject({
        ...{ keyword: null, graph: null, speaker: null, subject: null, time: null, reply: null, statement: null },
      })
    })

    it('finds a memory of that time among many that match equally badly', async () => {
      await service.store({ user_id: 'many', content: 'Aunt Vera visited', created_at: at(2022, 3, 3) })
      for (let month = 0; month < 4; month++) {
        const messages = Array.from({ length: 40 }, (_, index) => ({
          role: 'user',
          content: `I went swimming in the pool number ${month * 40 + index}.`,
          created_at: at(2024, month + 1, 1),
        }))
        await service.store({ user_id: 'many', messages })
      }
      expect((await contents('many', 'What happened on 3 March 2022?', { limit: 5 }))[0]).toBe('Aunt Vera visited')
    })
  })

  it('scores identical text near 1 and unrelated text near 0', async () => {
    const content = 'The spare key hangs behind the cellar door'
    await service.store({ user_id: 'scale', content })
    // The vector of a turn also contains the turn before it in the same conversation.
    await service.store({ user_id: 'scale', content: 'Breakfast is at eight', conversation_id: 'another' })
    const [same, other] = (await service.recall({ user_id: 'scale', query: content })).memories
    expect(same).toMatchObject({ content })
    expect(same?.score).toBeGreaterThan(0.9)
    expect(other?.score ?? 0).toBeLessThan(0.2)
    const unrelated = await service.recall({ user_id: 'scale', query: 'quarterly revenue of the steel industry' })
    for (const { score } of unrelated.memories) expect(score).toBeLessThan(0.2)
  })

  it('answers questions of 10,000 characters full of names and dates', async () => {
    for (const word of ['Caroline ', '7 May 2023 ', 'before ', 'I you said ', '??? ', 'a few ']) {
      const query = word.repeat(Math.floor(10_000 / word.length)).slice(0, 10_000)
      for (const user_id of ['names', 'when', 'nobody']) await service.recall({ user_id, query })
    }
  })
})
