/** Starts the service as users do: as a separate process that is called over a socket. */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const mainFile = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

export interface Finished {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

export interface RunningService {
  readonly process: ChildProcess
  /** `http://127.0.0.1:<port>`, from the banner. */
  readonly url: string
  output(): string
  finished: Promise<Finished>
}

const started = new Set<{ readonly child: ChildProcess; readonly finished: Promise<Finished> }>()

/** Cleans up after a test that failed half-way. */
export async function killAll(): Promise<void> {
  for (const { child, finished } of started) {
    child.kill('SIGKILL')
    await finished
  }
}

function start(env: Readonly<Record<string, string>>, directory = env.SERVICE_DATA_DIR, file = mainFile) {
  const child = spawn(process.execPath, [file], {
    // Only what a process needs from the environment of the test.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, SERVICE_PORT: '0', ...env },
    // A directory without a .env file.
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const finished = new Promise<Finished>((resolve) => child.on('close', (code) => resolve({ code, output, errors })))
  started.add({ child, finished })
  return { child, finished, output: () => output }
}

export async function runToEnd(
  env: Readonly<Record<string, string>>,
  directory?: string,
  file?: string,
): Promise<Finished> {
  return start(env, directory, file).finished
}

export async function runService(env: Readonly<Record<string, string>>, file?: string): Promise<RunningService> {
  const { child, finished, output } = start(env, undefined, file)
  const ready = new Promise<string>((resolve) => {
    child.stdout.on('data', () => {
      const [, url] = /(http:\/\/127\.0\.0\.1:\d+)\/api\/v1\s/.exec(output()) ?? []
      if (url !== undefined && output().includes('Try:')) resolve(url)
    })
  })
  const early = finished.then(({ errors, output: said }) => {
    throw new Error(`the service stopped before it was ready: ${errors}${said}`)
  })
  const url = await Promise.race([ready, early])
  // It may exit later, when nothing waits for this promise.
  early.catch(() => undefined)
  return { process: child, url, output, finished }
}

export async function post(url: string, body: object): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answer.status, body: await answer.json() }
}
