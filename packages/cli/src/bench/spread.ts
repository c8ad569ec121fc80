/** Latencies of sequential requests, in milliseconds. */
export interface Spread {
  readonly count: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
  readonly perSecond: number
}

export function spreadOf(times: readonly number[]): Spread {
  const sorted = [...times].sort((one, other) => one - other)
  // Nearest rank: always a measured value, never an interpolated one.
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
  const totalMs = sorted.reduce((sum, ms) => sum + ms, 0)
  return {
    count: sorted.length,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    max: at(1),
    perSecond: totalMs === 0 ? 0 : (sorted.length * 1000) / totalMs,
  }
}
