/** Restarts PostgreSQL under load, alternating between an orderly shutdown and a crash. */
import { httpClient } from '../http-client.js'
import { openEngine } from './engines.js'
import { type Fault, type FaultResult, sleep, verifyAll, writerCount } from './fault.js'
import { emptyLedger, type Problem } from './ledger.js'
import { startWriters } from './writers.js'

const writingMs = 1_000
const longestRecoveryMs = 5_000

export const restart: Fault = {
  engines: ['postgres'],
  async run(context) {
    const rounds = context.rounds ?? 10
    const engine = await openEngine('postgres', context.directory)
    const { server } = engine
    if (!server) throw new Error('there is no server to restart')
    const ledger = emptyLedger()
    const problems: Problem[] = []
    const recoveries: number[] = []
    let refused = 0
    const service = await context.start(engine.start)
    const client = httpClient(service.root, writerCount)
    try {
      for (let round = 0; round < rounds; round++) {
        const writers = startWriters(client, ledger, context.random, { count: writerCount, expectRefusals: true })
        await writers.acknowledgedOnce
        await sleep(writingMs)
        await server.stop(round % 2 === 0 ? 'fast' : 'immediate')
        await sleep(context.random() * 500)
        await server.start()
        const startedAt = performance.now()
        await sleep(longestRecoveryMs)
        writers.expectEnd()
        problems.push(...(await writers.ended))
        refused += writers.refused()
        const first = writers.acknowledgedAt.find((at) => at > startedAt)
        const ms = first === undefined ? Number.POSITIVE_INFINITY : first - startedAt
        recoveries.push(ms)
        if (ms > longestRecoveryMs) {
          problems.push({ kind: 'late', text: `round ${round + 1}: no write within 5 s` })
          // Nothing could be compared either.
          break
        }
        problems.push(...(await verifyAll(service, ledger, context.random)).problems)
        context.log(`${round + 1} of ${rounds} restarts, first write ${ms.toFixed(0)} ms after`)
      }
      await service.kill()
      return {
        rounds,
        problems,
        ledger,
        seen: `${refused} refused with 503; first write at most ${Math.max(...recoveries).toFixed(0)} ms after the restart`,
      } satisfies FaultResult
    } finally {
      client.close()
      await service.kill()
      await engine.close()
    }
  },
}
