import type { Actor } from '../../core/actor.js'
import { everyoneScope } from '../../core/scope.js'
import type { Deps } from '../deps.js'
import { cleanup } from '../temporal.js'
import type { WhileClaimed } from './claimed-work.js'
import { type Schedule, schedule } from './schedule.js'

/** The operator's cleanup (`SERVICE_CLEANUP_INTERVAL`): it acts for everyone, like the master key. */
const actor: Actor = { role: 'master', keyId: null, ip: 'schedule', requestId: 'cleanup' }

/** When several instances are due, one of them purges. */
export function cleanupSchedule(deps: Deps, intervalMs: number | undefined, whileClaimed: WhileClaimed): Schedule {
  return schedule(intervalMs, async () => {
    try {
      await whileClaimed('cleanup', async () => {
        const { deletedIds } = await cleanup(deps, actor, everyoneScope(), false)
        if (deletedIds.length > 0) deps.log.info({ purged: deletedIds.length }, 'expired memories were purged')
      })
    } catch (error) {
      deps.log.error({ err: error }, 'the scheduled cleanup failed and will be retried')
    }
  })
}
