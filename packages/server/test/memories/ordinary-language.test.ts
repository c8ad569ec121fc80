/** Memory as people speak, over HTTP and with the models that ship. Each test has a user of its own. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { EntitiesAnswer } from '../support/contract.js'
import { hourMs, manualClock, startService, type TestService } from '../support/harness.js'

interface Side {
  readonly id: string
  readonly content: string
}
interface Contradiction {
  readonly id: string
  readonly status: string
  readonly old: Side
  readonly new: Side
  readonly part: { readonly text: string } | null
}
type Asked = readonly [question: string, word: string]

let service: TestService
let users = 0
let user_id = ''
beforeAll(async () => {
  service = await startService({ realModels: true, clock: manualClock(), languageModel: null })
})
beforeEach(() => {
  user_id = `user-${users++}`
})
afterAll(() => service.close())

/** Stores texts a minute apart, as `content`. */
async function say(...texts: readonly string[]): Promise<string[]> {
  const contents: string[] = []
  for (const content of texts) {
    service.clock.advance(60_000)
    contents.push(...(await service.store({ user_id, content })).memories.map((memory) => memory.content))
  }
  return contents
}
const later = () => service.clock.advance(24 * hourMs)
const recall = async (query: string) => service.recall({ user_id, query })
const recalled = async (query: string) => (await recall(query)).memories.map(({ content }) => content)
const contradictions = async () =>
  (await service.ok<{ contradictions: readonly Contradiction[] }>('GET', '/contradictions', { query: { user_id } }))
    .contradictions
const decide = (id: string, verdict: 'accept' | 'revert') => service.ok('POST', `/contradictions/${id}/${verdict}`)
const entities = async () =>
  (await service.ok<EntitiesAnswer>('GET', '/entities', { query: { user_id, limit: 100 } })).entities
const entityNames = async () => (await entities()).map(({ name }) => name.toLowerCase())

describe('a fact that changes', () => {
  it('is current with its latest value after each correction', async () => {
    const question = 'Who is my dentist?'
    await say('My dentist is Dr. Bergström.')
    await say('Actually my dentist is Dr. Berglund.')
    expect((await recalled(question))[0]).toContain('Berglund')
    await say('My dentist is Dr. Berg, not Berglund.')
    const [first, ...others] = await recalled(question)
    expect(first).toBe('My dentist is Dr. Berg, not Berglund.')
    expect(others.join(' ')).not.toContain('Bergström')
  })

  /** The newer statement comes first, and the older one is replaced or listed as contradicted. */
  async function expectChange(old: string, fresh: string, question: string): Promise<void> {
    const [before] = await say(old)
    const [after] = await say(fresh)
    expect(after).toBe(fresh)
    expect((await recalled(question))[0]).toBe(after)
    expect(await contradictions()).toMatchObject([{ old: { content: before }, new: { content: after } }])
  }

  it.each<[old: string, fresh: string, question: string]>([
    ['We use npm for the frontend.', 'We use pnpm now.', 'Which package manager do we use?'],
    ['The default branch is master.', 'The default branch is now main.', 'What is the default branch?'],
    ['Our daily standup is at 9:30.', 'standup got pushed to 10', 'When is the standup?'],
    ['Our CI runs on Travis.', 'we moved from Travis to GitHub Actions', 'Where does our CI run?'],
    ['My phone number ends in 4471.', 'I got a new number, it ends in 9920', 'What is my phone number?'],
    ['The launch is on the 12th of May.', "scratch that, it's the 14th", 'When is the launch?'],
    ["I'm dating Sam.", 'we broke up', 'Am I in a relationship?'],
    ['I have an old Canon camera.', 'sold it', 'Do I have a camera?'],
    ["I'm a vegetarian.", "I'm not vegetarian anymore", 'Am I a vegetarian?'],
    ["I'm a vegetarian.", 'not vegetarian anymore', 'Am I a vegetarian?'],
    ['My yoga class is on Mondays.', 'now on Thursdays', 'When is my yoga class?'],
    ['My pottery class is on Tuesdays.', 'pottery class is now on Thursdays', 'When is my pottery class?'],
    ['The monthly budget is 80 euros.', 'raised to 100', 'What is the monthly budget?'],
    ['The API rate limit is 60 requests per minute.', 'the rate limit was raised to 100', 'What is the rate limit?'],
  ])('%s → %s', expectChange)

  it('I drive a red Volvo V60. → sold it', () =>
    expectChange('I drive a red Volvo V60.', 'sold it', 'Do I have a car?'))
})

describe('a change of one fact among several', () => {
  const introduction = "Hi! I'm Marta Lindqvist, I'm 34 and I live in Gothenburg with my husband Jonas and our two kids"
  const husband: Asked = ['What is the name of my husband?', 'Jonas']
  const others: readonly Asked[] = [
    ['How old am I?', '34'],
    ['What is my full name?', 'Lindqvist'],
    ['How many kids do I have?', 'two kids'],
  ]
  const elsewhere = [
    'My sister Karin plays the violin.',
    'The kitchen was painted green in April.',
    'I am allergic to hazelnuts.',
    'My boss is called Ibrahim.',
    'The car needs new winter tyres.',
    'Aunt Vera is 71 and lives in Turku.',
  ]

  async function introduce(fresh: string): Promise<void> {
    await service.store({ user_id, messages: elsewhere.map((content) => ({ role: 'user', content })) })
    service.clock.advance(24 * hourMs)
    await say(introduction, fresh)
  }

  /** Among the first three memories, and in the context outside of what is marked as outdated. */
  async function expectRecalled(asked: readonly Asked[]): Promise<void> {
    for (const [question, word] of asked) {
      const { memories, context } = await service.recall({ user_id, query: question, limit: 3 })
      expect(memories.map(({ content }) => content).join('\n'), question).toContain(word)
      expect(context.replace(/\(outdated since[^)]*\)/g, ''), question).toContain(word)
    }
  }

  it.each(['We live in Copenhagen now', 'Copenhagen now'])(
    'keeps the others in recall and in the context, whatever is decided about it: %s',
    async (fresh) => {
      await introduce(fresh)
      await expectRecalled(others)
      const found = (await contradictions()).find((each) => each.old.content === introduction)
      expect(found).toMatchObject({ part: { text: expect.stringContaining('Gothenburg') } })
      for (const verdict of ['accept', 'revert', 'accept'] as const) {
        await decide(found?.id ?? '', verdict)
        await expectRecalled(verdict === 'accept' ? others : [...others, husband])
        const { context } = await recall('Where do I live?')
        if (verdict === 'accept') expect(context).toMatch(/\(outdated since [^)]*Gothenburg/)
        else expect(context).not.toContain('outdated since')
      }
    },
  )

  it('ends nothing about another person', async () => {
    await introduce('We live in Copenhagen now')
    const applied = (await contradictions()).filter(({ status }) => status === 'applied')
    expect(applied.map(({ old }) => old.content)).toEqual([introduction])
  })

  it('contradicts nothing about another person', async () => {
    await introduce('We live in Copenhagen now')
    expect((await contradictions()).map(({ old }) => old.content)).toEqual([introduction])
  })

  it('puts the new value first', async () => {
    await introduce('We live in Copenhagen now')
    expect((await recalled('Where do I live?'))[0]).toBe('We live in Copenhagen now')
  })

  // Two words match the question less than half as well as the introduction, so they stay behind it.
  it('puts a new value of two words first', async () => {
    await introduce('Copenhagen now')
    expect((await recalled('Where do I live?'))[0]).toBe('Copenhagen now')
  })

  it('marks only the words of that fact as outdated', async () => {
    await introduce('We live in Copenhagen now')
    for (const { id } of await contradictions()) await decide(id, 'accept')
    await expectRecalled([husband])
  })
})

describe('the opposite of a memory', () => {
  async function expectStored(old: string, fresh: string): Promise<void> {
    await say(old)
    service.clock.advance(24 * hourMs)
    expect(await say(fresh)).toEqual([fresh])
  }

  it.each([
    ['I like olives.', "I don't like olives."],
    ['I can swim.', "I can't swim."],
    ['The tests pass on CI.', "The tests don't pass on CI."],
    ['The heating is on.', 'The heating is off.'],
    ['My brother is a teacher.', 'My sister is a teacher.'],
    ['I run every Sunday.', 'I run every Saturday.'],
    ['The feature flag is enabled.', 'The feature flag is disabled.'],
    ['The shop is open on Sundays.', 'The shop is closed on Sundays.'],
    ['I take my coffee with milk.', 'I take my coffee without milk.'],
    ['I prefer tea over coffee.', 'I prefer coffee over tea.'],
    ['My sister is older than me.', 'My sister is younger than me.'],
    ['Tom is taller than Ben.', 'Ben is taller than Tom.'],
    ['Always squash commits before merging.', 'Never squash commits before merging.'],
    ['I like working from home.', 'working from home is not for me'],
    ['The invoice is paid.', 'The invoice is unpaid.'],
    ['The left knee hurts.', 'The right knee hurts.'],
    ['The bathroom is upstairs.', 'The bathroom is downstairs.'],
    ['Please use tabs for indentation.', 'Please use spaces for indentation.'],
  ])('is stored: %s → %s', expectStored)
})

describe('not a memory', () => {
  it.each([
    'lol ok thanks',
    'Good morning! How are you today (25 January 2026)?',
    'Assistant: Sure! What kind of food do you like?',
    'ok',
    'Howzit',
    'jajaja',
  ])('%s', async (text) => {
    expect(await say(text)).toEqual([])
    const { memories } = await service.store({ user_id, messages: [{ role: 'user', content: text }] })
    expect(memories.map(({ content }) => content)).toEqual([])
  })

  it('a blank turn among others, which are stored', async () => {
    const messages = ['I play the cello.', '', ' \n', 'I was born in Porto.'].map((content) => ({
      role: 'user',
      content,
    }))
    const { memories } = await service.store({ user_id, messages })
    expect(memories.map(({ content }) => content)).toEqual(['I play the cello.', 'I was born in Porto.'])
  })
})

describe('one unit of memory', () => {
  it('keeps the sentences of a speaker together, or each with its speaker', async () => {
    const contents = await say('Audrey: My dog Toby is ill. I hate waiting at the vet.')
    expect(contents.length).toBeGreaterThan(0)
    for (const content of contents) expect(content).toMatch(/^Audrey: /)
    expect(contents.join(' ')).toContain('I hate waiting at the vet.')
    expect((await recalled('Who hates waiting at the vet?'))[0]).toMatch(/^Audrey: /)
  })

  it('keeps unrelated short statements apart', async () => {
    const statements = ['John works at Acme Corp.', 'I love hiking.', 'My favourite colour is blue.']
    expect(await say(statements.join(' '))).toEqual(statements)
  })

  it('keeps a number that answers a question', async () => {
    const messages = [
      { role: 'assistant', content: 'How many guests are coming to the wedding?' },
      { role: 'user', content: '97. My mum won half the battle.' },
    ]
    const { memories } = await service.store({ user_id, messages })
    expect(memories.map(({ content }) => content).join(' ')).toContain('97.')
  })

  it('keeps a number that starts a text', async () => {
    expect((await say('97. My mum won half the battle.')).join(' ')).toContain('97.')
  })

  it('finds a short turn by the conversation before it', async () => {
    await say('My sister plays the violin.', 'The kitchen was painted green in April.')
    later()
    await say('I resigned from my job at Ericsson today.', 'My last day is March 31.')
    later()
    await say('My passport expires in June.', 'We planted tomatoes in the garden.')
    expect((await recalled('When do I stop working at Ericsson?')).slice(0, 2)).toContain('My last day is March 31.')
  })

  it('finds what answers each of two questions in one', async () => {
    await say(
      'The chiropodist is Mrs Pemberton, 35 pounds a visit.',
      'My bus pass expires on 30 April.',
      'Frank painted the kitchen green.',
      'My doctor is Dr Okafor in Mill Lane.',
      'I take the bus to choir on Tuesdays.',
      'The allotment costs 60 pounds a year.',
    )
    const { memories } = await recall('What does the chiropodist cost and when does my bus pass run out?')
    // For the whole query alone, both would score less. What another thing costs may come between them.
    const likely = memories.slice(0, 3).flatMap(({ score, content }) => (score >= 0.3 ? [content] : []))
    expect(likely).toContain('The chiropodist is Mrs Pemberton, 35 pounds a visit.')
    expect(likely).toContain('My bus pass expires on 30 April.')
  })

  it('does not let a repeated closing replace the memory that ended so', async () => {
    const [first] = await say('I ran ten kilometres today. Keep it up!')
    await say('Keep it up!')
    expect(await recalled('How far did I run?')).toContain(first)
    expect(await contradictions()).toEqual([])
  })

  it('ranks an answer before its question, however often that was asked', async () => {
    await say('The wifi password is on the back of the router.')
    for (let time = 0; time < 10; time++) await say('Where do I find the wifi password?')
    expect((await recalled('Where do I find the wifi password?'))[0]).toBe(
      'The wifi password is on the back of the router.',
    )
  })
})

describe('entities', () => {
  it('are no fragments, adjectives or single letters', async () => {
    await say(
      'The UX of the new app is terrible.',
      'M told me that the meeting is off.',
      'I watched the movie Thief last night.',
      'She won a national award in Rome.',
      'I love the smell of coffee right after waking up.',
    )
    const found = await entities()
    const names = found.map(({ name }) => name.toLowerCase())
    expect(names).not.toContain('m')
    expect(names).not.toContain('national')
    expect(names.filter((name) => name.includes('right'))).toEqual([])
    expect(found.filter(({ name, type }) => name === 'UX' && /^ORGANI[SZ]ATION$/.test(type))).toEqual([])
    expect(found.filter(({ name, type }) => name === 'Thief' && type === 'PERSON')).toEqual([])
    expect(names).toContain('rome')
  })

  it('are one per thing', async () => {
    await say(
      'I work at Volvo.',
      'Volvo Cars is based in Gothenburg.',
      'My colleagues at Volvo like the canteen.',
      'volvo pays well.',
    )
    expect((await entityNames()).filter((name) => name.includes('volvo'))).toHaveLength(1)
  })

  it('are one per person, in lower case and by first name too', async () => {
    await say('My friend Marta Lindqvist lives in Gothenburg.', 'Marta plays chess.', 'marta likes cheese')
    expect((await entityNames()).filter((name) => name.includes('marta'))).toEqual(['marta lindqvist'])
  })
})
