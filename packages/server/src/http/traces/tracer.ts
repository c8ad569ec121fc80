/** Makes spans and passes each to the exporter when it ends. */
import { randomBytes } from 'node:crypto'
import type { Attributes, Span, SpanKind, TraceContext, Tracer } from '../../core/trace.js'
import { isSampled, type Sampling } from './sampler.js'

export interface EndedSpan {
  readonly context: TraceContext
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: SpanKind
  /** Milliseconds since 1970, with fractions. */
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Attributes
  readonly error: string | undefined
}

interface TracerOptions {
  readonly sampling: Sampling
  readonly export: (span: EndedSpan) => void
  readonly now?: () => number
}

/** A bug that starts children in a loop must not fill the queue. */
const mostChildren = 200

export function openTracer({ sampling, export: pass, now = preciseNow }: TracerOptions): Tracer {
  return {
    start(name, kind, parent, attributes = {}) {
      const traceId = parent?.traceId ?? randomBytes(16).toString('hex')
      if (!isSampled(sampling, traceId, parent)) return undefined
      const state = parent?.state
      const context = { traceId, spanId: newSpanId(), isSampled: true, ...(state === undefined ? {} : { state }) }
      return new LiveSpan({ pass, now }, context, parent?.spanId, name, kind, attributes)
    },
  }
}

interface Surroundings {
  readonly pass: (span: EndedSpan) => void
  readonly now: () => number
}

class LiveSpan implements Span {
  readonly #around: Surroundings
  readonly #startMs: number
  #attributes: Attributes
  #hasEnded = false
  #children = 0

  constructor(
    around: Surroundings,
    readonly context: TraceContext,
    private readonly parentSpanId: string | undefined,
    private readonly name: string,
    private readonly kind: SpanKind,
    attributes: Attributes,
  ) {
    this.#around = around
    this.#startMs = around.now()
    this.#attributes = attributes
  }

  child(name: string, kind: SpanKind, attributes: Attributes = {}): Span {
    const context = { ...this.context, spanId: newSpanId() }
    return new LiveSpan(this.#around, context, this.context.spanId, name, kind, attributes)
  }

  ended(name: string, ms: number): void {
    if (++this.#children > mostChildren) return
    const endMs = this.#around.now()
    this.#around.pass({
      context: { ...this.context, spanId: newSpanId() },
      parentSpanId: this.context.spanId,
      name,
      kind: 'internal',
      startMs: endMs - ms,
      endMs,
      attributes: {},
      error: undefined,
    })
  }

  set(attributes: Attributes): void {
    this.#attributes = { ...this.#attributes, ...attributes }
  }

  end(error?: string): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const { context, parentSpanId, name, kind } = this
    const attributes = error === undefined ? this.#attributes : { ...this.#attributes, 'error.type': error }
    const endMs = this.#around.now()
    this.#around.pass({ context, parentSpanId, name, kind, startMs: this.#startMs, endMs, attributes, error })
  }
}

function newSpanId(): string {
  return randomBytes(8).toString('hex')
}

function preciseNow(): number {
  return performance.timeOrigin + performance.now()
}
