import { msPerDay, msPerHour } from './clock.js'

/** A month is 30 days and a year 365, so that a TTL is the same length whenever it starts. */
const unitMs: Record<string, number> = {
  min: msPerHour / 60,
  h: msPerHour,
  d: msPerDay,
  w: 7 * msPerDay,
  m: 30 * msPerDay,
  mo: 30 * msPerDay,
  y: 365 * msPerDay,
}
const longestMs = 100 * 365 * msPerDay
const ttlPattern = /^([1-9][0-9]*)(min|mo|[hdwmy])$/

/** Names every unit, because `m` is easily taken for minutes. */
export const ttlRule =
  'must be a positive integer and a unit (min minutes, h hours, d days, w weeks, m or mo months, y years), such as 7d, or permanent'

export type Ttl = { readonly kind: 'permanent' } | { readonly kind: 'span'; readonly ms: number }

/** Returns the problem as text, for the caller to report with the path of the field. */
export function parseTtl(text: string): Ttl | { readonly kind: 'invalid'; readonly problem: string } {
  if (text === 'permanent') return { kind: 'permanent' }
  const [, count, unit = ''] = ttlPattern.exec(text) ?? []
  if (count === undefined) return { kind: 'invalid', problem: ttlRule }
  const ms = Number(count) * (unitMs[unit] ?? Number.NaN)
  if (!(ms <= longestMs)) return { kind: 'invalid', problem: 'must be at most 100 years' }
  return { kind: 'span', ms }
}

/** When a memory made at `startMs` expires: its own TTL, else the server's default, else never. */
export function expiryOf(ttl: Ttl | undefined, startMs: number, defaultTtlDays: number | undefined): number | null {
  if (ttl?.kind === 'permanent') return null
  if (ttl?.kind === 'span') return startMs + ttl.ms
  return defaultTtlDays === undefined ? null : startMs + defaultTtlDays * msPerDay
}
