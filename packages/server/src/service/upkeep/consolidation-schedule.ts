import { setTimeout as sleep } from 'node:timers/promises'
import type { Actor } from '../../core/actor.js'
import { msPerDay } from '../../core/clock.js'
import { everyoneScope } from '../../core/scope.js'
import { nothingChosen } from '../../ingest/consolidate.js'
import { consolidateSlice, consolidationSlices } from '../consolidate.js'
import type { Deps } from '../deps.js'
import type { WhileClaimed } from './claimed-work.js'
import { type Schedule, schedule } from './schedule.js'

/** The operator's consolidation (`SERVICE_CONSOLIDATION_INTERVAL`). Each memory is compared with memories of its own user only. */
const actor: Actor = { role: 'master', keyId: null, ip: 'schedule', requestId: 'consolidation' }

/**
 * When several instances are due, one of them works. After each slice it rests as long as the slice took. The first pass of a process
 * reads all memories; the next ones read those that have been created since.
 */
export function consolidationSchedule(
  deps: Deps,
  intervalMs: number | undefined,
  whileClaimed: WhileClaimed,
): Schedule {
  const stop = new AbortController()
  let after = 0

  async function pass(halt: AbortSignal): Promise<void> {
    const startedAt = deps.clock.now()
    const chosen = nothingChosen()
    let retired = 0
    for await (const { memories } of consolidationSlices(deps, everyoneScope(), after)) {
      halt.throwIfAborted()
      const began = performance.now()
      retired += (await consolidateSlice(deps, actor, memories, chosen, false)).length
      await sleep(performance.now() - began, undefined, { signal: halt, ref: false })
    }
    // Memories of the last day were too new.
    after = startedAt - msPerDay
    if (retired > 0) deps.log.info({ retired }, 'memories were consolidated')
  }

  const { close } = schedule(intervalMs, async () => {
    try {
      await whileClaimed('consolidation', (lost) => pass(AbortSignal.any([stop.signal, lost])))
    } catch (error) {
      if (!stop.signal.aborted) deps.log.error({ err: error }, 'the consolidation failed and will be retried')
    }
  })
  return {
    close() {
      stop.abort()
      return close()
    },
  }
}
