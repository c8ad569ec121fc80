/** Changes that say nothing without what they change, over HTTP and with the models that ship. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/harness.js'

const [cleaning, teeth, day, time] = [
  'Pia cleans the office on Mondays, and she keeps the alarm code.',
  'I had my wisdom teeth out on 12 March, the check-up with Dr. Lund is at nine.',
  'No more Mondays for Pia, she only has Fridays free now.',
  'Lund pushed me back to half past ten.',
]

let service: TestService
const user_id = 'ana'
beforeAll(async () => {
  // As by default. Most tests leave the reader out.
  service = await startService({ realModels: true, languageModel: null, env: { SERVICE_READ_FIRST: '5' } })
  for (const content of [cleaning, teeth, day, time]) await service.store({ user_id, content })
})
afterAll(() => service.close())

describe('a change that leans on an older memory', () => {
  it.each([
    ['comes first for what it changes', 'which day is the office cleaned?', day],
    ['comes first for what it changes', 'what time is my check-up?', time],
    ['stays behind for the rest of the older memory', 'who has the alarm code?', cleaning],
    ['stays behind for the rest of the older memory', 'when were my wisdom teeth taken out?', teeth],
  ])('%s: %s', async (_what, query, content) => {
    const { memories } = await service.recall({ user_id, query })
    expect(memories[0]?.content).toBe(content)
  })
})
