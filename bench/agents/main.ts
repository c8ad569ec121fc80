/**
 * `npm run bench:agents`: installs in a temporary home directory, lets the first hook start the service, loads the demo data, and
 * measures how long a hook takes and how often it adds nothing to an unrelated prompt. Fails if a target is missed. `--all` adds the
 * prompts that the hook's limits were chosen on.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { answerable, fresh, known } from './prompts.js'
import * as one from './sealed-prompts.js'
import * as two from './sealed-prompts-2.js'
import * as sealed from './sealed-prompts-3.js'

const program = fileURLToPath(new URL('../../packages/cli/keepsake.mjs', import.meta.url))
const rounds = 40
const maxMs = 100
const minSilent = 0.95
const minAnswered = 0.8

const home = mkdtempSync(join(tmpdir(), 'keepsake-bench-agents-'))
const project = join(home, 'shop')
const settingsFile = join(home, '.keepsake', 'agents.json')
const environment = { PATH: process.env.PATH, HOME: home }

function keepsake(args: readonly string[], more: Readonly<Record<string, string>> = {}): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    env: { ...environment, ...more },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`keepsake ${args[0]} failed: ${stderr}`)
  return stdout
}

interface Ran {
  readonly ms: number
  readonly output: string
}

/** Runs a command as an agent does: in a shell. */
function run(command: string, input: string): Promise<Ran> {
  const start = performance.now()
  return new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, env: environment, stdio: ['pipe', 'pipe', 'ignore'] })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.once('error', reject)
    child.once('close', () => resolve({ ms: performance.now() - start, output }))
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}

/** The command that is registered in the settings of Claude Code. */
function registered(): string {
  const { hooks } = JSON.parse(readFileSync(join(home, '.claude', 'settings.json'), 'utf8'))
  return String(hooks.UserPromptSubmit[0].hooks[0].command)
}

/** Fewer than the service allows per minute: a hook that it refuses is silent too. */
const mostPerMinute = 50
const sentAt: number[] = []

async function hook(prompt: string): Promise<Ran> {
  const waitMs = (sentAt[sentAt.length - mostPerMinute] ?? 0) + 60_500 - Date.now()
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
  sentAt.push(Date.now())
  const event = { hook_event_name: 'UserPromptSubmit', session_id: 'bench', cwd: project, prompt }
  return run(registered(), JSON.stringify(event))
}

function spread(values: readonly number[]): { readonly p50: number; readonly p95: number } {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN
  return { p50: at(0.5), p95: at(0.95) }
}

async function started(): Promise<void> {
  for (const end = Date.now() + 120_000; Date.now() < end; ) {
    if (keepsake(['install', 'status']).includes('service: running')) return
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  throw new Error(`the service did not start:\n${readFileSync(join(home, '.keepsake', 'service.log'), 'utf8')}`)
}

async function silence(prompts: readonly string[]): Promise<{ readonly share: number; readonly spoken: string[] }> {
  const spoken: string[] = []
  for (const prompt of prompts) if ((await hook(prompt)).output !== '') spoken.push(prompt)
  return { share: 1 - spoken.length / prompts.length, spoken }
}

async function measure(): Promise<boolean> {
  mkdirSync(join(project, '.git'), { recursive: true })
  const first = performance.now()
  keepsake(['install', 'claude-code', '--user', 'demo'])
  // Ten hooks at once while the service starts: none may wait for it, and only one service may result.
  const early = await Promise.all(Array.from({ length: 10 }, () => hook('Where do I work at the moment?')))
  await started()
  console.log(`service ready after ${Math.round(performance.now() - first)} ms`)
  const { apiKey } = JSON.parse(readFileSync(settingsFile, 'utf8'))
  const { url } = JSON.parse(readFileSync(join(home, '.keepsake', 'service.json'), 'utf8'))
  keepsake(['demo'], { KEEPSAKE_URL: url, KEEPSAKE_API_KEY: apiKey })

  const [empty, full]: [number[], number[]] = [[], []]
  let answers = 0
  await hook('What is my favourite colour?')
  for (let round = 0; round < rounds; round += 1) {
    empty.push((await run(`"${process.execPath}" -e 0`, '')).ms)
    const { ms, output } = await hook('What is my favourite colour?')
    full.push(ms)
    if (output !== '') answers += 1
  }
  const [bare, taken] = [spread(empty), spread(full)]
  const line = (name: string, { p50, p95 }: typeof bare) =>
    console.log(`${name.padEnd(34)} p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms`)
  line('empty node process, to compare', bare)
  line('hook, service running', taken)
  console.log(`${''.padEnd(34)} ${answers} of ${rounds} in time`)
  line('hook, service starting', spread(early.map(({ ms }) => ms)))

  const quiet = await silence(sealed.unrelated)
  for (const prompt of quiet.spoken) console.log(`  not silent: ${prompt}`)
  const answered = await answersTo(sealed.answered)
  const shown = [quiet.share, answered].map(percent)
  console.log(`sealed: ${shown[0]} of unrelated prompts get no memory, ${shown[1]} of questions get theirs`)
  if (process.argv.includes('--all')) {
    const others = await silence([...known, ...fresh, ...one.unrelated, ...two.unrelated])
    const questions = await answersTo([...answerable, ...one.answered, ...two.answered])
    console.log(`known: ${percent(others.share)} of unrelated prompts, ${percent(questions)} of questions`)
  }
  console.log(`hook at p95: ${taken.p95.toFixed(0)} ms (target ${maxMs})`)
  // A service that answers nothing is silent, too.
  const isAnswering = answers >= minSilent * rounds && answered >= minAnswered
  return isAnswering && taken.p95 <= maxMs && quiet.share >= minSilent
}

/** The share of questions that the hook finds the memory for. */
async function answersTo(questions: typeof answerable): Promise<number> {
  let found = 0
  for (const [question, words] of questions) {
    if ((await hook(question)).output.includes(words)) found += 1
    else console.log(`  not answered: ${question}`)
  }
  return found / questions.length
}

const percent = (share: number) => `${(100 * share).toFixed(1)}%`

try {
  if (!(await measure())) process.exitCode = 1
} finally {
  keepsake(['uninstall', 'claude-code'])
  rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 })
}
