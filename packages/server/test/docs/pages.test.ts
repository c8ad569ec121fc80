/**
 * Runs docs/api.md and README.md from top to bottom against a real service, and compares each pasted answer with the real one
 * (`pasted-answer.ts` says what may differ).
 */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anId, inWordsOfThePage, readAnswers } from './pasted-answer.js'
import { openTerminal, type Terminal } from './terminal.js'

const masterKey = 'master-key-of-the-documentation-0123456789abcdef'

/** Lines that are not run, and why. A block with any other line is run. */
const notRun = {
  'npm ci && npm start': 'installs packages',
  'npm ci && npm test': 'runs this test',
  'npx keepsake serve': 'starts a second service',
  'docker build --tag keepsake . && docker run --env SERVICE_MASTER_KEY --volume keepsake-data:/data --publish 127.0.0.1:8787:8787 keepsake':
    'needs Docker',
  'npm start': 'starts the service, as the test has done',
  'export SERVICE_MASTER_KEY=$(openssl rand -hex 32)':
    'is for the next start; the test has a second service with a master key',
  'export SERVICE_LLM_BASE_URL=http://127.0.0.1:11434/v1 SERVICE_LLM_MODEL=llama3.1': 'needs a language model',
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
const linesOf = ({ commands }: Example) =>
  commands
    .trim()
    .split('\n')
    .map((line) => line.replace(/ +#.*$/, ''))
const isRun = (example: Example) => example.answer !== undefined || linesOf(example).some((line) => !(line in notRun))

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
