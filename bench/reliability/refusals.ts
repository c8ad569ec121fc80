/**
 * Disks that accept no more writes: full, read-only, or failing. Writes are rejected with 503, reads keep working,
 * every acknowledged write is there, and when the disk recovers, so does the service.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Answer, type HttpClient, httpClient } from '../http-client.js'
import type { ServiceProcess } from '../service-process.js'
import { type Engine, openEngine } from './engines.js'
import { type Fault, type FaultContext, type FaultResult, sleep, until, verifyAll, writerCount } from './fault.js'
import {
  execute,
  makeImage,
  mountImage,
  mountMemory,
  mountObstacle,
  stopWriting,
  straceObstacle,
  unmount,
} from './file-systems.js'
import { emptyLedger, type Ledger, type Problem } from './ledger.js'
import { startWriters } from './writers.js'

/** Minimum number of answers of each kind to wait for on a slow machine, within the time limit below. */
const least = { acknowledged: 40, refused: 40 }
const longestMs = 15_000
const recoveryMs = 5_000
/** Time that PostgreSQL may need to recover from its log on a busy disk. */
const databaseRecoveryMs = 60_000

/** A disk, its contents, and how it breaks. */
interface Disk {
  readonly engine: Engine
  break(service: ServiceProcess): Promise<void>
  mend(): Promise<void>
  /** The service must be restarted after the disk is repaired, because its open files belong to the broken one. */
  readonly needsRestart?: boolean
  /** The database itself is unavailable for a moment, so reads are rejected too. */
  readonly takesReadsAlong?: boolean
  /** Deleting needs space too: the embedded engine reserves some for it. */
  readonly keepsRoomToDelete?: boolean
  close(): Promise<void>
}

function refusing(open: (context: FaultContext) => Promise<Disk>, obstacle: () => Promise<string | undefined>): Fault {
  return {
    engines: ['sqlite', 'postgres'],
    obstacle,
    async run(context) {
      const disk = await open(context)
      try {
        return await breakAndMend(context, disk)
      } finally {
        await disk.close()
      }
    },
  }
}

async function breakAndMend(context: FaultContext, disk: Disk): Promise<FaultResult> {
  const ledger = emptyLedger()
  const problems: Problem[] = []
  let service = await context.start(disk.engine.start)
  let client = httpClient(service.root, writerCount)
  try {
    problems.push(...(await write(context, client, ledger, false)).problems)
    await disk.break(service)
    const broken = await write(context, client, ledger, true)
    problems.push(...broken.problems)
    if (broken.refused === 0) problems.push({ kind: 'answer', text: 'no write was rejected while the disk was broken' })
    const remark = await whileBroken(context, client, service, ledger, disk, problems)
    await disk.mend()
    if (disk.needsRestart) {
      await service.kill()
      client.close()
      service = await context.start(disk.engine.start)
      client = httpClient(service.root, writerCount)
    }
    const mendedAt = performance.now()
    const patienceMs = disk.takesReadsAlong ? databaseRecoveryMs : recoveryMs
    const isBack = await until(() => writesSteadily(client), patienceMs)
    const backMs = performance.now() - mendedAt
    if (!isBack) {
      problems.push({ kind: 'late', text: `no write succeeds ${patienceMs} ms after the disk was repaired` })
      return { rounds: 1, problems, ledger, seen: `${broken.refused} writes refused with 503; ${remark}` }
    }
    problems.push(...(await verifyAll(service, ledger, context.random)).problems)
    await service.kill()
    service = await context.start(disk.engine.start)
    problems.push(...(await verifyAll(service, ledger, context.random)).problems)
    const seen = `${broken.refused} writes refused with 503; ${remark}; writes again ${backMs.toFixed(0)} ms after`
    return { rounds: 1, problems, ledger, seen }
  } finally {
    client.close()
    await service.kill()
  }
}

async function write(context: FaultContext, client: HttpClient, ledger: Ledger, isBroken: boolean) {
  const writers = startWriters(client, ledger, context.random, { count: writerCount, expectRefusals: isBroken })
  const hasEnough = () =>
    isBroken ? writers.refused() >= least.refused : writers.acknowledgedAt.length >= least.acknowledged
  await until(hasEnough, longestMs)
  writers.expectEnd()
  return { problems: await writers.ended, refused: writers.refused() }
}

/** One write, one delete, all reads, and the probes. */
async function whileBroken(
  context: FaultContext,
  client: HttpClient,
  service: ServiceProcess,
  ledger: Ledger,
  disk: Disk,
  problems: Problem[],
): Promise<string> {
  if (disk.takesReadsAlong) return 'the database was unavailable for a moment'
  // Small writes may still fit: the test needs one that is rejected, and checks how.
  const refusal = await refusedStore(client)
  if (refusal === undefined) problems.push({ kind: 'answer', text: 'stores succeed on a broken disk' })
  else if (!refusal.text.includes('"unavailable"')) problems.push({ kind: 'answer', text: refusal.text })
  problems.push(...(await verifyAll(service, ledger, context.random)).problems)
  const deleted = await deleteOne(client, ledger)
  const probes = await Promise.all(['/livez', '/readyz'].map(async (path) => (await client.send('GET', path)).status))
  const health = await client.send('GET', '/api/v1/health')
  const expect = (what: string, status: number | undefined, wanted: number) => {
    if (status !== wanted) problems.push({ kind: 'answer', text: `${what} answers ${status} on a broken disk` })
  }
  if (disk.keepsRoomToDelete) expect('a delete', deleted, 200)
  // Reads still work, so traffic should continue; monitoring must notice the problem.
  expect('/livez', probes[0], 200)
  expect('/readyz', probes[1], 200)
  expect('/health', health.status, 503)
  return `all reads right; delete ${deleted}; /readyz ${probes[1]}, /health ${health.status}`
}

/** A delete either succeeds and is recorded, or is rejected and must not have happened. */
async function deleteOne(client: HttpClient, ledger: Ledger): Promise<number> {
  const [kept] = ledger.kept.values()
  if (!kept) return 0
  const body = { memory_ids: [kept.id], user_id: kept.userId }
  const { status } = await client.send('DELETE', '/api/v1/memories', body)
  if (status === 200) {
    ledger.kept.delete(kept.id)
    ledger.deleted.set(kept.id, kept)
    ledger.touched.add(kept.id)
  }
  return status
}

function store(client: HttpClient, padding = ''): Promise<Answer> {
  const content = `The lighthouse keeper counted ${performance.now()} ships.${padding}`
  // A separate user that is not in the ledger.
  return client.send('POST', '/api/v1/store', { user_id: 'probe', content })
}

/** Several successes in a row: a database that is shutting down may still answer once. */
async function writesSteadily(client: HttpClient): Promise<boolean> {
  for (let turn = 0; turn < 3; turn++) {
    if ((await store(client)).status !== 200) return false
    await sleep(150)
  }
  return true
}

async function refusedStore(client: HttpClient): Promise<Answer | undefined> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const answer = await store(client, ' It rained.'.repeat(300))
    if (answer.status !== 200) return answer
  }
  return undefined
}

/* ------------------------------------------------------------------ full */

export const diskFull = refusing(async (context) => {
  const at = join(context.directory, 'small')
  await mountMemory(at, context.engine === 'sqlite' ? 24 : 220)
  const logDirectory = join(context.directory, 'log-of-writes')
  const ballast = join(at, 'ballast')
  // PostgreSQL shuts down if its write-ahead log has no space, so the log gets a separate disk.
  const engine = await openEngine(context.engine, at, context.engine === 'postgres' ? { logDirectory } : {})
  return {
    engine,
    keepsRoomToDelete: context.engine === 'sqlite',
    async break() {
      await execute('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=64k']).catch(() => undefined)
    },
    mend: () => rm(ballast),
    async close() {
      await engine.close()
      await unmount(at)
    },
  }
}, mountObstacle)

/* ------------------------------------------------------------------ read-only */

export const readOnly = refusing(async (context) => {
  if (context.engine === 'postgres') return readOnlyDatabase(context)
  const [image, at] = [join(context.directory, 'disk'), join(context.directory, 'mounted')]
  await makeImage(image, 192)
  await mountImage(image, at)
  const engine = await openEngine('sqlite', at)
  return {
    engine,
    needsRestart: true,
    break: () => stopWriting(at),
    async mend() {
      await execute('umount', ['--lazy', at])
      // The service still has its files open; the image contains what is on the disk.
      await execute('cp', ['--sparse=always', image, `${image}-mended`])
      await execute('e2fsck', ['-y', `${image}-mended`]).catch(() => undefined)
      await unmount(at).catch(() => undefined)
      await mountImage(`${image}-mended`, at)
    },
    close: () => unmount(at),
  }
}, mountObstacle)

/** Like a standby, or a primary that an operator made read-only. */
async function readOnlyDatabase(context: FaultContext): Promise<Disk> {
  const engine = await openEngine('postgres', context.directory)
  const close = async (isReadOnly: boolean): Promise<void> => {
    const sql = engine.server?.asAdmin('postgres')
    if (sql === undefined) throw new Error('there is no database to make read-only')
    await sql.unsafe(`ALTER SYSTEM SET default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`)
    await sql.unsafe('SELECT pg_reload_conf()')
    await sql.end()
  }
  return { engine, break: () => close(true), mend: () => close(false), close: () => engine.close() }
}

/* ------------------------------------------------------------------ failing */

export const ioError = refusing(async (context) => {
  await mkdir(join(context.directory, 'data'), { recursive: true })
  const engine = await openEngine(context.engine, join(context.directory, 'data'))
  let strace: ChildProcess | undefined
  const told = join(context.directory, 'strace.log')
  return {
    engine,
    // PostgreSQL does not trust a disk that failed to sync: it restarts and recovers from its log.
    takesReadsAlong: context.engine === 'postgres',
    async break(service) {
      const pids = engine.server ? await backends(await engine.server.pids()) : [service.pid]
      const targets = pids.flatMap((pid) => ['-p', String(pid)])
      // Only the existing processes: a restarted database finds a working disk.
      const follow = engine.server ? [] : ['-f']
      const inject = ['-e', 'trace=fsync,fdatasync', '-e', 'inject=fsync,fdatasync:error=EIO']
      strace = spawn('strace', [...follow, ...inject, '-o', told, ...targets], { stdio: ['ignore', 'ignore', 'pipe'] })
      const child = strace
      process.once('exit', () => child.kill('SIGINT'))
      let output = ''
      child.stderr?.on('data', (chunk: Buffer) => {
        output += chunk.toString('utf8')
      })
      if (!(await until(() => output.includes('attached'), 10_000))) throw new Error(`strace: ${output}`)
    },
    async mend() {
      if (strace === undefined || strace.exitCode !== null) return
      const gone = new Promise((resolve) => strace?.once('exit', resolve))
      strace.kill('SIGINT')
      await gone
    },
    close: () => engine.close(),
  }
}, straceObstacle)

/** The processes that serve connections; background processes handle a failing disk differently. */
async function backends(pids: readonly number[]): Promise<number[]> {
  const { stdout } = await execute('ps', ['-o', 'pid=,args=', '-p', pids.join(',')])
  const lines = stdout.split('\n').filter((line) => / keepsake keepsake /.test(line))
  return lines.map((line) => Number(line.trim().split(' ')[0]))
}
