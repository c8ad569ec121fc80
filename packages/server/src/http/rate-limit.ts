/**
 * Requests a minute, counted in fixed windows that begin with a subject's first request. A subject is
 * a key's id, or the client's address where there is no key. This limiter counts in this process;
 * one that shares its counters follows behind the same interface.
 */
import { isIPv6 } from 'node:net'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { RateLimits } from '../core/settings.js'

export type LimitGroup = 'store' | 'recall' | 'forget' | 'default' | 'auth_failed'

export interface LimitState {
  readonly allowed: boolean
  /** Infinity where limits are off: then there is nothing to tell the client. */
  readonly limit: number
  readonly remaining: number
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number
}

export interface RateLimiter {
  /** Counts one request; `allowed` tells whether this one may pass. */
  take(group: LimitGroup, subject: string): Promise<LimitState>
  /** Counts nothing; `allowed` tells whether the next `take` would pass. */
  peek(group: LimitGroup, subject: string): Promise<LimitState>
  /** Where the counters are, for `/health`. */
  backend(): string
  close(): Promise<void>
}

const windowSeconds = 60
/**
 * Guessing a 256-bit secret is hopeless at any rate; this bounds the bcrypt work that one address can ask for
 * (about 8 s of CPU a minute), and lets a client without a key see a 401 on every route before it sees a 429.
 */
const authFailuresPerMinute = 120
/** About 50 MB for a group that is flooded from as many addresses (measured with 100,000). */
const defaultMaxSubjects = 100_000

const unlimited: LimitState = {
  allowed: true,
  limit: Number.POSITIVE_INFINITY,
  remaining: Number.POSITIVE_INFINITY,
  resetSeconds: 1,
}

const unlimitedRateLimiter: RateLimiter = {
  take: async () => unlimited,
  peek: async () => unlimited,
  backend: () => 'off',
  close: async () => undefined,
}

export function localRateLimiter(limits: RateLimits, maxSubjects = defaultMaxSubjects): RateLimiter {
  if (!limits.enabled) return unlimitedRateLimiter
  const counters: Record<LimitGroup, Counter> = {
    store: counter(limits.store, maxSubjects),
    recall: counter(limits.recall, maxSubjects),
    forget: counter(limits.forget, maxSubjects),
    default: counter(limits.default, maxSubjects),
    auth_failed: counter(authFailuresPerMinute, maxSubjects),
  }
  return {
    take: (group, subject) => counters[group].take(countedAs(subject)),
    peek: (group, subject) => counters[group].peek(countedAs(subject)),
    backend: () => 'memory',
    close: async () => {
      for (const each of Object.values(counters)) each.clear()
    },
  }
}

interface Counter {
  take(subject: string): Promise<LimitState>
  peek(subject: string): Promise<LimitState>
  clear(): void
}

function counter(limit: number, maxSubjects: number): Counter {
  const limiter = new RateLimiterMemory({ points: limit, duration: windowSeconds, keyPrefix: '' })
  // The library forgets a subject when its window ends, but sets no bound within a window. All windows
  // are equally long, so they end in the order in which they began: the first is the one that loses
  // least when it is dropped. An array with a moving head, because a map walks over its deleted entries.
  let begun: { readonly subject: string; readonly endsAt: number }[] = []
  let head = 0

  function remember(subject: string, endsAt: number): void {
    begun.push({ subject, endsAt })
    const now = Date.now()
    for (let first = begun[head]; first; first = begun[head]) {
      const hasEnded = first.endsAt <= now
      if (!hasEnded && begun.length - head <= maxSubjects) break
      if (!hasEnded) void limiter.delete(first.subject)
      head += 1
    }
    if (head > 1000 && head * 2 > begun.length) {
      begun = begun.slice(head)
      head = 0
    }
  }

  return {
    async take(subject) {
      const { result, allowed } = await consume(limiter, subject)
      if (result.isFirstInDuration) remember(subject, Date.now() + result.msBeforeNext)
      return stateOf(limit, result.consumedPoints, result.msBeforeNext, allowed)
    },
    async peek(subject) {
      const result = await limiter.get(subject)
      // The library's timer may be late: a window that is over counts for nothing.
      if (result === null || result.msBeforeNext <= 0) return stateOf(limit, 0, windowSeconds * 1000, limit > 0)
      return stateOf(limit, result.consumedPoints, result.msBeforeNext, result.consumedPoints < limit)
    },
    clear() {
      for (const { subject } of begun) void limiter.delete(subject)
      begun = []
      head = 0
    },
  }
}

/** The library rejects with its result where the limit is spent. */
async function consume(
  limiter: RateLimiterMemory,
  subject: string,
): Promise<{ readonly result: RateLimiterRes; readonly allowed: boolean }> {
  try {
    return { result: await limiter.consume(subject), allowed: true }
  } catch (error) {
    if (error instanceof RateLimiterRes) return { result: error, allowed: false }
    throw error
  }
}

function stateOf(limit: number, consumed: number, msLeft: number, allowed: boolean): LimitState {
  // A system clock that was set back must not announce a wait longer than a window.
  const resetSeconds = Math.min(windowSeconds, Math.max(1, Math.ceil(msLeft / 1000)))
  return { allowed, limit, remaining: Math.max(0, limit - consumed), resetSeconds }
}

/**
 * One IPv6 customer usually holds a whole /64, so that is what counts as one client; an IPv4 address
 * in IPv6 clothes is the IPv4 address. Key ids pass as they are.
 */
function countedAs(subject: string): string {
  if (!isIPv6(subject)) return subject
  // The URL parser writes every spelling of an address in one canonical way; zones are local.
  const canonical = new URL(`http://[${subject.replace(/%.*$/, '')}]`).hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical)
  if (mapped) {
    const [high, low] = [Number.parseInt(mapped[1] ?? '', 16), Number.parseInt(mapped[2] ?? '', 16)]
    return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  }
  const [head = '', tail] = canonical.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups =
    tail === undefined ? left : [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
  return `${groups.slice(0, 4).join(':')}::/64`
}
