/** What the services report about themselves; `http/metrics.ts` turns it into Prometheus series. */
export interface Meter {
  /** Milliseconds that one stage of a request took: `embed`, `search`, `hydrate`, `commit`, … */
  stage(name: string, ms: number): void
  trustRejection(kinds: readonly string[]): void
  checksumMismatch(): void
  degraded(part: string): void
}

/** Times a stage also when it fails. */
export async function timed<T>(meter: Meter, name: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  try {
    return await work()
  } finally {
    meter.stage(name, performance.now() - start)
  }
}

/** What followers and webhooks report. */
export interface LiveMeter {
  streamClosed(reason: string): void
  eventsSent(door: 'stream' | 'webhook', count: number): void
  /** `delivered`, `failed` (it is tried again) or `dead`. */
  delivery(outcome: 'delivered' | 'failed' | 'dead'): void
}
