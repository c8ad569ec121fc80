/**
 * Limits that several instances share. Each instance also remembers what the shared counters last told it: should they
 * be away, it goes on from there, and when they are back it tells them what they missed. So an outage gives nobody a
 * fresh limit, and the most that can pass in a window is the limit once for each instance.
 */
import type { RateLimits } from '../../core/settings.js'
import type { LimitWindow } from './limit-windows.js'
import {
  type Counter,
  type CounterOptions,
  countOne,
  localCounters,
  monotonicNow,
  type RateLimiter,
  stateSeen,
  stateTaken,
  unlimitedRateLimiter,
  windowMs,
} from './rate-limit.js'
import type { SharedCounters } from './redis-counters.js'

export interface SharedLimiterOptions extends CounterOptions {
  readonly limits: RateLimits
  readonly counters: SharedCounters
  /** A request was counted in this process alone. */
  readonly onLocal?: () => void
}

type Used = Pick<LimitWindow, 'count' | 'endsAt'>

export function sharedRateLimiter(options: SharedLimiterOptions): RateLimiter {
  const { limits, counters, now = monotonicNow, onLocal } = options
  if (!limits.enabled) return { ...unlimitedRateLimiter, close: () => counters.close() }
  const counterOf = localCounters(limits, options)

  /** What is known here and may be unknown there: sent once, with the first request after an outage. */
  function debtOf(known: LimitWindow | undefined) {
    if (known === undefined || known.life === counters.life()) return { unshared: 0, base: 0, lengthMs: windowMs }
    const debt = { unshared: known.unshared, base: known.count - known.unshared, lengthMs: known.endsAt - now() }
    known.unshared = 0
    known.life = counters.life()
    return debt
  }

  async function takeShared({ name, windows, subject }: Counter): Promise<Used | undefined> {
    const known = windows.find(subject)
    const debt = debtOf(known)
    const life = counters.life()
    const told = await counters.add(name, 1 + debt.unshared, debt.base, debt.lengthMs)
    if (told === undefined) {
      if (known !== undefined) known.unshared += debt.unshared
      return undefined
    }
    const window = windows.find(subject) ?? windows.begin(subject)
    // A request beside this one may have been counted here in the meantime: that is still to be told.
    window.count = told.count + window.unshared
    window.endsAt = now() + told.msLeft
    window.life = window.unshared === 0 ? life : -1
    // Not the window: others go on counting in it, and each request has its own number.
    return { count: told.count, endsAt: window.endsAt }
  }

  function takeHere(counter: Counter): LimitWindow {
    onLocal?.()
    const window = countOne(counter)
    window.unshared += 1
    // Also a window that begins now: it is told when the counters are back, in their next life.
    window.life = -1
    return window
  }

  return {
    async take(group, subject) {
      const counter = counterOf(group, subject)
      const shared = counters.available() ? await takeShared(counter) : undefined
      return stateTaken(counter.limit, shared ?? takeHere(counter), now())
    },
    async peek(group, subject) {
      const { name, limit, windows, subject: counted } = counterOf(group, subject)
      const told = counters.available() ? await counters.look(name) : undefined
      const known = windows.find(counted)
      // What this process counted during an outage is not in Redis before the next `take`.
      const isTold = told !== undefined && (known === undefined || known.life === counters.life())
      if (!isTold) return stateSeen(limit, known, now())
      return stateSeen(limit, told === null ? undefined : { count: told.count, endsAt: now() + told.msLeft }, now())
    },
    backend: () => (counters.available() ? 'redis' : 'memory: redis is away'),
    close: () => counters.close(),
  }
}
