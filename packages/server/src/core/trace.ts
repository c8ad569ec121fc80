/** Spans of requests and their stages, as OpenTelemetry knows them. They have names, ids and numbers, never content. */

/** The position in a trace that another process may continue (https://www.w3.org/TR/trace-context/). */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  readonly isSampled: boolean
  /** Of other systems, passed on unchanged. */
  readonly state?: string
}

export type SpanKind = 'internal' | 'server'
export type Attributes = Readonly<Record<string, string | number>>

export interface Span {
  readonly context: TraceContext
  child(name: string, kind: SpanKind, attributes?: Attributes): Span
  /** A child that has just ended. */
  ended(name: string, ms: number): void
  set(attributes: Attributes): void
  /** `error` is the code of the failure. Later calls do nothing. */
  end(error?: string): void
}

export interface Tracer {
  /** Undefined: the trace is not sampled, and its requests cost nothing. */
  start(name: string, kind: SpanKind, parent: TraceContext | undefined, attributes?: Attributes): Span | undefined
}

/** Longer values may be cut by the standard; ours are left out. */
const longestState = 512

/** Undefined for anything that is not a valid `traceparent`: the trace then starts here. */
export function traceContextOf(parent: unknown, state?: unknown): TraceContext | undefined {
  const [, version, traceId, spanId, flags = ''] =
    typeof parent === 'string'
      ? (/^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.{0,200})?$/.exec(parent) ?? [])
      : []
  if (traceId === undefined || spanId === undefined || version === 'ff') return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  // Version 00 has exactly these four fields.
  if (version === '00' && String(parent).length !== 55) return undefined
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1
  const isState = typeof state === 'string' && state.length <= longestState && /^[\x20-\x7e]+$/.test(state)
  return { traceId, spanId, isSampled, ...(isState ? { state } : {}) }
}
