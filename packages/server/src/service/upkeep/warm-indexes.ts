/**
 * Remembers who searches, and loads the indexes of the last of them after a start, so that they need not wait. Requests go first: it
 * waits while there are any, and rests longer than it works. It fills at most half of the memory for indexes.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../core/clock.js'
import type { Log } from '../../core/log.js'
import { userScope } from '../../core/scope.js'
import type { UserIndexes } from '../../retrieval/index/user-indexes.js'
import type { ActiveUsers } from '../../storage/ports/active-users.js'
import { schedule } from './schedule.js'

const recordEveryMs = 60_000
const mostUsers = 1_000
const shareOfMemory = 0.5
const restPerWork = 2
const waitMs = 20

export interface WarmDeps {
  readonly storage: ActiveUsers
  readonly indexes: Pick<UserIndexes, 'refresh' | 'stats'>
  readonly log: Log
  readonly clock: Clock
  readonly memoryBudgetBytes: number
  /** The first requests after a start come before it. */
  readonly delayMs?: number
}

export interface WarmIndexes {
  /** Resolves when the last active users are loaded, or there is no more room. Never rejects. */
  readonly warmed: Promise<void>
  close(): Promise<void>
}

/** The users who searched since the last record. */
export type Searched = Set<string>

/** Notes who searches. */
export function noting(indexes: UserIndexes, searched: Searched): UserIndexes {
  return {
    refresh: (scope) => indexes.refresh(scope),
    search: (scope, ...query) => {
      if (searched.size < mostUsers) searched.add(scope.userId)
      return indexes.search(scope, ...query)
    },
    searchAhead: (scope, steps) => indexes.searchAhead(scope, steps),
    stats: () => indexes.stats(),
    kept: () => indexes.kept(),
    close: () => indexes.close(),
  }
}

export function warmIndexes(deps: WarmDeps, searched: Searched): WarmIndexes {
  const closing = new AbortController()
  const record = () => recordSearched(deps, searched)
  const records = schedule(recordEveryMs, record)
  const warmed = warm(deps, closing.signal)
  return {
    warmed,
    async close() {
      closing.abort()
      await Promise.all([records.close(), warmed])
      await record()
    },
  }
}

async function recordSearched({ storage, clock, log }: WarmDeps, searched: Searched): Promise<void> {
  if (searched.size === 0) return
  const userIds = [...searched]
  searched.clear()
  try {
    await storage.recordActive(userIds, clock.now())
  } catch (error) {
    log.warn({ err: error }, 'the last active users are not recorded; the next start does not load their indexes')
  }
}

async function warm(deps: WarmDeps, closed: AbortSignal): Promise<void> {
  const { storage, indexes, log, memoryBudgetBytes, delayMs = 1_000 } = deps
  // A rest that is cut short by closing is no failure.
  const rest = (ms: number) => sleep(ms, undefined, { ref: false, signal: closed }).catch(() => undefined)
  try {
    await rest(delayMs)
    if (closed.aborted) return
    for (const userId of await storage.lastActive(mostUsers)) {
      while (indexes.stats().pending > 0 && !closed.aborted) await rest(waitMs)
      if (closed.aborted || indexes.stats().bytes > memoryBudgetBytes * shareOfMemory) return
      const startedAt = performance.now()
      await indexes.refresh(userScope(userId))
      await rest((performance.now() - startedAt) * restPerWork)
    }
  } catch (error) {
    if (!closed.aborted) log.warn({ err: error }, 'the indexes of the last active users are not loaded ahead')
  }
}
