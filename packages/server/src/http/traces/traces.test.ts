import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { silentLog } from '../../core/log.js'
import { openSpanExporter } from './otlp-exporter.js'
import { isSampled } from './sampler.js'
import { type EndedSpan, openTracer } from './tracer.js'

const patience = { timeout: 10_000 }
const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function collector(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  // A listening TCP server has this kind of address.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`
}

function exporterTo(endpoint: string, limits: object = {}, intervalMs = 5) {
  const counted: Record<string, number> = {}
  const exporter = openSpanExporter({
    endpoint,
    headers: { 'x-team': 'a' },
    timeoutMs: 10_000,
    resource: { 'service.name': 'keepsake' },
    version: '1',
    log: silentLog,
    meter: {
      spans(outcome, count) {
        counted[outcome] = (counted[outcome] ?? 0) + count
      },
    },
    intervalMs,
    limits: { firstPauseMs: 5, longestPauseMs: 20, lastMs: 10_000, ...limits },
  })
  return { exporter, counted }
}

const span: EndedSpan = {
  context: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true },
  parentSpanId: undefined,
  name: 'x',
  kind: 'internal',
  startMs: 1_763_312_345_678.25,
  endMs: 1_763_312_345_679.5,
  attributes: { a: 'text', n: 3, half: 0.5 },
  error: 'not_found',
}

describe('the export of spans', () => {
  it('sends batches as OTLP in JSON', async () => {
    const bodies: { headers: object; body: string }[] = []
    const url = await collector(async (request, response) => {
      bodies.push({ headers: request.headers, body: Buffer.concat(await request.toArray()).toString() })
      response.end('{}')
    })
    const { exporter, counted } = exporterTo(url, { mostPerBatch: 2 })
    for (let sent = 0; sent < 5; sent++) exporter.add(span)
    await vi.waitFor(() => expect(counted.exported).toBe(5), patience)
    expect(bodies.length).toBe(3)
    expect(bodies[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'x-team': 'a' })
    expect(JSON.parse(bodies[0]?.body ?? '')).toEqual({
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'keepsake' } }] },
          scopeSpans: [
            {
              scope: { name: 'keepsake', version: '1' },
              spans: Array(2).fill({
                traceId: 'a'.repeat(32),
                spanId: 'b'.repeat(16),
                flags: 1,
                name: 'x',
                kind: 1,
                startTimeUnixNano: '1763312345678250000',
                endTimeUnixNano: '1763312345679500000',
                attributes: [
                  { key: 'a', value: { stringValue: 'text' } },
                  { key: 'n', value: { intValue: '3' } },
                  { key: 'half', value: { doubleValue: 0.5 } },
                ],
                status: { code: 2 },
              }),
            },
          ],
        },
      ],
    })
    await exporter.close()
  })

  it('drops and counts spans beyond its queue and while the collector fails, and continues afterwards', async () => {
    let status = 503
    let asked = 0
    const url = await collector((_request, response) => {
      asked += 1
      response.writeHead(status).end()
    })
    const { exporter, counted } = exporterTo(url, { mostQueued: 10, mostPerBatch: 10 })
    for (let sent = 0; sent < 25; sent++) exporter.add(span)
    expect(counted).toEqual({ dropped: 15 })
    await vi.waitFor(() => expect(counted.failed).toBe(10), patience)
    status = 200
    exporter.add(span)
    await vi.waitFor(() => expect(counted.exported).toBe(1), patience)
    expect(asked).toBe(2)
    await exporter.close()
    exporter.add(span)
    expect(counted).toEqual({ dropped: 16, failed: 10, exported: 1 })
  })

  it('sends the last spans when it closes, and does not wait for a collector that never answers', async () => {
    const url = await collector((_request, response) => void response.end('{}'))
    const last = exporterTo(url, {}, 60_000)
    last.exporter.add(span)
    await last.exporter.close()
    expect(last.counted).toEqual({ exported: 1 })
    const silent = exporterTo(await collector(() => undefined), { lastMs: 200 }, 60_000)
    for (let sent = 0; sent < 3; sent++) silent.exporter.add(span)
    await silent.exporter.close()
    expect(silent.counted).toEqual({ failed: 3 })
  })
})

describe('sampling', () => {
  const low = `${'f'.repeat(18)}${'0'.repeat(14)}`
  const high = `${'0'.repeat(18)}${'f'.repeat(14)}`
  it('decides by the id of the trace, and follows the caller if asked to', () => {
    const tenth = { isParentBased: false, ratio: 0.1 }
    expect([isSampled(tenth, low, undefined), isSampled(tenth, high, undefined)]).toEqual([true, false])
    expect(isSampled({ isParentBased: false, ratio: 1 }, high, undefined)).toBe(true)
    expect(isSampled({ isParentBased: false, ratio: 0 }, low, undefined)).toBe(false)
    const parent = { traceId: high, spanId: 'b', isSampled: true }
    expect(isSampled(tenth, high, parent)).toBe(false)
    expect(isSampled({ isParentBased: true, ratio: 0 }, high, parent)).toBe(true)
    expect(isSampled({ isParentBased: true, ratio: 1 }, low, { ...parent, isSampled: false })).toBe(false)
  })
})

describe('a span', () => {
  it('ends once, and bounds its children', () => {
    const ended: EndedSpan[] = []
    const sampling = { isParentBased: true, ratio: 1 }
    const tracer = openTracer({ sampling, export: (each) => ended.push(each), now: () => 5 })
    const parent = { traceId: 'a'.repeat(32), spanId: 'c'.repeat(16), isSampled: true, state: 'v=1' }
    const root = tracer.start('root', 'server', parent)
    for (let stage = 0; stage < 300; stage++) root?.ended('stage', 2)
    root?.end('503')
    root?.end()
    expect(ended).toHaveLength(201)
    expect(ended[0]).toMatchObject({ name: 'stage', parentSpanId: root?.context.spanId, startMs: 3, endMs: 5 })
    expect(ended.at(-1)).toMatchObject({
      context: { traceId: parent.traceId, state: 'v=1' },
      parentSpanId: parent.spanId,
      attributes: { 'error.type': '503' },
    })
    expect(tracer.start('x', 'server', { ...parent, isSampled: false })).toBeUndefined()
  })
})
