/** The examples of a page: each `sh` block with the `json` block that follows it. */
import { readFileSync } from 'node:fs'

export interface Example {
  readonly commands: string
  readonly withKeys: boolean
  readonly answer: string | undefined
}

/** Lines that are not run, and why. A block with any other line is run. */
export const notRun = {
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

const fence = /(<!-- authentication is on -->\n\n)?^```(\w*)\n([\s\S]*?)^```$/gm

/** Blocks that are neither are `stray`. */
export function readPage(page: string) {
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

export const linesOf = ({ commands }: Example) =>
  commands
    .trim()
    .split('\n')
    .map((line) => line.replace(/ +#.*$/, ''))

export const isRun = (example: Example) =>
  example.answer !== undefined || linesOf(example).some((line) => !(line in notRun))
