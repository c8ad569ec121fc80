/**
 * The spans of one operation: for MCP the message, for memories the operation by the GenAI conventions of OpenTelemetry, and below it
 * each stage. Without a sampled trace, nothing happens.
 */
import { ServiceError } from '../../core/errors.js'
import { isId } from '../../core/ids.js'
import type { Meter } from '../../core/meter.js'
import { type Attributes, type Span, type Tracer, traceContextOf } from '../../core/trace.js'

/** Where the spans of an operation belong. */
export interface OperationTrace {
  /** Of the HTTP request. */
  readonly span?: Span | undefined
  /** The MCP message that asks for the operation. */
  readonly mcp?: McpMessage
}

export interface McpMessage {
  readonly method: string
  readonly tool?: string
  /** The `_meta` of its parameters, which may continue a trace. */
  readonly meta?: unknown
  /** No request carries it, so it may start a trace. */
  readonly isAlone?: true
}

/** https://github.com/open-telemetry/semantic-conventions-genai: a store may create, update or consolidate. */
const memoryOperations: Readonly<Record<string, string>> = {
  storeMemories: 'upsert_memory',
  storeBatch: 'upsert_memory',
  recallMemories: 'search_memory',
  updateMemory: 'update_memory',
  deleteMemory: 'delete_memory',
  deleteMemories: 'delete_memory',
}

/** Performs an operation within its spans. `work` gets a meter that also records each stage as a span. */
export async function traced<T>(
  tracer: Tracer | undefined,
  { span: request, mcp }: OperationTrace,
  operation: { readonly operationId: string },
  params: unknown,
  meter: Meter,
  work: (meter: Meter) => Promise<T>,
): Promise<T> {
  const message = mcp === undefined ? undefined : messageSpan(tracer, request, mcp)
  const outer = message ?? request
  const name = memoryOperations[operation.operationId]
  const inner = name === undefined ? undefined : outer?.child(name, 'internal', memoryAttributes(name, params))
  const span = inner ?? outer
  if (span === undefined) return work(meter)
  const staged: Meter = {
    stage(stage, ms) {
      meter.stage(stage, ms)
      span.ended(stage, ms)
    },
    trustRejection: (kinds) => meter.trustRejection(kinds),
    secrets: (kind, outcome, count) => meter.secrets(kind, outcome, count),
    checksumMismatch: () => meter.checksumMismatch(),
    degraded: (part) => meter.degraded(part),
  }
  try {
    const answer = await work(staged)
    if (inner !== undefined) inner.set(countIn(answer))
    inner?.end()
    message?.end()
    return answer
  } catch (error) {
    const code = error instanceof ServiceError ? error.code : 'internal_error'
    inner?.end(code)
    message?.end(code)
    throw error
  }
}

/** A message may name another trace than the request that carries it: a proxy may share connections. */
function messageSpan(tracer: Tracer | undefined, request: Span | undefined, mcp: McpMessage): Span | undefined {
  const { traceparent, tracestate } = (mcp.meta ?? {}) as {
    readonly traceparent?: unknown
    readonly tracestate?: unknown
  }
  const name = mcp.tool === undefined ? mcp.method : `${mcp.method} ${mcp.tool}`
  const attributes = {
    'mcp.method.name': mcp.method,
    ...(mcp.tool === undefined ? {} : { 'gen_ai.tool.name': mcp.tool, 'gen_ai.operation.name': 'execute_tool' }),
  }
  const named = traceContextOf(traceparent, tracestate)
  if (named !== undefined || mcp.isAlone) return tracer?.start(name, 'server', named, attributes)
  return request?.child(name, 'server', attributes)
}

function memoryAttributes(name: string, params: unknown): Attributes {
  const { id } = (params ?? {}) as { readonly id?: unknown }
  return {
    'gen_ai.operation.name': name,
    'gen_ai.provider.name': 'keepsake',
    // A path may contain any text.
    ...(typeof id === 'string' && isId('mem', id) ? { 'gen_ai.memory.record.id': id } : {}),
  }
}

function countIn(answer: unknown): Attributes {
  const { memories, memory, deleted } = (answer ?? {}) as Readonly<Record<string, unknown>>
  const count = Array.isArray(memories)
    ? memories.length
    : typeof deleted === 'number'
      ? deleted
      : memory
        ? 1
        : undefined
  return count === undefined ? {} : { 'gen_ai.memory.record.count': count }
}
