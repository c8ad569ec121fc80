/**
 * When a failed request is retried, and how long to wait before.
 *
 * | repeat       | after                                 | for                                                            |
 * |--------------|---------------------------------------|----------------------------------------------------------------|
 * | `safe`       | 429, 502, 503, 504, connection errors | requests that may happen twice                                 |
 * | `keyed`      | the same, and 409                     | a store with an idempotency key: 409 means one is in progress  |
 * | `if-refused` | 429, which is sent before any work    | requests that must not happen twice by accident                |
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
 * Exponential backoff up to a limit. Half of the wait is random, so that clients that failed together do not retry together.
 * Never shorter than the service asked for.
 */
export function waitMs(attempt: number, error: KeepsakeError, random: () => number): number {
  const backOffMs = Math.min(longestWaitMs, firstWaitMs * 2 ** attempt)
  const jitteredMs = backOffMs * (0.5 + random() / 2)
  return error.retryAfter === undefined ? jitteredMs : error.retryAfter * 1000 + jitteredMs - backOffMs / 2
}

/** Seconds from a `Retry-After` header: a number or a date. Undefined for anything else. */
export function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  // An HTTP date starts with letters. Date.parse would accept many other formats.
  const dateMs = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(dateMs) ? undefined : Math.max(0, Math.ceil((dateMs - nowMs) / 1000))
}
