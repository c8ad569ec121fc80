/** Starts a real Redis for one test file, on a free port and in a temporary directory that is removed afterwards. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createClient } from '@redis/client'
import { freePort, untilReady } from './server-process.js'

const run = promisify(execFile)
export interface RedisServer {
  readonly url: string
  /** Sends SIGKILL: it loses all its data. */
  kill(): Promise<void>
  /** Starts it again on the same port, empty. */
  start(): Promise<void>
  /** Suspends it, so that connections stay open and nothing answers. */
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
  // The script prints one line of JSON.
  return JSON.parse(stdout) as RedisProgram
}

/** A server for one test, which the test may kill. */
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
    await untilReady(child, 'Redis', 'Ready to accept connections')
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

/** The server that SERVICE_TEST_REDIS_URL names, or a new one. For tests that do not kill it. */
export async function anyRedis(): Promise<Pick<RedisServer, 'url' | 'close'>> {
  const url = process.env.SERVICE_TEST_REDIS_URL
  return url ? { url, close: async () => undefined } : startRedis()
}

/** A client to inspect what the service wrote. */
export async function redisClient(url: string) {
  const client = createClient({ url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}
