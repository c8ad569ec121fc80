/** Runs the built service as a separate process on a free port, as an operator does. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { httpClient } from './http-client.js'

export interface ServiceProcess {
  /** `http://127.0.0.1:<port>`, without `/api/v1`. */
  readonly root: string
  readonly pid: number
  /** From the spawn to the first 200 of `/readyz`. */
  readonly readyMs: number
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>
  /** SIGTERM; resolves when the process is gone, rejects if it does not exit in time or not with 0. */
  stop(): Promise<void>
  /** Its last lines of output, for error reports. */
  lastOutput(): string
}

export interface StartOptions {
  /** Arguments of node; by default the built service. */
  readonly nodeArguments?: readonly string[]
  /** Options of node before those arguments. */
  readonly nodeOptions?: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** Working directory: outside the repository, so that no `.env` there affects the measurement. */
  readonly workingDirectory: string
  readonly readyTimeoutMs?: number
}

export const builtService = fileURLToPath(new URL('../packages/server/dist/main.js', import.meta.url))
const stopTimeoutMs = 35_000
const keptOutputCharacters = 4000

export async function startService(options: StartOptions): Promise<ServiceProcess> {
  const start = performance.now()
  const child = spawnNode(options)
  const output = keepOutput(child)
  try {
    const root = await output.address(options.readyTimeoutMs ?? 30_000)
    await untilReady(root, start + (options.readyTimeoutMs ?? 30_000))
    const readyMs = performance.now() - start
    return { root, pid: pidOf(child), readyMs, lastOutput: output.tail, ...endings(child, output.tail) }
  } catch (error) {
    child.kill('SIGKILL')
    throw new Error(`the service did not become ready: ${reasonOf(error)}\n${output.tail()}`)
  }
}

/** Starts it, and kills it after a moment whether it is ready or not: a crash during startup. */
export async function crashDuringStart(options: StartOptions, afterMs: number): Promise<void> {
  const child = spawnNode(options)
  const { kill } = endings(child, () => '')
  await new Promise((resolve) => setTimeout(resolve, afterMs))
  await kill()
}

/** Identifies a build, so that a run notices when the code is rebuilt in the meantime. */
export async function buildFingerprint(): Promise<string> {
  const root = dirname(builtService)
  const names = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.js')).sort()
  const hash = createHash('sha256')
  for (const name of names) hash.update(name).update(await readFile(join(root, name)))
  return hash.digest('hex').slice(0, 12)
}

/** Settings shared by all benches: limits off, a free port, one data directory. */
export function serviceEnvironment(dataDir: string): Record<string, string> {
  return { SERVICE_PORT: '0', SERVICE_DATA_DIR: dataDir, SERVICE_RATE_LIMIT_ENABLED: 'false' }
}

function spawnNode(options: StartOptions): ChildProcess {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SERVICE_'))
  const child = spawn(
    process.execPath,
    [...(options.nodeOptions ?? []), ...(options.nodeArguments ?? [builtService])],
    {
      cwd: options.workingDirectory,
      env: { ...Object.fromEntries(inherited), ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  // A bench that fails or is interrupted leaves no service behind.
  const killWithParent = (): void => {
    child.kill('SIGKILL')
  }
  process.prependOnceListener('exit', killWithParent)
  child.once('exit', () => process.removeListener('exit', killWithParent))
  return child
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('the process has no id')
  return child.pid
}

function keepOutput(child: ChildProcess) {
  let kept = ''
  let found: ((root: string) => void) | undefined
  let root: string | undefined
  const take = (chunk: Buffer): void => {
    kept = (kept + chunk.toString('utf8')).slice(-keptOutputCharacters)
    // Once the address is known the output is only stored, not searched, which would slow the measurement.
    if (root !== undefined) return
    root = /(http:\/\/[^\s/]+:\d+)\/api\/v1/.exec(kept)?.[1]
    if (root !== undefined) found?.(root)
  }
  child.stdout?.on('data', take)
  child.stderr?.on('data', take)
  return {
    tail: () => kept,
    address: (timeoutMs: number) =>
      new Promise<string>((resolve, reject) => {
        if (root !== undefined) return resolve(root)
        const timer = setTimeout(() => reject(new Error(`no address within ${timeoutMs} ms`)), timeoutMs)
        child.once('exit', (code, signal) => {
          clearTimeout(timer)
          reject(new Error(`it exited with ${code ?? signal} before it was listening`))
        })
        child.once('error', reject)
        found = (address) => {
          clearTimeout(timer)
          resolve(address)
        }
      }),
  }
}

async function untilReady(root: string, deadline: number): Promise<void> {
  const client = httpClient(root)
  try {
    for (;;) {
      const answer = await client.send('GET', '/readyz')
      if (answer.status === 200) return
      if (performance.now() > deadline) throw new Error(`/readyz still answers ${answer.status}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  } finally {
    client.close()
  }
}

function endings(child: ChildProcess, tail: () => string) {
  const exited = new Promise<number | string>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'))
  })
  return {
    async kill(): Promise<void> {
      child.kill('SIGKILL')
      await exited
    },
    async stop(): Promise<void> {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
      const how = await exited
      clearTimeout(timer)
      if (how !== 0) throw new Error(`the service exited with ${how} on shutdown\n${tail()}`)
    },
  }
}

export interface ResidentMemory {
  readonly nowMegabytes: number
  /** The part that is heap, models and index; the rest is file pages, which the system may drop. */
  readonly anonymousMegabytes: number
  readonly peakMegabytes: number
}

/** Undefined if the system has no /proc. A megabyte is 2^20 bytes. */
export async function residentMemory(pid: number): Promise<ResidentMemory | undefined> {
  if (process.platform !== 'linux') return undefined
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024
  return {
    nowMegabytes: megabytes('VmRSS'),
    anonymousMegabytes: megabytes('RssAnon'),
    peakMegabytes: megabytes('VmHWM'),
  }
}

/** CPU time of all its threads so far; undefined if the system has no /proc. */
export async function processorMs(pid: number): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name in parentheses may contain spaces; user and system time are the 12th and 13th fields after it, in ticks of
  // 10 ms.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
