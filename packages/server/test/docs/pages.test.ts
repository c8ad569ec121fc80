/**
 * Runs docs/api.md and README.md from top to bottom against a real service, and compares each pasted answer with the real one
 * (`pasted-answer.ts` says what may differ).
 */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anId, inWordsOfThePage, readAnswers } from './pasted-answer.js'
import { openTerminal, type Terminal } from './terminal.js'

const masterKey = 'master-key-of-the-documentation-0123456789abcdef'

/** Blocks that are not run: how they begin, and why. */
const notRun = {
  'npm ci && npm start': 'installs packages; the test starts the service itself',
  'npm ci && npm test': 'runs this test',
  'export SERVICE_MASTER_KEY=': 'restarts the service; the test has a second one with a master key',
  'export SERVICE_LLM_BASE_URL=': 'needs a language model',
}

interface Example {
  readonly commands: string
  readonly withKeys: boolean
  readonly answer: string | undefined
}

const fence = /(<!-- authentication is on -->\n\n)?^```(\w*)\n([\s\S]*?)^```$/gm

/** Each `sh` block with the `json` block that follows it. Blocks that are neither are `stray`. */
function readPage(page: string) {
  const text = readFileSync(new URL(`../../../../${page}`, import.meta.url), 'utf8')
  const examples: Example[] = []
  const stray: string[] = []
  const blocks = [...text.matchAll(fence)]
  if (text.match(/^\s*(?:```|~~~)/gm)?.length !== 2 * blocks.length) stray.push('a fence that this test does not read')
  for (const [, keys, language, content = ''] of blocks) {
    const last = examples.at(-1)
    if (language === 'sh') examples.push({ commands: content, withKeys: keys !== undefined, answer: undefined })
    else if (language === 'json' && last?.answer === undefined && last)
      examples.splice(-1, 1, { ...last, answer: content })
    else stray.push(`${language} ${content}`)
  }
  return { page, examples, stray }
}

// Both use the same services. The README comes last: its demo data would show up in cleanups of everyone.
const pages = ['docs/api.md', 'README.md'].map(readPage)
const isRun = ({ commands }: Example) => !Object.keys(notRun).some((begin) => commands.startsWith(begin))

let open: Terminal
let guarded: Terminal
beforeAll(async () => {
  open = await openTerminal({})
  guarded = await openTerminal({ SERVICE_MASTER_KEY: masterKey })
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
  it.each(run)('%s', { timeout: 120_000 }, async (_title, { commands, withKeys, answer }) => {
    const { code, output } = await (withKeys ? guarded : open).run(commands.replace(anId, (id) => ids.get(id) ?? id))
    expect(code, output).toBe(0)
    if (answer === undefined) return
    const pasted = readAnswers(answer)
    const actual = readAnswers(output).map((each, at) => inWordsOfThePage(pasted[at], each, ids))
    expect(actual, output).toEqual(pasted)
  })
})

it.each(Object.entries(notRun))('"%s" is on a page, and not run: it %s', (begin) => {
  const blocks = pages.flatMap(({ examples }) => examples.map(({ commands }) => commands))
  expect(blocks.some((block) => block.startsWith(begin))).toBe(true)
})
