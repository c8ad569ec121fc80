/**
 * What nobody asks for and must happen all the same: a memory whose time has run out is told of, and old events leave the
 * log. It acts for everyone, and shows nobody anything.
 */
import { msPerDay, msPerHour } from '../../core/clock.js'
import { everyoneScope } from '../../core/scope.js'
import type { Deps } from '../deps.js'

/** How long a reader may be away and still read on. */
const eventsKeptMs = 7 * msPerDay
/** What was committed a little late is found by the next look. */
const overlapMs = 60_000

export interface EventUpkeep {
  tick(): Promise<void>
}

export function eventUpkeep({ storage, clock, log }: Pick<Deps, 'storage' | 'clock' | 'log'>): EventUpkeep {
  let toldUpTo = 0
  let trimmedAt = Number.NEGATIVE_INFINITY

  async function tellOfExpiry(now: number): Promise<void> {
    const userIds = await storage.usersToTellOfExpiry(everyoneScope(), toldUpTo, now)
    for (const userId of userIds) await storage.tellOfExpiry({ kind: 'user', userId }, now)
    toldUpTo = now - overlapMs
  }

  async function trim(now: number): Promise<void> {
    if (now - trimmedAt < msPerHour) return
    trimmedAt = now
    const trimmed = await storage.trimEvents(everyoneScope(), now - eventsKeptMs)
    if (trimmed > 0) log.info({ trimmed }, 'old events have left the log')
  }

  return {
    async tick() {
      const now = clock.now()
      await tellOfExpiry(now)
      await trim(now)
    },
  }
}
