/**
 * Limits requests per minute, in fixed windows that start with a subject's first request. A subject is the id of a key, a user for whom
 * an application key acts, or the address of the client where there is no key. It is never a key itself.
 */
import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import type { RateLimits } from '../../core/settings.js'
import { clientNetwork } from './client-network.js'
import { type LimitWindow, type LimitWindows, limitWindows } from './limit-windows.js'

/** The groups of routes that are limited separately. */
export type RouteLimitGroup = Exclude<keyof RateLimits, 'enabled'>
export type LimitGroup = RouteLimitGroup | 'auth_failed'

export interface LimitState {
  readonly allowed: boolean
  /** Infinity while limits are off. There is nothing to show to the client then. */
  readonly limit: number
  readonly remaining: number
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number
}

export interface RateLimiter {
  /**
   * Counts a request as `cost` requests, by default one. `allowed` says whether it may pass: it may if one more would, so that a
   * costly request is possible under any limit, and delays the next ones.
   */
  take(group: LimitGroup, subject: string, cost?: number): Promise<LimitState>
  /** Counts nothing. `allowed` says whether the next `take` would pass. */
  peek(group: LimitGroup, subject: string): Promise<LimitState>
  /** Takes back what `take` counted, as long as its window runs. */
  giveBack(group: LimitGroup, subject: string, cost: number): Promise<void>
  /** Where the counters are, for `/health`. */
  backend(): string
  close(): Promise<void>
}

export const windowMs = 60_000
/**
 * Guessing a 256-bit secret is hopeless at any rate. This bounds the bcrypt work that one address can cause (about 8 s of CPU per
 * minute), and a client without a key sees a 401 on every route before it sees a 429.
 */
const authFailuresPerMinute = 120
/** Per group. A flood from this many addresses takes about 20 MB (measured with 100,000). */
const defaultMaxSubjects = 100_000

const unlimited: LimitState = {
  allowed: true,
  limit: Number.POSITIVE_INFINITY,
  remaining: Number.POSITIVE_INFINITY,
  resetSeconds: 1,
}

export const unlimitedRateLimiter: RateLimiter = {
  take: async () => unlimited,
  peek: async () => unlimited,
  giveBack: async () => undefined,
  backend: () => 'off',
  close: async () => undefined,
}

/** The counter of a subject in a group. `name` is the same in every process. */
export interface Counter {
  readonly name: string
  readonly limit: number
  readonly subject: string
  readonly windows: LimitWindows
}

export interface CounterOptions {
  readonly maxSubjects?: number
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number
}

export const monotonicNow = (): number => performance.now()

/** Between the id of an application key and the user. No id of a key contains it. */
const userMark = '/'

/** The user is hashed: Redis needs no names, and a long one takes no more memory than a short one. */
export function subjectOfUser(keyId: string, userId: string): string {
  return `${keyId}${userMark}${createHash('sha256').update(userId).digest('base64url').slice(0, 22)}`
}

/**
 * Finds the counter of a subject. Addresses, and users of application keys, have separate maps, so that a flood of them does not push out
 * keys.
 */
export function localCounters(limits: RateLimits, options: CounterOptions = {}) {
  const { maxSubjects = defaultMaxSubjects, now = monotonicNow } = options
  const group = (limit: number) => ({
    limit,
    keys: limitWindows(windowMs, maxSubjects, now),
    users: limitWindows(windowMs, maxSubjects, now),
    addresses: limitWindows(windowMs, maxSubjects, now),
  })
  const groups = {
    store: group(limits.store),
    recall: group(limits.recall),
    forget: group(limits.forget),
    default: group(limits.default),
    auth_failed: group(authFailuresPerMinute),
  }
  return (name: LimitGroup, subject: string): Counter => {
    const { limit, keys, users, addresses } = groups[name]
    if (isIP(subject) === 0) {
      return { name: `${name}:${subject}`, limit, subject, windows: subject.includes(userMark) ? users : keys }
    }
    const network = clientNetwork(subject)
    return { name: `${name}:${network}`, limit, subject: network, windows: addresses }
  }
}

/** Counts in this process. */
export function localRateLimiter(limits: RateLimits, options: CounterOptions = {}): RateLimiter {
  if (!limits.enabled) return unlimitedRateLimiter
  const { now = monotonicNow } = options
  const counterOf = localCounters(limits, options)
  return {
    async take(group, subject, cost = 1) {
      const counter = counterOf(group, subject)
      return stateTaken(counter.limit, count(counter, cost), now(), cost)
    },
    async peek(group, subject) {
      const { limit, windows, subject: counted } = counterOf(group, subject)
      return stateSeen(limit, windows.find(counted), now())
    },
    async giveBack(group, subject, cost) {
      const { windows, subject: counted } = counterOf(group, subject)
      const window = windows.find(counted)
      if (window) window.count = Math.max(0, window.count - cost)
    },
    backend: () => 'memory',
    close: async () => undefined,
  }
}

export function count({ windows, subject }: Counter, cost: number): LimitWindow {
  const window = windows.find(subject) ?? windows.begin(subject)
  window.count += cost
  return window
}

/** The state after a request was counted: it may pass if there was room before. */
export function stateTaken(
  limit: number,
  { count, endsAt }: Pick<LimitWindow, 'count' | 'endsAt'>,
  now: number,
  cost: number,
) {
  return stateOf(limit, count, endsAt - now, count - cost < limit)
}

/** The state before a request is counted: the next one may pass if there is room. */
export function stateSeen(limit: number, window: Pick<LimitWindow, 'count' | 'endsAt'> | undefined, now: number) {
  if (window === undefined) return stateOf(limit, 0, windowMs, true)
  return stateOf(limit, window.count, window.endsAt - now, window.count < limit)
}

function stateOf(limit: number, count: number, msLeft: number, allowed: boolean): LimitState {
  const resetSeconds = Math.min(windowMs / 1000, Math.max(1, Math.ceil(msLeft / 1000)))
  return { allowed, limit, remaining: Math.max(0, limit - count), resetSeconds }
}
