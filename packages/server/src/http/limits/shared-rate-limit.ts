/**
 * Limits that several instances share. Each instance also remembers the last counts it got from the shared counters. While they are
 * unavailable, it continues from there, and once they are back it reports what they missed. So an outage gives nobody a fresh limit,
 * and at most the limit per instance can pass in a window.
 */
import type { RateLimits } from '../../core/settings.js'
import type { LimitWindow } from './limit-windows.js'
import {
  type Counter,
  type CounterOptions,
  count,
  type LimitGroup,
  type LimitState,
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
  /** Called when a request was counted in this process only. */
  readonly onLocal?: () => void
}

type Used = Pick<LimitWindow, 'count' | 'endsAt'>

export function sharedRateLimiter(options: SharedLimiterOptions): RateLimiter {
  const { limits, counters } = options
  if (!limits.enabled) return { ...unlimitedRateLimiter, close: () => counters.close() }
  return new SharedRateLimiter(options)
}

class SharedRateLimiter implements RateLimiter {
  readonly #counters: SharedCounters
  readonly #now: () => number
  readonly #onLocal: (() => void) | undefined
  readonly #counterOf: ReturnType<typeof localCounters>

  constructor(options: SharedLimiterOptions) {
    this.#counters = options.counters
    this.#now = options.now ?? monotonicNow
    this.#onLocal = options.onLocal
    this.#counterOf = localCounters(options.limits, options)
  }

  async take(group: LimitGroup, subject: string, cost = 1): Promise<LimitState> {
    const counter = this.#counterOf(group, subject)
    const shared = this.#counters.available() ? await this.#takeShared(counter, cost) : undefined
    return stateTaken(counter.limit, shared ?? this.#takeLocal(counter, cost), this.#now(), cost)
  }

  async peek(group: LimitGroup, subject: string): Promise<LimitState> {
    const { name, limit, windows, subject: counted } = this.#counterOf(group, subject)
    const shared = this.#counters.available() ? await this.#counters.look(name) : undefined
    const known = windows.find(counted)
    // Redis does not know what this process counted during an outage before the next `take`.
    const isComplete = shared !== undefined && (known === undefined || known.life === this.#counters.life())
    if (!isComplete) return stateSeen(limit, known, this.#now())
    const window = shared === null ? undefined : { count: shared.count, endsAt: this.#now() + shared.msLeft }
    return stateSeen(limit, window, this.#now())
  }

  /** If the shared window has ended meanwhile, the next one begins with one request more. */
  async giveBack(group: LimitGroup, subject: string, cost: number): Promise<void> {
    const { name, windows, subject: counted } = this.#counterOf(group, subject)
    const known = windows.find(counted)
    if (known === undefined || known.count === 0) return
    const back = Math.min(cost, known.count)
    const unshared = Math.min(back, known.unshared)
    known.count -= back
    known.unshared -= unshared
    if (back > unshared && this.#counters.available()) {
      await this.#counters.add(name, unshared - back, 0, windowMs)
    }
  }

  backend(): string {
    return this.#counters.available() ? 'redis' : 'memory: redis is away'
  }

  close(): Promise<void> {
    return this.#counters.close()
  }

  async #takeShared({ name, windows, subject }: Counter, cost: number): Promise<Used | undefined> {
    const known = windows.find(subject)
    const missed = this.#missedBy(known)
    const life = this.#counters.life()
    const shared = await this.#counters.add(name, cost + missed.unshared, missed.base, missed.lengthMs)
    if (shared === undefined) {
      if (known !== undefined) known.unshared += missed.unshared
      return undefined
    }
    const window = windows.find(subject) ?? windows.begin(subject)
    // Another request may have been counted locally in the meantime, and is not shared yet.
    window.count = shared.count + window.unshared
    window.endsAt = this.#now() + shared.msLeft
    window.life = window.unshared === 0 ? life : -1
    // Not the window itself: other requests go on counting in it, and each request has its own number.
    return { count: shared.count, endsAt: window.endsAt }
  }

  /** What the shared counters may not know. It is sent once, with the first request after an outage. */
  #missedBy(known: LimitWindow | undefined) {
    if (known === undefined || known.life === this.#counters.life()) return { unshared: 0, base: 0, lengthMs: windowMs }
    const { unshared } = known
    const missed = { unshared, base: known.count - unshared, lengthMs: known.endsAt - this.#now() }
    known.unshared = 0
    known.life = this.#counters.life()
    return missed
  }

  #takeLocal(counter: Counter, cost: number): LimitWindow {
    this.#onLocal?.()
    const window = count(counter, cost)
    window.unshared += cost
    // Also for a window that starts now: it is shared when the counters are back, in their next life.
    window.life = -1
    return window
  }
}
