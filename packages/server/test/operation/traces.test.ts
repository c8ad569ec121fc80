/** Spans for OpenTelemetry, as a collector receives them. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startService, type TestService } from '../support/harness.js'

interface Received {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly kind: number
  readonly attributes: Readonly<Record<string, string | number>>
}

/** Collects the spans that it receives, and the texts of all requests. */
async function startCollector() {
  const spans: Received[] = []
  const texts: string[] = []
  const server: Server = createServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString()
    texts.push(text)
    for (const { scopeSpans } of JSON.parse(text).resourceSpans) {
      for (const { attributes, ...span } of scopeSpans[0].spans) {
        const values = attributes.map(
          ({ key, value }: { key: string; value: { stringValue?: string; intValue?: string } }) => [
            key,
            value.stringValue ?? Number(value.intValue),
          ],
        )
        spans.push({ ...span, attributes: Object.fromEntries(values) })
      }
    }
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A listening TCP server has this kind of address.
  const { port } = server.address() as AddressInfo
  return { spans, texts, url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

let collector: Awaited<ReturnType<typeof startCollector>>
let service: TestService
beforeAll(async () => {
  collector = await startCollector()
  service = await startService({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_SERVICE_NAME: 'memory',
      OTEL_BSP_SCHEDULE_DELAY: '20',
      SERVICE_MCP_USER: 'ana',
    },
  })
})
afterAll(async () => {
  await service.close()
  collector.close()
})

const traceOf = (digit: string) => ({
  traceId: digit.repeat(32),
  traceparent: `00-${digit.repeat(32)}-${'1'.repeat(16)}-01`,
})
/** The spans of a trace, once the one that ends last has arrived. */
const received = (traceId: string, last: string) =>
  vi.waitFor(
    () => {
      const found = collector.spans.filter((span) => span.traceId === traceId)
      expect(found.map(({ name }) => name)).toContain(last)
      return found
    },
    { timeout: 10_000 },
  )
const named = (spans: readonly Received[], name: string) => spans.find((span) => span.name === name)

describe('spans', () => {
  it('continue the trace of the caller: the request, the memory operation and its stages, without content', async () => {
    const stored = traceOf('a')
    const { memories } = await service.store(
      { user_id: 'ana', content: 'The boat is called Pelican.' },
      { headers: { traceparent: stored.traceparent } },
    )
    const storing = await received(stored.traceId, 'POST /api/v1/store')
    const request = named(storing, 'POST /api/v1/store')
    expect(request).toMatchObject({
      parentSpanId: '1'.repeat(16),
      kind: 2,
      attributes: { 'http.route': '/api/v1/store', 'http.response.status_code': 200, 'http.request.method': 'POST' },
    })
    const operation = named(storing, 'upsert_memory')
    expect(operation).toMatchObject({
      parentSpanId: request?.spanId,
      attributes: { 'gen_ai.operation.name': 'upsert_memory', 'gen_ai.memory.record.count': 1 },
    })
    for (const stage of ['understand', 'embed', 'commit'])
      expect(named(storing, stage), stage).toMatchObject({ parentSpanId: operation?.spanId, kind: 1 })

    const recalled = traceOf('b')
    const headers = { traceparent: recalled.traceparent }
    const body = { user_id: 'ana', query: 'What is the boat called?', enable_rerank: true }
    await service.ok('POST', '/recall', { headers, body })
    const recalling = await received(recalled.traceId, 'POST /api/v1/recall')
    const search = named(recalling, 'search_memory')
    expect(search?.attributes).toMatchObject({ 'gen_ai.memory.record.count': 1 })
    for (const stage of ['embed', 'search', 'rerank'])
      expect(named(recalling, stage), stage).toMatchObject({ parentSpanId: search?.spanId })

    const id = memories[0]?.id
    const removed = traceOf('c')
    await service.ok('DELETE', `/memories/${id}`, { headers: { traceparent: removed.traceparent } })
    expect(
      named(await received(removed.traceId, 'DELETE /api/v1/memories/:id'), 'delete_memory')?.attributes,
    ).toMatchObject({
      'gen_ai.operation.name': 'delete_memory',
      'gen_ai.memory.record.id': id,
    })
    expect(collector.texts.join()).toContain('"memory"')
    expect(collector.texts.join()).not.toMatch(/Pelican|boat|ana"/)
  })

  it('continue the trace in _meta of an MCP message', async () => {
    const { traceId, traceparent } = traceOf('d')
    const params = { name: 'recall_memories', arguments: { query: 'boat' }, _meta: { traceparent } }
    const response = await service.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { accept: 'application/json, text/event-stream' },
      payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    })
    expect(response.statusCode).toBe(200)
    const spans = await received(traceId, 'tools/call recall_memories')
    const call = named(spans, 'tools/call recall_memories')
    expect(call).toMatchObject({
      parentSpanId: '1'.repeat(16),
      kind: 2,
      attributes: { 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 'recall_memories' },
    })
    expect(named(spans, 'search_memory')).toMatchObject({ parentSpanId: call?.spanId })
  })

  it('name the memory operation behind an interface of another project', async () => {
    const { traceId, traceparent } = traceOf('8')
    const payload = { query: 'boat', user_id: 'ana' }
    const url = '/v1/memories/search/'
    const response = await service.app.inject({ method: 'POST', url, headers: { traceparent }, payload })
    expect(response.statusCode, response.payload).toBe(200)
    const spans = await received(traceId, 'POST /v1/memories/search')
    expect(named(spans, 'search_memory')).toMatchObject({
      parentSpanId: named(spans, 'POST /v1/memories/search')?.spanId,
    })
  })

  it('name failures by their code, and no text of a path', async () => {
    const { traceId, traceparent } = traceOf('e')
    const path = '/memories/my-secret-note'
    await service.fails(404, 'PUT', path, { headers: { traceparent }, body: { content: 'x' } })
    const spans = await received(traceId, 'PUT /api/v1/memories/:id')
    expect(named(spans, 'update_memory')?.attributes).toMatchObject({ 'error.type': 'not_found' })
    expect(named(spans, 'update_memory')?.attributes).not.toHaveProperty('gen_ai.memory.record.id')
    expect(named(spans, 'PUT /api/v1/memories/:id')?.attributes).not.toHaveProperty('error.type')
    expect(collector.texts.join()).not.toContain('my-secret-note')
  })

  it('are not recorded for probes, nor for a trace that its caller does not record', async () => {
    const before = collector.spans.length
    const { traceId } = traceOf('f')
    const headers = { traceparent: `00-${traceId}-${'1'.repeat(16)}-00` }
    await service.ok('GET', '/memories', { headers, query: { user_id: 'ana' } })
    await service.app.inject({ method: 'GET', url: '/readyz' })
    await service.app.inject({ method: 'GET', url: '/metrics' })
    const marker = traceOf('9')
    await service.ok('GET', '/memories', { headers: { traceparent: marker.traceparent }, query: { user_id: 'ana' } })
    await received(marker.traceId, 'GET /api/v1/memories')
    expect(collector.spans.slice(before).map(({ name }) => name)).toEqual(['GET /api/v1/memories'])
  })

  it('are counted, and appear in the log', async () => {
    const { payload } = await service.app.inject({ method: 'GET', url: '/metrics' })
    expect(payload).toMatch(/^keepsake_spans_total\{outcome="exported"\} [1-9]/m)
    expect(service.logLines.join('\n')).toContain(`"trace_id":"${'a'.repeat(32)}"`)
  })
})
