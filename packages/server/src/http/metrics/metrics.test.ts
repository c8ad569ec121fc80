import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Gauges, prometheusMetrics } from './metrics.js'

const gauges: Gauges = {
  modelQueue: () => 3,
  outdatedVectors: () => 2,
  index: () => ({ users: 4, versions: 5, bytes: 6, pending: 7 }),
  storage: async () => ({ users: 8, memories: 9, bytes: 10 }),
}

afterEach(() => vi.useRealTimers())

/** Values by series, such as `name{label="value"}`. */
async function seriesOf(metrics: ReturnType<typeof prometheusMetrics>): Promise<Map<string, number>> {
  const { body } = await metrics.render()
  const lines = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}

describe('a scrape', () => {
  it('counts requests by method, route and status, and times them by route', async () => {
    const metrics = prometheusMetrics(gauges)
    metrics.request('POST', '/api/v1/store', 200, 0.02)
    metrics.request('POST', '/api/v1/store', 200, 0.3)
    metrics.request('POST', '/api/v1/store', 400, 0.001)
    metrics.request('BREW', undefined, 404, 0.001)
    const series = await seriesOf(metrics)
    expect(series.get('keepsake_http_requests_total{method="POST",route="/api/v1/store",status="200"}')).toBe(2)
    expect(series.get('keepsake_http_requests_total{method="POST",route="/api/v1/store",status="400"}')).toBe(1)
    expect(series.get('keepsake_http_requests_total{method="other",route="unmatched",status="404"}')).toBe(1)
    expect(series.get('keepsake_http_request_duration_seconds_count{route="/api/v1/store"}')).toBe(3)
    expect(series.get('keepsake_http_request_duration_seconds_bucket{le="0.025",route="/api/v1/store"}')).toBe(2)
  })

  it('times stages in seconds and counts what services report', async () => {
    const metrics = prometheusMetrics(gauges)
    metrics.stage('embed', 250)
    metrics.trustRejection(['role_manipulation', 'encoded_payload', 'encoded_payload'])
    metrics.trustRejection([])
    metrics.checksumMismatch()
    metrics.degraded('semantic')
    metrics.authFailure()
    metrics.rateLimited('store')
    const series = await seriesOf(metrics)
    expect(series.get('keepsake_stage_duration_seconds_sum{stage="embed"}')).toBe(0.25)
    expect(series.get('keepsake_trust_rejections_total{kind="role_manipulation"}')).toBe(1)
    expect(series.get('keepsake_trust_rejections_total{kind="encoded_payload"}')).toBe(1)
    expect(series.get('keepsake_trust_rejections_total{kind="unknown"}')).toBe(1)
    expect(series.get('keepsake_checksum_mismatches_total')).toBe(1)
    expect(series.get('keepsake_degraded_total{part="semantic"}')).toBe(1)
    expect(series.get('keepsake_auth_failures_total')).toBe(1)
    expect(series.get('keepsake_rate_limited_total{group="store"}')).toBe(1)
  })

  it('shows the queue, the index, the store, the process and the event loop as they are now', async () => {
    const metrics = prometheusMetrics(gauges)
    const { contentType } = await metrics.render()
    expect(contentType).toMatch(/^text\/plain; version=0\.0\.4/)
    const series = await seriesOf(metrics)
    const expected = {
      keepsake_model_queue: 3,
      keepsake_outdated_vectors: 2,
      keepsake_index_users: 4,
      keepsake_index_versions: 5,
      keepsake_index_bytes: 6,
      keepsake_index_pending: 7,
      keepsake_storage_users: 8,
      keepsake_storage_memories: 9,
      keepsake_storage_bytes: 10,
      keepsake_storage_up: 1,
    }
    for (const [name, value] of Object.entries(expected)) expect(series.get(name), name).toBe(value)
    expect(series.get('process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
    for (const name of [
      'process_cpu_seconds_total',
      'nodejs_eventloop_lag_p50_seconds',
      'nodejs_eventloop_lag_p99_seconds',
      'nodejs_eventloop_lag_max_seconds',
    ]) {
      expect(series.has(name), name).toBe(true)
    }
  })

  it('shows zero for events that never happened, so that alerts can detect a missing series', async () => {
    const series = await seriesOf(prometheusMetrics(gauges))
    expect(series.get('keepsake_checksum_mismatches_total')).toBe(0)
    expect(series.get('keepsake_auth_failures_total')).toBe(0)
  })

  it('belongs to one service: two services in a process do not share series', async () => {
    const [first, second] = [prometheusMetrics(gauges), prometheusMetrics(gauges)]
    first.authFailure()
    expect((await seriesOf(second)).get('keepsake_auth_failures_total')).toBe(0)
  })
})

describe('a store that does not report its size', () => {
  it('keeps its last values and sets keepsake_storage_up to 0, and the other series are read', async () => {
    let storage: Gauges['storage'] = gauges.storage
    const metrics = prometheusMetrics({ ...gauges, storage: () => storage() })
    await metrics.render()
    storage = () => Promise.reject(new Error('gone'))
    const series = await seriesOf(metrics)
    expect(series.get('keepsake_storage_up')).toBe(0)
    expect(series.get('keepsake_storage_memories')).toBe(9)
    expect(series.get('keepsake_model_queue')).toBe(3)
  })

  it('does not hold up a scrape forever', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const metrics = prometheusMetrics({ ...gauges, storage: () => new Promise(() => undefined) })
    const rendered = seriesOf(metrics)
    await vi.runAllTimersAsync()
    expect((await rendered).get('keepsake_storage_up')).toBe(0)
  })
})

it('has a bounded number of series, whatever names it gets', async () => {
  const metrics = prometheusMetrics(gauges)
  for (let index = 0; index < 1000; index += 1) {
    metrics.stage(`stage ${index}`, 1)
    metrics.degraded(`part ${index}`)
    metrics.trustRejection([`kind ${index}`])
    metrics.request(`METHOD${index}`, undefined, 405, 0.1)
  }
  const names = [...(await seriesOf(metrics)).keys()]
  expect(names.filter((name) => name.startsWith('keepsake_degraded_total'))).toHaveLength(65)
  expect(names.filter((name) => name.startsWith('keepsake_trust_rejections_total'))).toHaveLength(65)
  expect(names.filter((name) => name.startsWith('keepsake_stage_duration_seconds_count'))).toHaveLength(65)
  expect(names.filter((name) => name.startsWith('keepsake_http_requests_total'))).toHaveLength(1)
})
