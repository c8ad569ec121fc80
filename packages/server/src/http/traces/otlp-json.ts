/** Spans as OTLP in JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding. */
import type { Attributes } from '../../core/trace.js'
import type { EndedSpan } from './tracer.js'

const kinds = { internal: 1, server: 2 } as const
const errorStatus = 2
/** The parent may be a span of another process. */
const sampledFlag = 1

export function otlpRequest(spans: readonly EndedSpan[], resource: Attributes, version: string): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributeList(resource) },
        scopeSpans: [{ scope: { name: 'keepsake', version }, spans: spans.map(otlpSpan) }],
      },
    ],
  })
}

function otlpSpan({ context, parentSpanId, name, kind, startMs, endMs, attributes, error }: EndedSpan): object {
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(context.state === undefined ? {} : { traceState: context.state }),
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    flags: sampledFlag,
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(Math.max(startMs, endMs)),
    attributes: attributeList(attributes),
    ...(error === undefined ? {} : { status: { code: errorStatus } }),
  }
}

/** As text: the number has more digits than a JSON number keeps. */
function nanoseconds(ms: number): string {
  const whole = Math.floor(ms)
  return String(BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6)))
}

function attributeList(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: attributeValue(value) }))
}

function attributeValue(value: string | number): object {
  if (typeof value === 'string') return { stringValue: value }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
