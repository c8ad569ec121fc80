/**
 * Kills a worker of Citus (SIGKILL) under load and starts it again, over and over, both in turn. Nothing acknowledged may be lost and
 * nothing may be half there, and writes to the users of that worker resume within 10 s of its start.
 */
import { join } from 'node:path'
import { type CitusCluster, startCitus } from '../../packages/server/test/services/citus.js'
import { findPrograms } from '../../packages/server/test/services/postgres.js'
import { httpClient } from '../http-client.js'
import type { ServiceProcess } from '../service-process.js'
import { startOptions } from './engines.js'
import {
  type Fault,
  type FaultContext,
  type FaultResult,
  sleep,
  until,
  users,
  verifyAll,
  writerCount,
} from './fault.js'
import { emptyLedger, type Ledger, type Problem } from './ledger.js'
import { startWriters } from './writers.js'

const writingMs = 1_000
const longestRecoveryMs = 10_000
/** A request that the caller gave up could still be done after the comparison, so callers are patient. */
const patienceMs = 180_000

interface Round {
  readonly problems: Problem[]
  readonly refused: number
  /** Writes to users of the other worker while this one was down. */
  readonly beside: number
  readonly recoveryMs: number
}

export const workerKilled: Fault = {
  engines: ['postgres'],
  obstacle: async () =>
    findPrograms('citus').then(
      () => undefined,
      (error: { readonly stderr?: string }) => error.stderr?.trim() ?? 'no Citus',
    ),
  async run(context) {
    const rounds = context.rounds ?? 20
    const cluster = await startCitus({ durable: true, directory: join(context.directory, 'citus'), shards: 32 })
    const ledger = emptyLedger()
    const done: Round[] = []
    const service = await context.start(await startOptions(context.directory, cluster.url))
    try {
      await requireSpread(service, cluster)
      for (let number = 0; number < rounds; number++) {
        const round = await killOne(context, cluster, service, ledger, number)
        done.push(round)
        context.log(
          `${number + 1} of ${rounds} kills, first write ${round.recoveryMs.toFixed(0)} ms after the start, ` +
            `${round.beside} beside it, ${round.problems.length} problems`,
        )
      }
      return resultOf(done, ledger)
    } finally {
      await service.kill()
      await cluster.close()
    }
  },
}

function resultOf(done: readonly Round[], ledger: Ledger): FaultResult {
  const sum = (of: (round: Round) => number) => done.reduce((total, round) => total + of(round), 0)
  const times = done.map(({ recoveryMs }) => recoveryMs).sort((a, b) => a - b)
  return {
    rounds: done.length,
    problems: done.flatMap(({ problems }) => problems),
    ledger,
    seen:
      `${sum(({ refused }) => refused)} refused with 503; ${sum(({ beside }) => beside)} writes while a worker was down; first ` +
      `write ${(times[times.length >> 1] ?? 0).toFixed(0)} ms (median), ${(times.at(-1) ?? 0).toFixed(0)} ms (worst) after its start`,
  }
}

/** Loads the models, which takes a while. Without users on both workers, a kill would say nothing. */
async function requireSpread(service: ServiceProcess, cluster: CitusCluster): Promise<void> {
  const client = httpClient(service.root, 1, patienceMs)
  const body = { user_id: 'nobody-compares', content: 'The lighthouse was repaired in spring.' }
  const { status } = await client.send('POST', '/api/v1/store', body)
  client.close()
  if (status !== 200) throw new Error(`the first write was answered with ${status}`)
  for (const { port } of cluster.workers) {
    if ((await usersOf(cluster, port)).length === 0) throw new Error('a worker has none of the users of this test')
  }
}

async function killOne(
  context: FaultContext,
  cluster: CitusCluster,
  service: ServiceProcess,
  ledger: Ledger,
  number: number,
): Promise<Round> {
  const worker = cluster.workers[number % cluster.workers.length]
  if (!worker) throw new Error('there is no worker to kill')
  const client = httpClient(service.root, writerCount, patienceMs)
  const writing = { count: writerCount, expectRefusals: true, pauseAfterRefusalMs: 100 }
  const writers = startWriters(client, ledger, context.random, writing)
  await writers.acknowledgedOnce
  await sleep(writingMs + context.random() * 500)
  await worker.destroy()
  const killedAt = performance.now()
  await sleep(500 + context.random() * 1_000)
  await worker.start()
  const startedAt = performance.now()
  const own = new Set(await usersOf(cluster, worker.port))
  const resumed = () => writers.acknowledgedAt.find((at) => at > startedAt)
  const isResumed = await until(() => resumed() !== undefined, patienceMs)
  await sleep(writingMs)
  writers.expectEnd()
  const problems = await writers.ended
  client.close()
  const recoveryMs = (resumed() ?? Number.POSITIVE_INFINITY) - startedAt
  if (!isResumed || recoveryMs > longestRecoveryMs) {
    problems.push({ kind: 'late', text: `round ${number + 1}: first write after ${recoveryMs.toFixed(0)} ms` })
  }
  problems.push(...(await served(service, own, number)), ...(await verifyAll(service, ledger, context.random)).problems)
  for (const { kind, text } of problems) context.log(`${kind}: ${text}`)
  const beside = writers.acknowledgedAt.filter((at) => at > killedAt && at < startedAt).length
  return { problems, refused: writers.refused(), beside, recoveryMs }
}

async function usersOf(cluster: CitusCluster, port: number): Promise<string[]> {
  const sql = cluster.coordinator.asAdmin('keepsake')
  const rows = await sql<{ shard: string; port: number }[]>`SELECT s.shardid::text AS shard, p.nodeport AS port
    FROM pg_dist_shard s JOIN pg_dist_shard_placement p USING (shardid) WHERE s.logicalrelid = 'users'::regclass`
  const own = new Set(rows.filter((row) => row.port === port).map(({ shard }) => shard))
  const found: string[] = []
  for (const user of users) {
    const [row] = await sql`SELECT get_shard_id_for_distribution_column('users', ${user}::text)::text AS shard`
    if (own.has(row?.shard)) found.push(user)
  }
  await sql.end()
  return found
}

/** The users of the killed worker, not only others, are served again. */
async function served(service: ServiceProcess, own: ReadonlySet<string>, number: number): Promise<Problem[]> {
  const client = httpClient(service.root, 1, patienceMs)
  const problems: Problem[] = []
  for (const user of own) {
    const isRead = await until(
      async () => (await client.send('POST', '/api/v1/recall', { user_id: user, query: 'lighthouse' })).status === 200,
      longestRecoveryMs,
      200,
    )
    if (!isRead) problems.push({ kind: 'late', text: `round ${number + 1}: ${user} cannot be read after 10 s` })
  }
  client.close()
  return problems
}
