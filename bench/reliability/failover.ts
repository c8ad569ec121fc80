/**
 * Kills the primary of PostgreSQL under load and promotes its synchronous standby, over and over. Nothing acknowledged may be
 * lost, and writes resume within 10 s of the order to promote. Then the old primary returns, ready to accept and acknowledge writes:
 * it must get none.
 */
import { join } from 'node:path'
import { type PostgresPair, startPair } from '../../packages/server/test/services/postgres-pair.js'
import { type HttpClient, httpClient } from '../http-client.js'
import type { ServiceProcess, StartOptions } from '../service-process.js'
import { startOptions } from './engines.js'
import { type Fault, type FaultContext, type FaultResult, sleep, until, verifyAll, writerCount } from './fault.js'
import { emptyLedger, type Ledger, type Problem } from './ledger.js'
import { startWriters } from './writers.js'

const writingMs = 1_000
const longestRecoveryMs = 10_000
/** In every second round the standby falls silent this long before the primary dies: writes must wait for it. */
const silenceMs = 500
/** A request that the caller gave up could still be done after the comparison, so callers are patient. */
const patienceMs = 180_000
/** Longer than the service takes to notice the old primary. */
const besideMs = 3_000
/** Every this many rounds, the service restarts while both servers accept writes. */
const restartEvery = 5

/** Callers wait a moment after a 503, though less than the second that `Retry-After` asks for. */
const writing = { count: writerCount, expectRefusals: true, pauseAfterRefusalMs: 200 }

interface Round {
  readonly problems: Problem[]
  readonly isResumed: boolean
  readonly refused: number
  readonly sincePromotionMs: number
  readonly sinceKillMs: number
}

export const failover: Fault = {
  engines: ['postgres'],
  async run(context) {
    const rounds = context.rounds ?? 20
    const pair = await startPair({ directory: join(context.directory, 'pair') })
    const ledger = emptyLedger()
    const done: Round[] = []
    const start = await startOptions(context.directory, pair.url)
    let service = await startWarm(context, start)
    try {
      for (let number = 1; number <= rounds; number++) {
        const round = await failOver(context, pair, service, ledger, number)
        done.push(round)
        // Without a write there is nothing to compare.
        if (!round.isResumed) break
        service = await oldReturns(context, { pair, service, start }, ledger, number, round.problems)
        await pair.follow()
        for (const { kind, text } of round.problems) context.log(`${kind}: ${text}`)
        const problems = done.reduce((sum, each) => sum + each.problems.length, 0)
        context.log(
          `${number} of ${rounds} failovers, first write ${round.sincePromotionMs.toFixed(0)} ms after the promotion, ${problems} problems`,
        )
      }
      return resultOf(done, ledger)
    } finally {
      await service.kill()
      await pair.close()
    }
  },
}

/** A new service loads its models with the first writes, which takes minutes on a busy machine. */
async function startWarm(context: FaultContext, start: StartOptions): Promise<ServiceProcess> {
  const service = await context.start(start)
  const client = httpClient(service.root, 1, patienceMs)
  const body = { user_id: 'nobody-compares', content: 'The lighthouse was repaired in spring.' }
  const isStored = () =>
    client.send('POST', '/api/v1/store', body).then(
      ({ status }) => status === 200,
      () => false,
    )
  await until(isStored, patienceMs)
  client.close()
  return service
}

function resultOf(done: readonly Round[], ledger: Ledger): FaultResult {
  const times = (of: (round: Round) => number) => {
    const sorted = done.map(of).sort((a, b) => a - b)
    return `${(sorted[sorted.length >> 1] ?? 0).toFixed(0)} ms (median), ${(sorted.at(-1) ?? 0).toFixed(0)} ms (worst)`
  }
  return {
    rounds: done.length,
    problems: done.flatMap(({ problems }) => problems),
    ledger,
    seen:
      `${done.reduce((sum, { refused }) => sum + refused, 0)} refused with 503; first write ` +
      `${times(({ sincePromotionMs }) => sincePromotionMs)} after the promotion, ${times(({ sinceKillMs }) => sinceKillMs)} after ` +
      'the kill; the old primary was not written to',
  }
}

async function failOver(
  context: FaultContext,
  pair: PostgresPair,
  service: ServiceProcess,
  ledger: Ledger,
  number: number,
): Promise<Round> {
  const client = httpClient(service.root, writerCount, patienceMs)
  const writers = startWriters(client, ledger, context.random, writing)
  await writers.acknowledgedOnce
  await sleep(writingMs)
  if (number % 2 === 0) {
    await pair.standby().freeze()
    await sleep(silenceMs)
  }
  const killedAt = performance.now()
  await pair.primary().destroy()
  if (number % 2 === 0) await pair.standby().thaw()
  await sleep(context.random() * 500)
  const promotedAt = performance.now()
  const resumed = () => writers.acknowledgedAt.find((at) => at > promotedAt)
  await pair.promote()
  const isResumed = await until(() => resumed() !== undefined, patienceMs)
  await sleep(writingMs)
  writers.expectEnd()
  const problems = await writers.ended
  client.close()
  const first = resumed() ?? Number.POSITIVE_INFINITY
  if (first - promotedAt > longestRecoveryMs) {
    problems.push({ kind: 'late', text: `round ${number}: first write after ${(first - promotedAt).toFixed(0)} ms` })
  }
  return {
    isResumed,
    problems,
    refused: writers.refused(),
    sincePromotionMs: first - promotedAt,
    sinceKillMs: first - killedAt,
  }
}

/** The old primary runs beside the new one. Returns the service, or the one that replaced it. */
async function oldReturns(
  context: FaultContext,
  { pair, service, start }: { pair: PostgresPair; service: ServiceProcess; start: StartOptions },
  ledger: Ledger,
  number: number,
  problems: Problem[],
): Promise<ServiceProcess> {
  await pair.reviveOld()
  const nextWrite = await pair.nextWrite(pair.standby())
  let running = service
  if (number % restartEvery === 0) {
    await service.stop()
    running = await startWarm(context, start)
  }
  const client = httpClient(running.root, writerCount, patienceMs)
  problems.push(...(await writeFor(context, client, ledger)))
  client.close()
  problems.push(...(await verifyAll(running, ledger, context.random)).problems)
  if ((await pair.nextWrite(pair.standby())) !== nextWrite) {
    problems.push({ kind: 'answer', text: `round ${number}: the old primary was written to` })
  }
  return running
}

async function writeFor(context: FaultContext, client: HttpClient, ledger: Ledger): Promise<Problem[]> {
  const writers = startWriters(client, ledger, context.random, writing)
  // In a service that refuses everything, nothing is acknowledged.
  await Promise.race([writers.acknowledgedOnce, sleep(patienceMs)])
  await sleep(besideMs)
  writers.expectEnd()
  return writers.ended
}
