/** Which traces are recorded: the samplers of OpenTelemetry (https://opentelemetry.io/docs/specs/otel/trace/sdk/#sampling). */
import type { TraceContext } from '../../core/trace.js'

export interface Sampling {
  /** Follow the decision of the caller, where there is one. */
  readonly isParentBased: boolean
  /** Of the traces that start here, from 0 to 1. */
  readonly ratio: number
}

/** The same decision for one trace on every instance: it depends on the id alone. */
export function isSampled(
  { isParentBased, ratio }: Sampling,
  traceId: string,
  parent: TraceContext | undefined,
): boolean {
  if (isParentBased && parent !== undefined) return parent.isSampled
  // The end is random in every generator. A number has 52 bits to spare.
  return Number.parseInt(traceId.slice(-13), 16) < ratio * 2 ** 52
}
