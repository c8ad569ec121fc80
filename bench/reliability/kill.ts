/**
 * Kills the service (SIGKILL) during concurrent writes, restarts it on the same data and compares its contents with the
 * acknowledged writes. Starting takes most of the time, so two lanes run in parallel, each with its own data: while one
 * starts, the other writes.
 */
import { join } from 'node:path'
import { httpClient } from '../http-client.js'
import type { ServiceProcess } from '../service-process.js'
import { openEngine } from './engines.js'
import { type Fault, type FaultContext, type FaultResult, sleep, verifyAll, writerCount } from './fault.js'
import { emptyLedger, joinLedgers, type Ledger, type Problem } from './ledger.js'
import type { Verified } from './verify.js'
import { startWriters } from './writers.js'

/** Delay between the round's first acknowledgement and the kill. */
const killAfterMs = { least: 100, most: 700 }
/** Every this many rounds, the first start after the kill is killed as well. */
const crashedStartEvery = 8
const lanes = 2

interface Round extends Verified {
  readonly readyMs: number
}

export const kill: Fault = {
  engines: ['sqlite', 'postgres'],
  async run(context) {
    const rounds = context.rounds ?? 200
    const used = Math.min(lanes, rounds)
    const results = await Promise.all(
      Array.from({ length: used }, (_, lane) => {
        const own = Math.floor(rounds / used) + (lane < rounds % used ? 1 : 0)
        return killRepeatedly(context, join(context.directory, `lane-${lane}`), own)
      }),
    )
    const done = results.flatMap((result) => result.rounds)
    const readyTimes = done.map(({ readyMs }) => readyMs).sort((a, b) => a - b)
    const sum = (of: (round: Round) => number) => done.reduce((total, round) => total + of(round), 0)
    return {
      rounds: done.length,
      problems: results.flatMap((result) => result.problems),
      ledger: joinLedgers(results.map((result) => result.ledger)),
      seen:
        `${sum((round) => round.inFlight)} writes in flight at a kill, ${sum((round) => round.happened)} of them had ` +
        `happened; ready again in ${(readyTimes[readyTimes.length >> 1] ?? 0).toFixed(0)} ms (median)`,
    } satisfies FaultResult
  },
}

async function killRepeatedly(context: FaultContext, directory: string, rounds: number) {
  const engine = await openEngine(context.engine, directory)
  const ledger = emptyLedger()
  const done: Round[] = []
  const problems: Problem[] = []
  try {
    let service = await context.start(engine.start)
    for (let number = 1; number <= rounds; number++) {
      problems.push(...(await writeAndKill(context, service, ledger)))
      if (number % crashedStartEvery === 0) await context.crashDuringStart(engine.start, 50 + context.random() * 700)
      service = await context.start(engine.start)
      const verified = await verifyAll(service, ledger, context.random)
      problems.push(...verified.problems)
      done.push({ ...verified, readyMs: service.readyMs })
      if (number % 10 === 0) context.log(`${number} of ${rounds} rounds of a lane, ${problems.length} problems`)
    }
    // A regular stop must keep everything too, including writes that are still buffered in memory.
    await service.stop()
    service = await context.start(engine.start)
    problems.push(...(await verifyAll(service, ledger, context.random)).problems)
    await service.stop()
  } finally {
    await engine.close()
  }
  return { rounds: done, problems, ledger }
}

async function writeAndKill(context: FaultContext, service: ServiceProcess, ledger: Ledger): Promise<Problem[]> {
  const client = httpClient(service.root, writerCount)
  const writers = startWriters(client, ledger, context.random, { count: writerCount })
  await writers.acknowledgedOnce
  await sleep(killAfterMs.least + context.random() * (killAfterMs.most - killAfterMs.least))
  const killed = service.kill()
  writers.expectEnd()
  await killed
  const problems = await writers.ended
  client.close()
  return problems
}
