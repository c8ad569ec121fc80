/**
 * `npm run test:faults`: compares the service's contents with its acknowledged writes after crashes, power cuts, broken
 * disks, database restarts and failovers, killed workers of Citus, wrong clocks and shutdowns under load. Runs on both engines and prints a table at the end.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { random } from '../random.js'
import { buildFingerprint, crashDuringStart, type StartOptions, startService } from '../service-process.js'
import { markdownTable } from '../table.js'
import { type Broken, breakable, breakService } from './broken-service.js'
import { clock } from './clock.js'
import { drain } from './drain.js'
import { failover } from './failover.js'
import { acknowledgedWrites, type EngineName, engineNames, type Fault, type FaultResult } from './fault.js'
import { unmountAll } from './file-systems.js'
import { kill } from './kill.js'
import type { Problem } from './ledger.js'
import { power } from './power.js'
import { diskFull, ioError, readOnly } from './refusals.js'
import { restart } from './restart.js'
import { syncOrder } from './sync-order.js'
import { workerKilled } from './worker-killed.js'

const faults: Readonly<Record<string, Fault>> = {
  kill,
  power,
  fsync: syncOrder,
  'disk-full': diskFull,
  'read-only': readOnly,
  'io-error': ioError,
  restart,
  failover,
  'worker-killed': workerKilled,
  clock,
  sigterm: drain,
}
const shownProblems = 8
/** Generous, because a busy machine is not a fault of the service. */
const readyTimeoutMs = 180_000

interface Row {
  readonly name: string
  readonly engine: EngineName
  readonly outcome: FaultResult | { readonly skipped: string }
  readonly seconds: number
}

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      engine: { type: 'string', default: 'both' },
      /** Rounds per kind of fault; by default each kind has its own number. */
      rounds: { type: 'string' },
      only: { type: 'string', default: Object.keys(faults).join(',') },
      /** Runs a sabotaged copy of the service: then each kind must find something. */
      broken: { type: 'boolean', default: false },
    },
  })
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds)
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0))
    throw new Error('--rounds must be a whole number from 1')
  const engines = values.engine === 'both' ? engineNames : engineNames.filter((name) => name === values.engine)
  if (engines.length === 0) throw new Error('--engine must be sqlite, postgres or both')
  const names = values.only.split(',')
  for (const name of names) if (!faults[name]) throw new Error(`--only accepts ${Object.keys(faults).join(', ')}`)

  const build = await buildFingerprint()
  const rows: Row[] = []
  for (const name of names) {
    for (const engine of engines) {
      const fault = faults[name]
      if (!fault?.engines.includes(engine)) continue
      const ways = values.broken ? breakable(name, engine) : [undefined]
      for (const broken of ways) rows.push(await one(name, fault, engine, rounds, broken))
    }
  }
  console.log(`\n${summary(rows)}\n`)
  if ((await buildFingerprint()) !== build) console.log('THE SERVICE WAS REBUILT DURING THIS RUN: it mixes builds')
  const failed = rows.filter(({ outcome }) => 'problems' in outcome && outcome.problems.length > 0).length
  const passed = rows.filter(({ outcome }) => 'problems' in outcome).length - failed
  console.log(`${passed} passed, ${failed} failed, ${rows.length - passed - failed} skipped`)
  // An unfinished run proves nothing, least of all that it detected a sabotaged copy.
  const aborted = rows.filter(({ outcome }) => 'isAborted' in outcome && outcome.isAborted).length
  process.exitCode = (values.broken ? passed + aborted : failed) === 0 ? 0 : 1
}

async function one(
  name: string,
  fault: Fault,
  engine: EngineName,
  rounds: number | undefined,
  broken: Broken | undefined,
): Promise<Row> {
  const title = broken === undefined ? name : `${name}, where ${broken.what}`
  const startedAt = performance.now()
  const done = (outcome: Row['outcome']): Row => {
    const seconds = (performance.now() - startedAt) / 1000
    console.log(`${title} (${engine}): ${verdict(outcome)} after ${seconds.toFixed(0)} s`)
    if ('problems' in outcome)
      for (const { kind, text } of outcome.problems.slice(0, shownProblems)) console.log(`    ${kind}: ${text}`)
    return { name: title, engine, outcome, seconds }
  }
  const obstacle = await fault.obstacle?.()
  if (obstacle !== undefined) return done({ skipped: obstacle })
  const directory = await mkdtemp(join(tmpdir(), `keepsake-faults-${name}-`))
  // PostgreSQL runs as another user and needs access.
  await chmod(directory, 0o755)
  const undo = await breakService(broken)
  const startArguments = (options: StartOptions): StartOptions => ({
    readyTimeoutMs,
    ...options,
    ...(undo.mainFile === undefined ? {} : { nodeArguments: [undo.mainFile] }),
  })
  try {
    const outcome = await fault.run({
      engine,
      rounds,
      directory,
      random: random(Date.now()),
      start: (options) => startService(startArguments(options)),
      crashDuringStart: (options, afterMs) => crashDuringStart(startArguments(options), afterMs),
      log: (line) => console.log(`  ${line}`),
    })
    if (outcome.problems.length === 0 || broken) await rm(directory, { recursive: true, force: true })
    else console.log(`the data was kept for inspection: ${directory}`)
    return done(outcome)
  } catch (error) {
    const problem: Problem = {
      kind: 'answer',
      text: error instanceof Error ? (error.stack ?? error.message) : String(error),
    }
    return done({ rounds: 0, problems: [problem], seen: 'it did not finish', isAborted: true })
  } finally {
    await unmountAll()
    await undo.remove()
  }
}

function verdict(outcome: Row['outcome']): string {
  if ('skipped' in outcome) return `skipped: ${outcome.skipped}`
  return outcome.problems.length === 0 ? 'ok' : `${outcome.problems.length} PROBLEMS`
}

function summary(rows: readonly Row[]): string {
  const cells = rows.map(({ name, engine, outcome, seconds }) => {
    if ('skipped' in outcome) return [name, engine, '', '', '', '', '', '', `skipped: ${outcome.skipped}`]
    const { problems, ledger } = outcome
    const count = (...kinds: Problem['kind'][]) => String(problems.filter(({ kind }) => kinds.includes(kind)).length)
    return [
      name,
      engine,
      String(outcome.rounds),
      ledger === undefined ? '' : String(acknowledgedWrites(ledger)),
      count('lost'),
      count('changed', 'half there', 'unreadable'),
      count('not deleted', 'from nowhere'),
      count('refused', 'answer', 'dropped', 'late'),
      `${outcome.seen} (${seconds.toFixed(0)} s)`,
    ]
  })
  const head = ['fault', 'engine', 'rounds', 'acknowledged', 'lost', 'torn', 'back', 'other', 'seen']
  return markdownTable(head, cells)
}

// An interrupted run leaves neither a service nor a mounted file system behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void unmountAll().finally(() => process.exit(130)))
}
run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : error)
  process.exitCode = 1
})
