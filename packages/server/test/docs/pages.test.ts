/**
 * Runs docs/api.md and README.md from top to bottom against a real service, and compares each pasted answer with the real one
 * (`pasted-answer.ts` says what may differ).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isRun, linesOf, notRun, readPage } from './page.js'
import { anId, inWordsOfThePage, readAnswers } from './pasted-answer.js'
import { openTerminal, type Terminal } from './terminal.js'

const masterKey = 'master-key-of-the-documentation-0123456789abcdef'

// Both use the same services. The README comes last: its demo data would show up in cleanups of everyone.
const pages = ['docs/api.md', 'README.md'].map(readPage)
let open: Terminal
let guarded: Terminal
beforeAll(async () => {
  ;[open, guarded] = await Promise.all([openTerminal({}), openTerminal({ SERVICE_MASTER_KEY: masterKey })])
})
afterAll(async () => {
  await open?.close()
  await guarded?.close()
})

describe.each(pages)('$page', ({ examples, stray }) => {
  const ids = new Map<string, string>()

  it('has no fenced block that is neither a command nor the answer to one', () => {
    expect(stray).toEqual([])
  })

  // In their order: later blocks use memories and variables of earlier ones.
  const run = examples
    .filter(isRun)
    .map((example, at) => [`${at + 1}: ${example.commands.split('\n')[0]}`, example] as const)
  it.each(run)('%s', async (_title, { commands, withKeys, answer }) => {
    const { code, output } = await (withKeys ? guarded : open).run(commands.replace(anId, (id) => ids.get(id) ?? id))
    expect(code, output).toBe(0)
    if (answer === undefined) return
    const pasted = readAnswers(answer)
    const actual = readAnswers(output).map((each, at) => inWordsOfThePage(pasted[at], each, ids))
    expect(actual, output).toEqual(pasted)
  })
})

it.each(Object.entries(notRun))('does not run "%s": it %s', (line) => {
  const lines = pages.flatMap(({ examples }) => examples.filter((example) => !isRun(example)).flatMap(linesOf))
  expect(lines).toContain(line)
})
