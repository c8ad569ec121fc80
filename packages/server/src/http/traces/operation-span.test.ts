import { describe, expect, it } from 'vitest'
import { notFound } from '../../core/errors.js'
import type { Meter } from '../../core/meter.js'
import { traced } from './operation-span.js'
import { type EndedSpan, openTracer } from './tracer.js'

const traceId = 'a'.repeat(32)
const traceparent = `00-${traceId}-${'1'.repeat(16)}-01`
const recall = { operationId: 'recallMemories' }

function setup(ratio = 1) {
  const spans: EndedSpan[] = []
  const stages: string[] = []
  const tracer = openTracer({ sampling: { isParentBased: true, ratio }, export: (span) => spans.push(span) })
  const meter: Meter = {
    stage: (name) => void stages.push(name),
    trustRejection: () => undefined,
    secrets: () => undefined,
    checksumMismatch: () => undefined,
    degraded: () => undefined,
  }
  return { spans, stages, tracer, meter, names: () => spans.map(({ name }) => name) }
}

describe('the spans of an operation', () => {
  it('start a trace for an MCP message that no request carries', async () => {
    const { tracer, meter, spans, stages, names } = setup()
    const mcp = { method: 'tools/call', tool: 'recall_memories', isAlone: true } as const
    await traced(tracer, { mcp }, recall, {}, meter, async (own) => {
      own.stage('embed', 1)
      return { memories: [{}, {}] }
    })
    expect(stages).toEqual(['embed'])
    expect(names()).toEqual(['embed', 'search_memory', 'tools/call recall_memories'])
    const [stage, operation, message] = spans
    expect(message?.parentSpanId).toBeUndefined()
    expect(operation).toMatchObject({
      parentSpanId: message?.context.spanId,
      attributes: { 'gen_ai.memory.record.count': 2 },
    })
    expect(stage?.parentSpanId).toBe(operation?.context.spanId)
  })

  it('follow the trace in _meta, whatever it contains', async () => {
    const { tracer, meter, spans } = setup(0)
    for (const meta of [undefined, null, 'x', 7, [], { traceparent: {} }, { traceparent: 'x' }]) {
      const mcp = { method: 'resources/read', meta, isAlone: true } as const
      await traced(tracer, { mcp }, { operationId: 'getMemory' }, {}, meter, async () => ({}))
    }
    expect(spans).toEqual([])
    const mcp = { method: 'resources/read', meta: { traceparent, tracestate: 'v=1' } }
    await traced(tracer, { mcp }, { operationId: 'getMemory' }, {}, meter, async () => ({}))
    expect(spans).toMatchObject([{ name: 'resources/read', context: { traceId, state: 'v=1' } }])
  })

  it('are not recorded where the request is not: its trace must not get parts without a root', async () => {
    const { tracer, meter, spans } = setup()
    const mcp = { method: 'tools/call', tool: 'recall_memories' }
    const answer = await traced(tracer, { span: undefined, mcp }, recall, {}, meter, async (own) => own === meter)
    expect(answer).toBe(true)
    expect(spans).toEqual([])
  })

  it('end with the code of the failure, and of any other error without its text', async () => {
    const { tracer, meter, spans } = setup()
    for (const error of [notFound('Memory'), new Error('about Pelican')]) {
      const span = tracer.start('PUT', 'server', undefined)
      const id = 'mem_01h455vb4pex5vsknk084sn02q'
      const failing = traced(tracer, { span }, { operationId: 'updateMemory' }, { id }, meter, () =>
        Promise.reject(error),
      )
      await expect(failing).rejects.toBe(error)
    }
    expect(spans.map(({ attributes }) => attributes['error.type'])).toEqual(['not_found', 'internal_error'])
    expect(spans[0]?.attributes).toMatchObject({ 'gen_ai.memory.record.id': 'mem_01h455vb4pex5vsknk084sn02q' })
    expect(JSON.stringify(spans)).not.toContain('Pelican')
  })
})
