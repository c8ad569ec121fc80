/** Measurements of the services; `http/metrics/` exposes them as Prometheus series. */
export interface Meter {
  /** Duration of one stage of a request in milliseconds: `embed`, `search`, `hydrate`, `commit`, … */
  stage(name: string, ms: number): void
  trustRejection(kinds: readonly string[]): void
  /** Secrets of one kind that a request contained. */
  secrets(kind: string, outcome: 'redacted' | 'refused', count: number): void
  checksumMismatch(): void
  degraded(part: string): void
}

/** Measures a stage, even if it fails. */
export async function timed<T>(meter: Meter, name: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  try {
    return await work()
  } finally {
    meter.stage(name, performance.now() - start)
  }
}

/** Measurements of event streams and webhooks. */
export interface LiveMeter {
  streamClosed(reason: string): void
  eventsSent(door: 'stream' | 'webhook', count: number): void
  /** `delivered`, `failed` (it will be retried) or `dead`. */
  delivery(outcome: 'delivered' | 'failed' | 'dead'): void
}
