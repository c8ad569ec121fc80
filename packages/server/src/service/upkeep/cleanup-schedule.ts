import type { Actor } from '../../core/actor.js'
import { everyoneScope } from '../../core/scope.js'
import type { Deps } from '../deps.js'
import { cleanup } from '../temporal.js'
import type { WhileClaimed } from './claimed-work.js'

export interface Schedule {
  close(): Promise<void>
}

/** The operator's cleanup (`SERVICE_CLEANUP_INTERVAL`): it acts for everyone, like the master key. */
const actor: Actor = { role: 'master', keyId: null, ip: 'schedule', requestId: 'cleanup' }

/** When several instances are due, one of them purges. */
export function cleanupSchedule(deps: Deps, intervalMs: number | undefined, whileClaimed: WhileClaimed): Schedule {
  if (intervalMs === undefined) return { close: () => Promise.resolve() }
  let running: Promise<void> = Promise.resolve()
  async function purge(): Promise<void> {
    try {
      await whileClaimed('cleanup', async () => {
        const { deletedIds } = await cleanup(deps, actor, everyoneScope(), false)
        if (deletedIds.length > 0) deps.log.info({ purged: deletedIds.length }, 'expired memories were purged')
      })
    } catch (error) {
      deps.log.error({ err: error }, 'the scheduled cleanup failed and will be retried')
    }
  }
  // A timer is limited to 2^31 - 1 ms (24.8 days), so longer intervals count down in steps.
  const longestTimerMs = 86_400_000
  let leftMs = intervalMs
  let timer: NodeJS.Timeout
  const wait = (): void => {
    const stepMs = Math.min(leftMs, longestTimerMs)
    timer = setTimeout(() => {
      leftMs -= stepMs
      if (leftMs <= 0) {
        leftMs = intervalMs
        running = running.then(purge)
      }
      wait()
    }, stepMs)
    timer.unref()
  }
  wait()
  return {
    async close() {
      clearTimeout(timer)
      await running
    },
  }
}
