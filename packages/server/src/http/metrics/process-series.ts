/**
 * Measurements that every Node process can report: CPU, memory, file descriptors, event loop delay, garbage collection. The names
 * are those of prom-client, the usual Prometheus client for Node, so that dashboards made for it work. One is left out: a gauge
 * that is called a total.
 */
import { readdir, readFile } from 'node:fs/promises'
import { constants, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics } from 'node:v8'
import type { Exposition } from './exposition.js'

/** Adds the series. The returned function updates their values before a scrape. */
export function processSeries(series: Exposition): () => Promise<void> {
  const readers = [
    cpuReader(series),
    memoryReader(series),
    systemReader(series),
    eventLoopReader(series),
    resourceReader(series),
  ]
  countCollections(series)
  const [major = '', minor = '', patch = ''] = process.versions.node.split('.')
  series
    .gauge('nodejs_version_info', 'Node.js version.', ['version', 'major', 'minor', 'patch'])
    .set({ version: process.version, major, minor, patch }, 1)
  series
    .gauge('process_start_time_seconds', 'Start of the process, in seconds since 1970.')
    .set({}, Math.floor(Date.now() / 1000 - process.uptime()))
  return async () => {
    for (const read of readers) await read()
  }
}

function cpuReader(series: Exposition): () => void {
  const user = series.counter('process_cpu_user_seconds_total', 'CPU time spent in user code, in seconds.')
  const system = series.counter('process_cpu_system_seconds_total', 'CPU time spent in the system, in seconds.')
  const both = series.counter('process_cpu_seconds_total', 'CPU time spent, in seconds.')
  let before = { user: 0, system: 0 }
  return () => {
    const now = process.cpuUsage()
    const [userSeconds, systemSeconds] = [(now.user - before.user) / 1e6, (now.system - before.system) / 1e6]
    user.add({}, userSeconds)
    system.add({}, systemSeconds)
    both.add({}, userSeconds + systemSeconds)
    before = now
  }
}

function memoryReader(series: Exposition): () => void {
  const resident = series.gauge('process_resident_memory_bytes', 'Resident memory, in bytes.')
  const heapTotal = series.gauge('nodejs_heap_size_total_bytes', 'Size of the JavaScript heap, in bytes.')
  const heapUsed = series.gauge('nodejs_heap_size_used_bytes', 'Used part of the JavaScript heap, in bytes.')
  const external = series.gauge(
    'nodejs_external_memory_bytes',
    'Memory that JavaScript objects use outside the heap, in bytes.',
  )
  const space = (what: string) =>
    series.gauge(`nodejs_heap_space_size_${what}_bytes`, `Size (${what}) of a heap space, in bytes.`, ['space'])
  const [total, used, available] = [space('total'), space('used'), space('available')]
  return () => {
    const memory = process.memoryUsage()
    resident.set({}, memory.rss)
    heapTotal.set({}, memory.heapTotal)
    heapUsed.set({}, memory.heapUsed)
    external.set({}, memory.external)
    for (const each of getHeapSpaceStatistics()) {
      const labels = { space: each.space_name.replace(/_space$/, '') }
      total.set(labels, each.space_size)
      used.set(labels, each.space_used_size)
      available.set(labels, each.space_available_size)
    }
  }
}

/** Read from /proc, so on Linux only. Elsewhere the series do not exist. */
function systemReader(series: Exposition): () => Promise<void> {
  if (process.platform !== 'linux') return async () => undefined
  const virtual = series.gauge('process_virtual_memory_bytes', 'Virtual memory, in bytes.')
  const heap = series.gauge('process_heap_bytes', 'Data segment of the process, in bytes.')
  const open = series.gauge('process_open_fds', 'Open file descriptors.')
  const most = series.gauge('process_max_fds', 'Maximum number of open file descriptors.')
  return async () => {
    try {
      const [status, limits, descriptors] = await Promise.all([
        readFile('/proc/self/status', 'utf8'),
        readFile('/proc/self/limits', 'utf8'),
        readdir('/proc/self/fd'),
      ])
      const kilobytes = (name: string) =>
        Number(new RegExp(`^${name}:\\s{0,20}(\\d{1,20})`, 'm').exec(status)?.[1] ?? 0)
      virtual.set({}, kilobytes('VmSize') * 1024)
      heap.set({}, kilobytes('VmData') * 1024)
      // One of them is the directory that is being read.
      open.set({}, descriptors.length - 1)
      most.set({}, Number(/^Max open files\s{1,40}(\d{1,20})/m.exec(limits)?.[1] ?? 0))
    } catch {
      // A container may hide /proc, or no descriptor may be left to read it. The rest of the scrape goes on, and -1 means
      // unknown.
      open.set({}, -1)
    }
  }
}

/** Delays of the event loop since the last scrape, and the delay right now. */
function eventLoopReader(series: Exposition): () => Promise<void> {
  const seconds = (name: string, what: string) => series.gauge(`nodejs_eventloop_lag${name}_seconds`, what)
  const now = seconds('', 'Delay of the event loop at this scrape, in seconds.')
  const parts = [
    [seconds('_min', 'Shortest delay since the last scrape.'), () => histogram.min],
    [seconds('_max', 'Longest delay since the last scrape.'), () => histogram.max],
    [seconds('_mean', 'Mean delay since the last scrape.'), () => histogram.mean],
    [seconds('_stddev', 'Standard deviation of the delays since the last scrape.'), () => histogram.stddev],
    [seconds('_p50', 'Half of the delays are shorter.'), () => histogram.percentile(50)],
    [seconds('_p90', '90% of the delays are shorter.'), () => histogram.percentile(90)],
    [seconds('_p99', '99% of the delays are shorter.'), () => histogram.percentile(99)],
  ] as const
  const histogram = monitorEventLoopDelay({ resolution: 10 })
  histogram.enable()
  return async () => {
    const startedMs = performance.now()
    await new Promise((resolve) => setImmediate(resolve))
    now.set({}, (performance.now() - startedMs) / 1000)
    for (const [gauge, nanoseconds] of parts) gauge.set({}, nanoseconds() / 1e9)
    histogram.reset()
  }
}

/** There are few types, all named by Node. */
function resourceReader(series: Exposition): () => void {
  const byType = series.gauge('nodejs_active_resources', 'Number of handles that keep the event loop alive, by type.', [
    'type',
  ])
  return () => {
    const counts = new Map<string, number>()
    for (const type of process.getActiveResourcesInfo()) counts.set(type, (counts.get(type) ?? 0) + 1)
    byType.clear()
    for (const [type, count] of counts) byType.set({ type }, count)
  }
}

const collectionKinds = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
])

function countCollections(series: Exposition): void {
  const durations = series.histogram(
    'nodejs_gc_duration_seconds',
    'Duration of garbage collections, by kind: major, minor, incremental or weakcb.',
    ['kind'],
    [0.001, 0.01, 0.1, 1, 2, 5],
  )
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      // Node's types do not specify the detail.
      const { kind } = (entry as { readonly detail?: { readonly kind?: number } }).detail ?? {}
      durations.observe({ kind: collectionKinds.get(kind ?? -1) ?? 'other' }, entry.duration / 1000)
    }
  })
  observer.observe({ entryTypes: ['gc'] })
}
