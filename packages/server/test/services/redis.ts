/** A real Redis for one test file: on a free port, in a temporary directory, gone with the test. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createClient } from '@redis/client'

const run = promisify(execFile)
const readyTimeoutMs = 20_000

export interface RedisServer {
  readonly url: string
  /** SIGKILL: whatever it held is lost. */
  kill(): Promise<void>
  /** Again on the same port, empty. */
  start(): Promise<void>
  /** Alive, and answering nobody. */
  freeze(): void
  thaw(): void
  close(): Promise<void>
}

interface RedisProgram {
  readonly program: string
  readonly libraries: string
}

async function redisProgram(): Promise<RedisProgram> {
  const script = fileURLToPath(new URL('provision-redis.mjs', import.meta.url))
  const { stdout } = await run(process.execPath, [script])
  // The script's own output, one line.
  return JSON.parse(stdout) as RedisProgram
}

/** A server of the test's own, which it may kill. */
export async function startRedis(settings: readonly string[] = []): Promise<RedisServer> {
  const found = await redisProgram()
  const directory = await mkdtemp(join(tmpdir(), 'keepsake-redis-'))
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  let child: ChildProcess | undefined

  async function start(): Promise<void> {
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', '', ...settings]
    child = spawn(found.program, options, {
      env: { ...process.env, LD_LIBRARY_PATH: found.libraries },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    await untilReady(child)
  }

  async function kill(): Promise<void> {
    const dying = child
    child = undefined
    if (dying === undefined || dying.exitCode !== null) return
    const gone = new Promise((resolve) => dying.once('exit', resolve))
    dying.kill('SIGKILL')
    await gone
  }

  await start()
  return {
    url,
    kill,
    start,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    async close() {
      await kill()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** The one that SERVICE_TEST_REDIS_URL names, or one of the test's own: for tests that only use it. */
export async function anyRedis(): Promise<Pick<RedisServer, 'url' | 'close'>> {
  const url = process.env.SERVICE_TEST_REDIS_URL
  return url ? { url, close: async () => undefined } : startRedis()
}

/** For a look at what the service wrote. */
export async function redisClient(url: string) {
  const client = createClient({ url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

async function untilReady(child: ChildProcess): Promise<void> {
  let output = ''
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Redis did not start in time: ${output}`)), readyTimeoutMs)
    const take = (chunk: Buffer): void => {
      output += chunk.toString('utf8')
      if (!output.includes('Ready to accept connections')) return
      clearTimeout(timer)
      resolve()
    }
    child.stdout?.on('data', take)
    child.stderr?.on('data', take)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`Redis ended with ${code} before it was ready: ${output}`)))
  })
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no free port')
  return address.port
}
