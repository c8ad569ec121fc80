/** Changes that say nothing without what they change, over HTTP and with the models that ship. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/harness.js'

const [fish, knee, moved, later] = [
  'The fish comes from Tony on Wednesdays, order by text the night before.',
  "Knee operation was on 3 June at St Anne's, physio with Callum on Thursdays.",
  'Scrap Wednesdays for Tony, he only drives on Saturdays now.',
  'Callum moved me to Mondays at 8.',
]

let service: TestService
const user_id = 'ana'
beforeAll(async () => {
  // As by default. Most tests leave the reader out.
  service = await startService({ realModels: true, languageModel: null, env: { SERVICE_READ_FIRST: '5' } })
  for (const content of [fish, knee, moved, later]) await service.store({ user_id, content })
})
afterAll(() => service.close())

describe('a change that leans on an older memory', () => {
  it.each([
    ['comes first for what it changes', 'what day does the fish arrive?', moved],
    ['comes first for what it changes', 'when do I have physio?', later],
    ['stays behind for the rest of the older memory', 'how do I order the fish?', fish],
    ['stays behind for the rest of the older memory', 'when was my operation?', knee],
  ])('%s: %s', async (_what, query, content) => {
    const { memories } = await service.recall({ user_id, query })
    expect(memories[0]?.content).toBe(content)
  })
})
