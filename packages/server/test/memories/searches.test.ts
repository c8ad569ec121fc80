/** Searches, and the words that people put around a question, over HTTP and with the models that ship. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/harness.js'

/** docs/api.md recommends it. */
const threshold = 0.15
const [rent, invoice, other, wifi] = [
  'The rent is £900, paid on the 1st to Mr Khan.',
  'Invoice INV-20931 was paid on 3 May.',
  'Invoice INV-20913 is still open, ask Petra.',
  'The wifi password at the cabin is long.',
]

let service: TestService
const user_id = 'ana'
beforeAll(async () => {
  // As by default. Most tests leave the reader out.
  service = await startService({ realModels: true, languageModel: null, env: { SERVICE_READ_FIRST: '5' } })
  for (const content of [rent, invoice, other, wifi]) await service.store({ user_id, content })
})
afterAll(() => service.close())

const answers = async (query: string, user = user_id) => (await service.recall({ user_id: user, query })).memories

describe('a search by bare words', () => {
  it.each([
    ['wifi password', wifi],
    ['INV-20931', invoice],
    ['inv20931', invoice],
    ['Petra?', other],
    ['tell me about Petra', other],
    ['what did I say about the wifi again?', wifi],
    ['is the wifi password long?', wifi],
  ])('finds what has the words: %s', async (query, content) => {
    const [first] = await answers(query)
    expect(first?.content).toBe(content)
    expect(first?.score).toBeGreaterThan(threshold)
  })

  it('takes no similar number for the one that was looked for', async () => {
    for (const { score } of await answers('INV-20999')) expect(score).toBeLessThan(threshold)
  })
})

describe('a note that says more than what changes', () => {
  it('keeps the rest', async () => {
    const changed = 'ben'
    for (const content of [rent, 'The rent is £950 now.']) await service.store({ user_id: changed, content })
    expect((await answers('how much is the rent now?', changed))[0]?.content).toBe('The rent is £950 now.')
    expect((await answers('who is the rent paid to?', changed)).map(({ content }) => content)).toContain(rent)
  })
})
