/** Background work: cleanup, consolidation, re-embedding, recovery of the inbox after a crash, indexes of the last active users, events and webhooks. */
import type { Config } from '../config/config.js'
import { cleanupSchedule } from '../service/upkeep/cleanup-schedule.js'
import { consolidationSchedule } from '../service/upkeep/consolidation-schedule.js'
import { InboxRecovery } from '../service/upkeep/recover-inbox.js'
import { warmIndexes } from '../service/upkeep/warm-indexes.js'
import type { Overrides } from './overrides.js'
import type { Wired } from './wire.js'

/** Three times the budget of a language model: nobody still waits for a text that has been in the inbox longer. */
const defaultInboxPatienceMs = 60_000

export interface Upkeep {
  close(): Promise<void>
}

export async function startUpkeep(config: Config, overrides: Overrides, wired: Wired): Promise<Upkeep> {
  const { deps, live, reEmbedding, whileClaimed, isShared, searched } = wired
  const cleanups = cleanupSchedule(deps, config.cleanupIntervalMs, whileClaimed)
  const consolidations = consolidationSchedule(deps, config.consolidationIntervalMs, whileClaimed)
  await reEmbedding.start()
  const patienceMs = overrides.inboxPatienceMs ?? defaultInboxPatienceMs
  const recovery = new InboxRecovery(deps, isShared ? { shared: { patienceMs, whileClaimed } } : {})
  await recovery.start()
  live.start()
  const warm = warmIndexes(
    { ...deps, storage: deps.storage.activeUsers, memoryBudgetBytes: config.indexMemoryBytes },
    searched,
  )
  return {
    async close() {
      const schedules = [cleanups.close(), consolidations.close()]
      await Promise.all([...schedules, reEmbedding.close(), recovery.close(), live.close()])
      await warm.close()
    },
  }
}
