/**
 * Sends spans to a collector in batches. It never makes a request wait: beyond its queue, and while the collector fails, spans are dropped
 * and counted.
 */
import type { Log } from '../../core/log.js'
import type { Attributes } from '../../core/trace.js'
import { otlpRequest } from './otlp-json.js'
import type { EndedSpan } from './tracer.js'

export interface ExporterOptions {
  /** The full address, with `/v1/traces`. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** How long spans wait for others. */
  readonly intervalMs: number
  readonly resource: Attributes
  readonly version: string
  readonly log: Log
  readonly meter: SpanMeter
  /** For tests. */
  readonly limits?: Partial<Limits>
}

export interface SpanMeter {
  spans(outcome: 'exported' | 'failed' | 'dropped', count: number): void
}

interface Limits {
  readonly mostQueued: number
  readonly mostPerBatch: number
  /** After a failure, doubled with each further one up to the longest pause. */
  readonly firstPauseMs: number
  readonly longestPauseMs: number
  /** How long the last batches may take when the service stops. */
  readonly lastMs: number
}

const usualLimits: Limits = {
  mostQueued: 4_096,
  mostPerBatch: 512,
  firstPauseMs: 2_000,
  longestPauseMs: 60_000,
  lastMs: 3_000,
}

export interface SpanExporter {
  add(span: EndedSpan): void
  /** Sends what is queued, if the collector answers in time. */
  close(): Promise<void>
}

export function openSpanExporter(options: ExporterOptions): SpanExporter {
  return new OtlpExporter(options)
}

class OtlpExporter implements SpanExporter {
  readonly #options: ExporterOptions
  readonly #limits: Limits
  #queue: EndedSpan[] = []
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  #failures = 0
  #isClosed = false

  constructor(options: ExporterOptions) {
    this.#options = options
    this.#limits = { ...usualLimits, ...options.limits }
  }

  add(span: EndedSpan): void {
    if (this.#isClosed || this.#queue.length >= this.#limits.mostQueued) {
      this.#options.meter.spans('dropped', 1)
      return
    }
    this.#queue.push(span)
    const isFull = this.#queue.length >= this.#limits.mostPerBatch
    if (isFull && this.#failures === 0) this.#schedule(0)
    else this.#timer ??= this.#later(this.#pauseMs())
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    const end = performance.now() + this.#limits.lastMs
    await this.#sending
    while (this.#queue.length > 0 && performance.now() < end) {
      await this.#send(Math.max(1, end - performance.now()))
      // A collector that does not answer now is not asked again.
      if (this.#failures > 0) break
    }
    if (this.#queue.length > 0) this.#options.meter.spans('dropped', this.#queue.length)
    this.#queue = []
  }

  #schedule(afterMs: number): void {
    if (this.#sending !== undefined) return
    clearTimeout(this.#timer)
    this.#timer = this.#later(afterMs)
  }

  #later(afterMs: number): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#sending = this.#send(this.#options.timeoutMs).finally(() => {
        this.#sending = undefined
        this.#timer = undefined
        if (this.#queue.length > 0 && !this.#isClosed) this.#timer = this.#later(this.#pauseMs())
      })
    }, afterMs)
    return timer.unref()
  }

  #pauseMs(): number {
    const { firstPauseMs, longestPauseMs } = this.#limits
    if (this.#failures > 0) return Math.min(longestPauseMs, firstPauseMs * 2 ** (this.#failures - 1))
    return this.#queue.length >= this.#limits.mostPerBatch ? 0 : this.#options.intervalMs
  }

  /** Never rejects. */
  async #send(timeoutMs: number): Promise<void> {
    const { endpoint, headers, resource, version, meter, log } = this.#options
    const batch = this.#queue.splice(0, this.#limits.mostPerBatch)
    if (batch.length === 0) return
    try {
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: otlpRequest(batch, resource, version),
        redirect: 'error',
        signal: AbortSignal.timeout(Math.ceil(timeoutMs)),
      })
      await response.body?.cancel()
      if (!response.ok) throw new Error(`the collector answered ${response.status}`)
      if (this.#failures > 0) log.info({}, 'spans are exported again')
      this.#failures = 0
      meter.spans('exported', batch.length)
    } catch (error) {
      meter.spans('failed', batch.length)
      // Logged once, not with every batch while the collector is down.
      if (this.#failures++ === 0) log.warn({ err: error }, 'spans could not be exported and were dropped')
    }
  }
}
