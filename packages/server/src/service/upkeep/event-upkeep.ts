/**
 * Periodic work: writes an event for each memory that has expired, and drops old events, the last turns of old conversations and
 * ended OAuth grants. It
 * acts for everyone and shows nothing to anyone.
 */
import { msPerDay, msPerHour } from '../../core/clock.js'
import { longestPauseMs } from '../../core/conversation.js'
import { everyoneScope } from '../../core/scope.js'
import type { Deps } from '../deps.js'

/** How long a reader may be away and still resume. */
const eventsKeptMs = 7 * msPerDay
/** How long a list shows a grant that has ended. */
const grantsKeptMs = 7 * msPerDay
/** Overlap of two checks, to find memories that were committed slightly late. */
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
    if (trimmed > 0) log.info({ trimmed }, 'old events were dropped')
    await storage.dropConversations(everyoneScope(), now - longestPauseMs)
    await storage.dropGrants(now - grantsKeptMs)
  }

  return {
    async tick() {
      const now = clock.now()
      await tellOfExpiry(now)
      await trim(now)
    },
  }
}
