/** Opens the export of spans, if OpenTelemetry is configured. */
import type { Config } from '../config/config.js'
import type { Log } from '../core/log.js'
import type { Tracer } from '../core/trace.js'
import { openSpanExporter, type SpanMeter } from '../http/traces/otlp-exporter.js'
import { openTracer } from '../http/traces/tracer.js'

export interface Traces {
  readonly tracer: Tracer | undefined
  /** Sends the last spans. */
  close(): Promise<void>
}

export function openTraces({ traces }: Pick<Config, 'traces'>, version: string, log: Log, meter: SpanMeter): Traces {
  if (traces === undefined) return { tracer: undefined, close: async () => undefined }
  const { sampling, resource, ...collector } = traces
  const exporter = openSpanExporter({
    ...collector,
    resource: { 'service.version': version, ...resource },
    version,
    log,
    meter,
  })
  const tracer = openTracer({ sampling, export: (span) => exporter.add(span) })
  return { tracer, close: () => exporter.close() }
}
