/**
 * `npm run test:faults`: kills the service (SIGKILL) in the middle of concurrent writes, starts it again on
 * the same directory and compares what it holds with what it acknowledged. Many times in a row.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { httpClient } from '../http-client.js'
import { type Random, random } from '../random.js'
import {
  buildFingerprint,
  crashDuringStart,
  type ServiceProcess,
  type StartOptions,
  serviceEnvironment,
  startService,
} from '../service-process.js'
import { markdownTable } from '../table.js'
import { emptyLedger, type Ledger, type Problem } from './ledger.js'
import { type Verified, verify } from './verify.js'
import { startWriters, userOf } from './writers.js'

const writerCount = 6
const users = [...new Set(Array.from({ length: writerCount }, (_, writer) => userOf(writer)))]
/** The service is killed this long after its first acknowledgement of the round. */
const killAfterMs = { least: 200, most: 1500 }
/** In every so many rounds the first start after the kill is killed as well. */
const crashedStartEvery = 5
const shownProblems = 5

interface Round extends Verified {
  readonly readyMs: number
  readonly killedAfterMs: number
}

async function run(): Promise<void> {
  const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '50' } } })
  const rounds = Number(options.rounds)
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a number from 1')

  const directory = await mkdtemp(join(tmpdir(), 'keepsake-faults-'))
  const dataDir = join(directory, 'data')
  const start: StartOptions = {
    environment: {
      ...serviceEnvironment(dataDir),
      // A file, because a line of it that was cut by the kill must not stop the next start.
      SERVICE_AUDIT_LOG: join(directory, 'audit.log'),
    },
    workingDirectory: directory,
  }
  const build = await buildFingerprint()
  const ledger = emptyLedger()
  const done: Round[] = []
  const aborted = await killRepeatedly(start, ledger, rounds, done).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (aborted !== undefined) console.log(`\nthe service could not be brought back: ${String(aborted)}`)

  const passed = done.filter(({ problems }) => problems.length === 0).length
  const failed = done.length - passed + (aborted === undefined ? 0 : 1)
  console.log(`\n${summary(ledger, done)}\n`)
  if ((await buildFingerprint()) !== build) console.log('THE SERVICE WAS BUILT ANEW DURING THIS RUN: it mixes builds')
  if (failed === 0) await rm(directory, { recursive: true, force: true })
  else console.log(`the data directory is kept for a closer look: ${dataDir}`)
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}

async function killRepeatedly(start: StartOptions, ledger: Ledger, rounds: number, done: Round[]): Promise<void> {
  const next = random(Date.now())
  let service = await startService(start)
  for (let number = 1; number <= rounds; number++) {
    const { problems, killedAfterMs } = await writeAndKill(service, ledger, next)
    if (number % crashedStartEvery === 0) await crashDuringStart(start, 50 + next() * 700)
    service = await startService(start)
    done.push(await judge(service, ledger, next, problems, killedAfterMs))
    console.log(roundLine(number, rounds, done.at(-1)))
  }
  // A stop on request must keep everything as well, writes that only gather in memory included.
  await service.stop()
  service = await startService(start)
  const afterStop = await judge(service, ledger, next, [], 0)
  await service.stop()
  const last = done.pop()
  if (last) done.push({ ...last, problems: [...last.problems, ...afterStop.problems] })
  for (const { kind, text } of afterStop.problems) console.log(`after a stop on request: ${kind}: ${text}`)
}

async function writeAndKill(
  service: ServiceProcess,
  ledger: Ledger,
  next: Random,
): Promise<{ problems: Problem[]; killedAfterMs: number }> {
  const client = httpClient(service.root, writerCount)
  const writers = startWriters(client, ledger, next, writerCount)
  await writers.acknowledgedOnce
  const killedAfterMs = killAfterMs.least + next() * (killAfterMs.most - killAfterMs.least)
  await new Promise((resolve) => setTimeout(resolve, killedAfterMs))
  const killed = service.kill()
  writers.expectEnd()
  await killed
  const problems = await writers.ended
  client.close()
  return { problems, killedAfterMs }
}

async function judge(
  service: ServiceProcess,
  ledger: Ledger,
  next: Random,
  problems: readonly Problem[],
  killedAfterMs: number,
): Promise<Round> {
  const client = httpClient(service.root, 8)
  try {
    const verified = await verify(client, ledger, users, next)
    const all = [...problems, ...verified.problems]
    return { ...verified, problems: all, killedAfterMs, readyMs: service.readyMs }
  } finally {
    client.close()
  }
}

function roundLine(number: number, rounds: number, round: Round | undefined): string {
  if (!round) return ''
  const { problems, killedAfterMs, readyMs, inFlight, happened } = round
  const verdict = problems.length === 0 ? 'ok' : `FAILED (${problems.length})`
  const line =
    `round ${String(number).padStart(3)} of ${rounds}: ${verdict}, killed after ${killedAfterMs.toFixed(0)} ms with ` +
    `${inFlight} writes in flight (${happened} had happened), ready again in ${readyMs.toFixed(0)} ms`
  return [line, ...problems.slice(0, shownProblems).map(({ kind, text }) => `    ${kind}: ${text}`)].join('\n')
}

function summary(ledger: Ledger, rounds: readonly Round[]): string {
  const readyTimes = rounds.map(({ readyMs }) => readyMs).sort((a, b) => a - b)
  const problems = rounds.flatMap((round) => round.problems)
  const count = (...kinds: Problem['kind'][]) => String(problems.filter(({ kind }) => kinds.includes(kind)).length)
  const sum = (of: (round: Round) => number) => String(rounds.reduce((total, round) => total + of(round), 0))
  const { stores, memories, updates, marks, deletes } = ledger.acknowledged
  return markdownTable(
    ['after every kill -9', ''],
    [
      ['rounds', String(rounds.length)],
      ['acknowledged stores (memories)', `${stores} (${memories})`],
      ['acknowledged updates of content, of metadata', `${updates}, ${marks}`],
      ['acknowledged deletes', String(deletes)],
      [
        'writes in flight at a kill (had happened)',
        `${sum((round) => round.inFlight)} (${sum((round) => round.happened)})`,
      ],
      ['start to ready, ms median / longest', `${ms(readyTimes[readyTimes.length >> 1])} / ${ms(readyTimes.at(-1))}`],
      ['acknowledged and lost', count('lost')],
      ['changed, or a wrong checksum', count('changed')],
      ['half there, or not readable', count('half there', 'unreadable')],
      ['deleted and back', count('not deleted')],
      ['never stored and there', count('from nowhere')],
      ['refused while running', count('refused')],
    ],
  )
}

function ms(value: number | undefined): string {
  return value === undefined ? 'none' : value.toFixed(0)
}

// An interrupted run leaves no service behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : error)
  process.exitCode = 1
})
