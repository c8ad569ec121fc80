/**
 * When a failed request is sent again, and how long to wait before it.
 *
 * | repeat       | after                                 | for                                                            |
 * |--------------|---------------------------------------|----------------------------------------------------------------|
 * | `safe`       | 429, 502, 503, 504, connection errors | whatever may happen twice                                      |
 * | `keyed`      | the same, and 409                     | a store with an idempotency key: 409 says the first still runs |
 * | `if-refused` | 429, which is sent before any work    | what must not happen twice by accident                         |
 * | `never`      | nothing                               | a store without an idempotency key                             |
 */
import { ConnectionError, KeepsakeError, RateLimitError, UnavailableError } from './errors.js'

export type Repeat = 'safe' | 'keyed' | 'if-refused' | 'never'

export function mayRepeat(repeat: Repeat, error: unknown): error is KeepsakeError {
  if (!(error instanceof KeepsakeError) || repeat === 'never') return false
  if (error instanceof RateLimitError) return true
  if (repeat === 'if-refused') return false
  if (repeat === 'keyed' && error.status === 409) return true
  return error instanceof UnavailableError || error instanceof ConnectionError
}

const firstWaitMs = 250
const longestWaitMs = 8_000

/**
 * Twice as long each time, up to a bound, of which a random half is left out so that clients that failed together
 * don't come back together. Never sooner than the service asked for.
 */
export function waitMs(attempt: number, error: KeepsakeError, random: () => number): number {
  const backOffMs = Math.min(longestWaitMs, firstWaitMs * 2 ** attempt)
  const jitteredMs = backOffMs * (0.5 + random() / 2)
  return error.retryAfter === undefined ? jitteredMs : error.retryAfter * 1000 + jitteredMs - backOffMs / 2
}

/** Seconds from a `Retry-After` header: a number, or a date. Anything else is as if there were none. */
export function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  // A date has letters in it; Date.parse would take many other things for one.
  const dateMs = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(dateMs) ? undefined : Math.max(0, Math.ceil((dateMs - nowMs) / 1000))
}
