/**
 * The Prometheus series of one service. Every label has few values (routes are patterns such as `/api/v1/memories/:id`, never
 * addresses), so that no client can grow the number of series.
 */
import type { LiveMeter, Meter } from '../../core/meter.js'
import type { LimitGroup } from '../limits/rate-limit.js'
import type { SpanMeter } from '../traces/otlp-exporter.js'
import { type Exposition, exposition, expositionType } from './exposition.js'
import { processSeries } from './process-series.js'

export interface Metrics extends Meter, LiveMeter, SpanMeter {
  /** `route` is the pattern of the route, or undefined where none matched. */
  request(method: string, route: string | undefined, status: number, seconds: number): void
  authFailure(): void
  rateLimited(group: LimitGroup): void
  render(): Promise<{ readonly contentType: string; readonly body: string }>
}

export interface Gauges {
  /** Number of texts that wait for a model. */
  modelQueue(): number
  /** Number of versions of memories that another model embedded. */
  outdatedVectors(): number
  /** Number of open event streams. */
  eventStreams?(): number
  index(): { readonly users: number; readonly versions: number; readonly bytes: number; readonly pending: number }
  storage(): Promise<{ readonly users: number; readonly memories: number; readonly bytes: number }>
}

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** The code uses few names (stages, parts, kinds). This bounds them in case one ever comes from outside. */
const maxNames = 64
const storageTimeoutMs = 2000

export function prometheusMetrics(gauges: Gauges): Metrics {
  const series = exposition()
  // Resident memory, CPU, file descriptors, garbage collection, and the event loop's delay (p50, p99, max).
  const readProcess = processSeries(series)
  const readGauges = gaugeReader(series, gauges)
  return {
    ...requestMeter(series),
    ...serviceMeter(series),
    ...liveMeter(series),
    ...spanMeter(series),
    async render() {
      await Promise.all([readProcess(), readGauges()])
      return { contentType: expositionType, body: series.render() }
    },
  }
}

function requestMeter(series: Exposition): Pick<Metrics, 'request' | 'authFailure' | 'rateLimited'> {
  const requests = series.counter('keepsake_http_requests_total', 'Requests answered', ['method', 'route', 'status'])
  const durations = series.histogram(
    'keepsake_http_request_duration_seconds',
    'Time to answer a request',
    ['route'],
    secondsBuckets,
  )
  const failures = series.counter('keepsake_auth_failures_total', 'Requests with a missing or wrong key')
  const limited = series.counter('keepsake_rate_limited_total', 'Requests refused by a rate limit', ['group'])
  return {
    request(method, route, status, seconds) {
      const labels = { method: methods.has(method) ? method : 'other', route: route ?? 'unmatched' }
      requests.add({ ...labels, status: String(status) })
      durations.observe({ route: labels.route }, seconds)
    },
    authFailure: () => failures.add({}),
    rateLimited: (group) => limited.add({ group }),
  }
}

function serviceMeter(series: Exposition): Meter {
  const stages = series.histogram(
    'keepsake_stage_duration_seconds',
    'Time that one stage of a request took',
    ['stage'],
    secondsBuckets,
  )
  const rejections = series.counter('keepsake_trust_rejections_total', 'Texts refused by content protection', ['kind'])
  const secrets = series.counter('keepsake_secrets_total', 'Secrets found in texts to store', ['kind', 'outcome'])
  const mismatches = series.counter(
    'keepsake_checksum_mismatches_total',
    'Memories whose content does not match their checksum',
  )
  const degradations = series.counter('keepsake_degraded_total', 'Responses given without one of their parts', ['part'])
  const stageNames = boundedNames()
  const kindNames = boundedNames()
  const partNames = boundedNames()
  return {
    stage: (name, ms) => stages.observe({ stage: stageNames(name) }, ms / 1000),
    trustRejection(kinds) {
      // A text that is refused for several reasons counts once under each.
      for (const kind of new Set(kinds.length > 0 ? kinds : ['unknown'])) rejections.add({ kind: kindNames(kind) })
    },
    // The kinds are a fixed list.
    secrets: (kind, outcome, count) => secrets.add({ kind, outcome }, count),
    checksumMismatch: () => mismatches.add({}),
    degraded: (part) => degradations.add({ part: partNames(part) }),
  }
}

function liveMeter(series: Exposition): LiveMeter {
  const closings = series.counter('keepsake_event_streams_closed_total', 'Event streams that ended', ['reason'])
  const sentEvents = series.counter('keepsake_events_sent_total', 'Events sent to streams and webhooks', ['door'])
  const deliveries = series.counter('keepsake_webhook_deliveries_total', 'Attempts to deliver an event', ['outcome'])
  return {
    streamClosed: (reason) => closings.add({ reason }),
    eventsSent: (door, count) => sentEvents.add({ door }, count),
    delivery: (outcome) => deliveries.add({ outcome }),
  }
}

function spanMeter(series: Exposition): SpanMeter {
  const spans = series.counter('keepsake_spans_total', 'Spans for OpenTelemetry: exported, failed or dropped', [
    'outcome',
  ])
  return { spans: (outcome, count) => spans.add({ outcome }, count) }
}

/** Reads all gauges before a scrape. If the store fails, its series keep their last value, and the others are read. */
function gaugeReader(series: Exposition, gauges: Gauges): () => Promise<void> {
  const gauge = (name: string, help: string) => {
    const { set } = series.gauge(name, help)
    return { set: (value: number) => set({}, value) }
  }
  const modelQueue = gauge('keepsake_model_queue', 'Texts that wait for a model')
  const outdated = gauge(
    'keepsake_outdated_vectors',
    'Versions of memories that another model embedded: only keyword search finds them until they are re-embedded',
  )
  const streams = gauge('keepsake_event_streams', 'Event streams that are open')
  const indexUsers = gauge('keepsake_index_users', 'Users whose vectors are in memory')
  const indexVersions = gauge('keepsake_index_versions', 'Versions of memories in the in-memory index')
  const indexBytes = gauge('keepsake_index_bytes', 'Bytes that the in-memory index takes')
  const indexPending = gauge('keepsake_index_pending', 'Calls to the in-memory index that are not answered yet')
  const users = gauge('keepsake_storage_users', 'Users in the store')
  const memories = gauge('keepsake_storage_memories', 'Memories in the store')
  const bytes = gauge('keepsake_storage_bytes', 'Bytes that the store takes on disk')
  const storageUp = gauge('keepsake_storage_up', 'Whether the store reported its size in time: 1 yes, 0 no')

  return async () => {
    modelQueue.set(gauges.modelQueue())
    outdated.set(gauges.outdatedVectors())
    streams.set(gauges.eventStreams?.() ?? 0)
    const index = gauges.index()
    indexUsers.set(index.users)
    indexVersions.set(index.versions)
    indexBytes.set(index.bytes)
    indexPending.set(index.pending)
    const stats = await inTime(gauges.storage())
    storageUp.set(stats ? 1 : 0)
    if (!stats) return
    users.set(stats.users)
    memories.set(stats.memories)
    bytes.set(stats.bytes)
  }
}

/** Undefined if the store fails or takes longer than a scrape should. `keepsake_storage_up` shows it. */
async function inTime<T>(answer: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, storageTimeoutMs, undefined)
  })
  try {
    return await Promise.race([answer.catch(() => undefined), tooLate])
  } finally {
    clearTimeout(timer)
  }
}

function boundedNames(): (name: string) => string {
  const seen = new Set<string>()
  return (name) => {
    if (seen.has(name)) return name
    if (seen.size >= maxNames) return 'other'
    seen.add(name)
    return name
  }
}
