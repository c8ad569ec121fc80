/**
 * A real PostgreSQL with pgvector for the tests: on a free port, in a temporary directory, gone with them. The role that
 * the service connects as is no superuser, or row-level security would not hold for it.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { freePort, untilReady } from './server-process.js'

const run = promisify(execFile)

export interface PostgresServer {
  /** A connection of the superuser, past row-level security. End it. */
  asAdmin(database: string): postgres.Sql
  /** Of all its processes, the postmaster first. */
  pids(): Promise<number[]>
  /** SIGKILL of all its processes at once, frozen ones too: what a power cut leaves. */
  destroy(): Promise<void>
  /** Of a role that may make databases and is no superuser. */
  readonly url: string
  readonly port: number
  /** SIGKILL of the postmaster; its children notice and go too. */
  kill(): Promise<void>
  /** Ends it as an operator does: connections are cut, the data are whole; `immediate`: as after a crash. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>
  /** Again on the same port, with the same data. */
  start(): Promise<void>
  /** All its processes alive, and answering nobody. */
  freeze(): Promise<void>
  thaw(): Promise<void>
  close(): Promise<void>
}

interface Programs {
  readonly programs: string
  readonly libraries: string
}

/** Of the PostgreSQL that the tests start. */
export async function findPrograms(): Promise<Programs> {
  const script = fileURLToPath(new URL('provision-postgres.mjs', import.meta.url))
  const { stdout } = await run(process.execPath, [script])
  // The script's own output, one line.
  return JSON.parse(stdout) as Programs
}

const password = 'of-the-tests'

export interface PostgresOptions {
  /** As in production, else it never waits for the disk. */
  readonly durable?: boolean
  /** Where its data are, or come to be; nobody removes it then. Else a temporary one, gone with the server. */
  readonly directory?: string
  /** Where its log of writes is, if not with the data. */
  readonly logDirectory?: string
}

/** A server of the test's own, which it may stop. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const { programs, libraries } = await findPrograms()
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'keepsake-postgres-')))
  const identity = await unprivileged()
  for (const own of [directory, ...(options.logDirectory === undefined ? [] : [options.logDirectory])]) {
    await mkdir(own, { recursive: true })
    if (identity.uid !== undefined) await chown(own, identity.uid, identity.gid ?? identity.uid)
  }
  const environment = { ...process.env, LC_ALL: 'C.UTF-8', ...(libraries ? { LD_LIBRARY_PATH: libraries } : {}) }
  const data = join(directory, 'data')
  const isNew = !existsSync(join(data, 'PG_VERSION'))
  if (isNew) {
    const passwordFile = join(directory, 'password')
    await writeFile(passwordFile, password, { mode: 0o644 })
    const made = [
      '-D',
      data,
      '-U',
      'admin',
      '-A',
      'scram-sha-256',
      '--pwfile',
      passwordFile,
      '-E',
      'UTF8',
      ...(options.durable ? [] : ['--no-sync']),
    ]
    if (options.logDirectory !== undefined) made.push('--waldir', options.logDirectory)
    await run(join(programs, 'initdb'), made, { env: environment, ...identity })
  }
  const port = await freePort()
  let child: ChildProcess | undefined

  async function start(): Promise<void> {
    const settings = Object.entries({
      listen_addresses: '127.0.0.1',
      port: String(port),
      unix_socket_directories: directory,
      max_connections: '200',
      shared_buffers: '256MB',
      jit: 'off',
      ...(options.durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    child = spawn(join(programs, 'postgres'), ['-D', data, ...settings], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...identity,
    })
    const started = child
    // A run that ends early takes it along.
    const quitWithParent = (): void => void started.kill('SIGQUIT')
    process.once('exit', quitWithParent)
    started.once('exit', () => process.removeListener('exit', quitWithParent))
    await untilReady(started, 'PostgreSQL', 'ready to accept connections')
  }

  async function end(signal: 'SIGKILL' | 'SIGINT' | 'SIGQUIT'): Promise<void> {
    const dying = child
    child = undefined
    if (dying === undefined || dying.exitCode !== null) return
    const gone = new Promise((resolve) => dying.once('exit', resolve))
    dying.kill(signal)
    await gone
  }

  async function pids(): Promise<number[]> {
    const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', String(child?.pid)])
    return [String(child?.pid), ...stdout.trim().split(/\s+/)].map(Number)
  }

  async function signalAll(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    for (const pid of await pids()) process.kill(pid, signal)
  }

  async function destroy(): Promise<void> {
    const all = await pids()
    const gone = end('SIGKILL')
    // Frozen ones never notice that the first has gone.
    for (const pid of all.slice(1)) if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL')
    await gone
  }

  await start()
  if (isNew) await prepare(`postgres://admin:${password}@127.0.0.1:${port}`)
  return {
    asAdmin: (database) =>
      postgres(`postgres://admin:${password}@127.0.0.1:${port}/${database}`, { max: 1, onnotice: () => undefined }),
    pids,
    destroy,
    url: `postgres://keepsake:${password}@127.0.0.1:${port}/keepsake`,
    port,
    kill: () => end('SIGKILL'),
    stop: (mode = 'fast') => end(mode === 'fast' ? 'SIGINT' : 'SIGQUIT'),
    start,
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    async close() {
      await end('SIGINT')
      if (options.directory === undefined) await rm(directory, { recursive: true, force: true })
    },
  }
}

/** The extension is put where new databases are copied from: making it takes a superuser. */
async function prepare(adminUrl: string): Promise<void> {
  const template = postgres(`${adminUrl}/template1`, { max: 1 })
  await template.unsafe('CREATE EXTENSION vector')
  await template.end()
  const admin = postgres(`${adminUrl}/postgres`, { max: 1 })
  await admin.unsafe(`CREATE ROLE keepsake LOGIN CREATEDB PASSWORD '${password}'`)
  await admin.unsafe('CREATE DATABASE keepsake OWNER keepsake')
  await admin.end()
}

/** The one that SERVICE_TEST_DATABASE_URL names, or one of the tests' own: for tests that only use it. */
export async function anyPostgres(): Promise<Pick<PostgresServer, 'url' | 'close'>> {
  const url = process.env.SERVICE_TEST_DATABASE_URL
  return url ? { url, close: async () => undefined } : startPostgres()
}

let databases = 0

/** An empty database of its own, and how to be rid of it. */
export async function makeDatabase(serverUrl: string): Promise<{ readonly url: string; drop(): Promise<void> }> {
  databases += 1
  const name = `keepsake_test_${process.pid}_${Date.now().toString(36)}_${databases}`
  await asOperator(serverUrl, `CREATE DATABASE ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => dropDatabase(serverUrl, name) }
}

/** By force only where somebody is left in it: force asks for the right to end PostgreSQL's own housekeeping too. */
async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  try {
    await asOperator(serverUrl, `DROP DATABASE IF EXISTS ${name}`)
  } catch (error) {
    if (!(error instanceof postgres.PostgresError) || error.code !== '55006') throw error
    await asOperator(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  }
}

async function asOperator(serverUrl: string, statement: string): Promise<void> {
  const sql = postgres(serverUrl, { max: 1, onnotice: () => undefined })
  try {
    await sql.unsafe(statement)
  } finally {
    await sql.end()
  }
}

/** PostgreSQL refuses to run as root. */
async function unprivileged(): Promise<{ readonly uid?: number; readonly gid?: number }> {
  if (process.getuid?.() !== 0) return {}
  const number = async (option: '-u' | '-g') => Number((await run('id', [option, 'nobody'])).stdout)
  return { uid: await number('-u'), gid: await number('-g') }
}
