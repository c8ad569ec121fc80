/** A real Redis for one test file: on a free port, in a temporary directory, gone with the test. */
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
