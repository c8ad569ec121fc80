/**
 * Starts a real PostgreSQL with pgvector for the tests, on a free port and in a temporary directory that is removed afterwards.
 * The service connects as a role that is not a superuser, because row-level security does not apply to superusers.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { makeOnEveryNode, nodesOf } from './citus-databases.js'
import { freePort, untilReady } from './server-process.js'

const run = promisify(execFile)

export interface PostgresServer {
  /** A connection as superuser, which bypasses row-level security. The caller ends it. */
  asAdmin(database: string): postgres.Sql
  /** The ids of all its processes, the postmaster first. */
  pids(): Promise<number[]>
  /** Sends SIGKILL to all its processes at once, frozen ones included: leaves what a power cut leaves. */
  destroy(): Promise<void>
  /** Connects as a role that may create databases and is not a superuser. */
  readonly url: string
  readonly port: number
  /** Sends SIGKILL to the postmaster and waits until its child processes have exited too. */
  kill(): Promise<void>
  /** `fast` stops it as an operator does: connections are cut, the data stay consistent. `immediate` is like a crash. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>
  /** Starts it again on the same port, with the same data. */
  start(settings?: Readonly<Record<string, string>>): Promise<void>
  /** Suspends all its processes, so that connections stay open and nothing answers. */
  freeze(): Promise<void>
  thaw(): Promise<void>
  close(): Promise<void>
}

interface Programs {
  readonly programs: string
  readonly libraries: string
}

/** Where the programs of the tests' PostgreSQL are. */
export async function findPrograms(extension?: 'citus'): Promise<Programs> {
  const script = fileURLToPath(new URL(`provision-${extension ?? 'postgres'}.mjs`, import.meta.url))
  const { stdout } = await run(process.execPath, [script])
  // The script prints one line of JSON.
  return JSON.parse(stdout) as Programs
}

export const password = 'of-the-tests'

export interface PostgresOptions {
  /** Waits for the disk, as in production. Off by default. */
  readonly durable?: boolean
  /** Where its data are. It is not removed. The default is a temporary directory, removed with the server. */
  readonly directory?: string
  /** Where its write-ahead log is, if not with the data. */
  readonly logDirectory?: string
  /** The port; by default a free one. */
  readonly port?: number
  /** Copies the data of this server and follows it. */
  readonly standbyOf?: Pick<PostgresServer, 'port'>
  /** With Citus, for one node of a cluster (see `citus.ts`). */
  readonly extension?: 'citus'
  /** Of the configuration file. */
  readonly settings?: Readonly<Record<string, string>>
}

/** A server for one test, which the test may stop. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const { programs, libraries } = await findPrograms(options.extension)
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'keepsake-postgres-')))
  const identity = await unprivileged()
  for (const own of [directory, ...(options.logDirectory === undefined ? [] : [options.logDirectory])]) {
    await mkdir(own, { recursive: true })
    if (identity.uid !== undefined) await chown(own, identity.uid, identity.gid ?? identity.uid)
  }
  const environment = {
    ...process.env,
    LC_ALL: 'C.UTF-8',
    ...(libraries ? { LD_LIBRARY_PATH: libraries } : {}),
    // With it, the nodes of a cluster open connections to each other.
    PGPASSFILE: join(directory, 'passwords'),
  }
  if (options.extension === 'citus') await writePasswords(environment.PGPASSFILE, identity)
  const data = join(directory, 'data')
  const isNew = !existsSync(join(data, 'PG_VERSION'))
  if (isNew && options.standbyOf !== undefined) {
    const source = `host=127.0.0.1 port=${options.standbyOf.port} user=admin password=${password}`
    const copied = ['-D', data, '-d', source, '--write-recovery-conf', '--checkpoint=fast', '--wal-method=stream']
    await run(join(programs, 'pg_basebackup'), copied, { env: environment, ...identity })
  } else if (isNew) {
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
  const port = options.port ?? (await freePort())
  let child: ChildProcess | undefined

  async function start(more: Readonly<Record<string, string>> = {}): Promise<void> {
    const settings = Object.entries({
      listen_addresses: '127.0.0.1',
      port: String(port),
      unix_socket_directories: directory,
      max_connections: '200',
      shared_buffers: '256MB',
      jit: 'off',
      ...(options.durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
      ...options.settings,
      ...more,
    }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    child = spawn(join(programs, 'postgres'), ['-D', data, ...settings], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...identity,
    })
    const started = child
    // A test run that ends early stops it too.
    const quitWithParent = (): void => void started.kill('SIGQUIT')
    process.once('exit', quitWithParent)
    started.once('exit', () => process.removeListener('exit', quitWithParent))
    await untilReady(started, 'PostgreSQL', 'ready to accept')
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
    for (const pid of await pids()) signalIfThere(pid, signal)
  }

  async function kill(): Promise<void> {
    if (child === undefined || child.exitCode !== null) return
    const [, ...children] = await pids()
    await end('SIGKILL')
    // PostgreSQL refuses to start while one of them holds the shared memory.
    await Promise.all(children.map(untilGone))
  }

  async function destroy(): Promise<void> {
    if (child === undefined || child.exitCode !== null) return
    const [, ...children] = await pids()
    const gone = end('SIGKILL')
    // Frozen processes do not notice that the postmaster is gone.
    for (const pid of children) signalIfThere(pid, 'SIGKILL')
    await gone
    await Promise.all(children.map(untilGone))
  }

  await start()
  if (isNew && options.standbyOf === undefined) await prepare(`postgres://admin:${password}@127.0.0.1:${port}`)
  return {
    asAdmin: (database) =>
      postgres(`postgres://admin:${password}@127.0.0.1:${port}/${database}`, { max: 1, onnotice: () => undefined }),
    pids,
    destroy,
    url: `postgres://keepsake:${password}@127.0.0.1:${port}/keepsake`,
    port,
    kill,
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

async function writePasswords(file: string, { uid, gid }: Identity): Promise<void> {
  await writeFile(file, `127.0.0.1:*:*:*:${password}\n`, { mode: 0o600 })
  if (uid !== undefined) await chown(file, uid, gid ?? uid)
}

/** A process may exit between the moment it is listed and the signal. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ESRCH') throw error
  }
}

/** The caller's time limit ends the wait. */
async function untilGone(pid: number): Promise<void> {
  while (await isRunning(pid)) await sleep(20)
}

/** A zombie has ended: its parent has not asked for its status yet. */
async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return status !== '' && !/\) [ZX] /.test(status)
}

/** Installs the extension in the template of new databases, because creating it takes a superuser. */
async function prepare(adminUrl: string): Promise<void> {
  const template = postgres(`${adminUrl}/template1`, { max: 1 })
  await template.unsafe('CREATE EXTENSION vector')
  await template.end()
  const admin = postgres(`${adminUrl}/postgres`, { max: 1 })
  await admin.unsafe(`CREATE ROLE keepsake LOGIN CREATEDB PASSWORD '${password}'`)
  await admin.unsafe('CREATE DATABASE keepsake OWNER keepsake')
  await admin.end()
}

/** The server that SERVICE_TEST_DATABASE_URL names, or a new one. For tests that do not stop it. */
export async function anyPostgres(): Promise<Pick<PostgresServer, 'url' | 'close'>> {
  const url = process.env.SERVICE_TEST_DATABASE_URL
  return url ? { url, close: async () => undefined } : startPostgres()
}

let databases = 0

export interface TestDatabase {
  readonly name: string
  readonly url: string
  drop(): Promise<void>
}

/** Creates an empty database, or a copy of another one to which nobody is connected. */
export async function makeDatabase(serverUrl: string, template?: string): Promise<TestDatabase> {
  databases += 1
  const name = `keepsake_test_${process.pid}_${Date.now().toString(36)}_${databases}`
  const nodes = nodesOf(serverUrl)
  if (nodes) return makeOnEveryNode(nodes, serverUrl, name, template)
  await asOperator(serverUrl, `CREATE DATABASE ${name}${template === undefined ? '' : ` TEMPLATE ${template}`}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return { name, url: url.href, drop: () => dropDatabase(serverUrl, name) }
}

/** Uses FORCE only if a connection is left: FORCE also needs the right to end PostgreSQL's own maintenance processes. */
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

interface Identity {
  readonly uid?: number
  readonly gid?: number
}

/** PostgreSQL refuses to run as root. */
async function unprivileged(): Promise<Identity> {
  if (process.getuid?.() !== 0) return {}
  const number = async (option: '-u' | '-g') => Number((await run('id', [option, 'nobody'])).stdout)
  return { uid: await number('-u'), gid: await number('-g') }
}
