/**
 * `npm run bench:soak -- --minutes 30`: a steady mix of recalls, stores, updates and deletes with a constant number of
 * memories. Checks whether memory, open files or the event loop's delay grow.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startPostgres } from '../../packages/server/test/services/postgres.js'
import { accepted, asRecords, type HttpClient, httpClient } from '../http-client.js'
import { pick, random } from '../random.js'
import { residentMemory, type ServiceProcess, serviceEnvironment, startService } from '../service-process.js'
import { percentiles } from '../speed/measure.js'
import { machine, machineLine } from '../speed/report.js'
import { sentence } from '../speed/sentences.js'
import { markdownTable } from '../table.js'
import { medians, type Point, theilSen } from './slope.js'

const users = 50
const memoriesAtOnce = 2_000
const sampleMs = 5_000
/** Samples per point of the slope; a garbage collection runs after the same number of samples. */
const samplesEach = 6
const connections = 20
/** Compilation and caching depend on the number of requests: during warm-up the rate is multiplied by this factor. */
const warmUpPace = 2.5
/** After an erasure the service rewrites its file once it has been idle for five seconds. */
const quietMs = 8_000
const aims = { megabytesAnHour: 2, lagMs: 50 }

interface Sample {
  readonly atHours: number
  readonly megabytes: number
  /** The same right after a garbage collection; absent if there was none. */
  readonly keptMegabytes: number | undefined
  readonly descriptors: number
  /** p99 since the previous sample. */
  readonly lagMs: number
  /** The service's own count of versions, to distinguish a leak from growing data. */
  readonly versions: number
  readonly indexMegabytes: number
}

interface Kept {
  readonly id: string
  readonly user: string
}

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '30' },
      /** Requests per second: well below capacity, otherwise a queue would grow. */
      rate: { type: 'string', default: '12' },
      engine: { type: 'string', default: 'sqlite' },
    },
  })
  const [minutes, rate] = [Number(values.minutes), Number(values.rate)]
  // Caches fill, code is compiled, and the garbage collector settles.
  const warmUpMinutes = Math.min(5, minutes / 3)
  console.log(machineLine(machine()))
  console.log(
    `${values.engine}: ${minutes} minutes at ${rate} requests per second, including ${warmUpMinutes.toFixed(1)} minutes of warm-up`,
  )
  const directory = await mkdtemp(join(tmpdir(), 'keepsake-soak-'))
  const server = values.engine === 'postgres' ? await startPostgres({ durable: true }) : undefined
  const environment = {
    ...serviceEnvironment(join(directory, 'data')),
    SERVICE_LOG_LEVEL: 'warn',
    SERVICE_AUDIT_LOG: join(directory, 'audit.log'),
    // As the image and the systemd unit in docs/deployment.md start it.
    MALLOC_ARENA_MAX: '2',
    ...(server === undefined ? {} : { SERVICE_DATABASE_URL: server.url }),
  }
  const collecting = fileURLToPath(new URL('./collect-on-signal.mjs', import.meta.url))
  const nodeOptions = ['--expose-gc', '--import', collecting]
  const service = await startService({ nodeOptions, environment, workingDirectory: directory, readyTimeoutMs: 180_000 })
  try {
    const client = httpClient(service.root, connections)
    const mix = steadyMix(client)
    await mix.fill()
    const failures = new Map<string, number>()
    const stopWarmUp = flow(mix.one, rate * warmUpPace, failures)
    await sample(service, client, warmUpMinutes)
    await stopWarmUp()
    mix.times.length = 0
    console.log('warm')
    const stop = flow(mix.one, rate, failures)
    const samples = await sample(service, client, minutes - warmUpMinutes)
    await stop()
    client.close()
    report(samples, warmUpMinutes, mix.times, failures)
    await service.stop()
  } finally {
    await service.kill()
    await server?.close()
    await rm(directory, { recursive: true, force: true })
  }
}

/**
 * Of ten requests, eight recalls, one store and one update; every store is followed by the deletion of the oldest
 * memory.
 */
function steadyMix(client: HttpClient) {
  const next = random(11)
  const kept: Kept[] = []
  const times: number[] = []
  let number = 0
  async function store(): Promise<void> {
    const user = `soak-${Math.floor(next() * users)}`
    const answer = await client.send('POST', '/api/v1/store', { user_id: user, content: sentence(number++).text })
    times.push(answer.ms)
    for (const { id, action } of asRecords(accepted(answer, 'store').memories, 'store')) {
      if (action === 'ADD') kept.push({ id: String(id), user })
    }
    while (kept.length > memoriesAtOnce) await forget(kept.shift())
  }
  async function forget(gone: Kept | undefined): Promise<void> {
    if (gone === undefined) return
    const body = { user_id: gone.user, memory_ids: [gone.id] }
    accepted(await client.send('DELETE', '/api/v1/memories', body), 'delete')
  }
  async function update(): Promise<void> {
    const { id } = pick(next, kept)
    const { status } = await client.send('PUT', `/api/v1/memories/${id}`, {
      metadata: { turn: Math.floor(next() * 1e6) },
    })
    // Another request may have deleted it in the meantime.
    if (status !== 200 && status !== 404) throw new Error(`update: status ${status}`)
  }
  async function one(): Promise<void> {
    const dice = next()
    if (dice < 0.1) return store()
    return dice < 0.2 ? update() : recall()
  }
  async function recall(): Promise<void> {
    const { user } = pick(next, kept)
    const body = { user_id: user, query: sentence(Math.floor(next() * number)).question, limit: 10 }
    const answer = await client.send('POST', '/api/v1/recall', body)
    accepted(answer, 'recall')
    times.push(answer.ms)
  }
  return {
    times,
    one,
    /**
     * One update per two stores: as many versions as the mix reaches after all memories have been replaced once, which
     * takes half an hour. Without them the number of versions would grow during the whole run. Recalls are included so
     * that their compiled code and caches exist from the start.
     */
    async fill() {
      const startedAt = performance.now()
      let stores = 0
      const work = async (): Promise<void> => {
        while (kept.length < memoriesAtOnce) {
          await store()
          if (stores++ % 2 === 0) await update()
          else for (let count = 0; count < 4; count++) await recall()
        }
      }
      await Promise.all(Array.from({ length: 8 }, work))
      // The first rewrite needs memory for the whole file, which the allocator keeps for the next one.
      await forget(kept.shift())
      await new Promise((resolve) => setTimeout(resolve, quietMs))
      console.log(`${kept.length} memories in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
    },
  }
}

/** Sends requests at even intervals, however long each takes. The returned function stops it. */
function flow(one: () => Promise<void>, rate: number, failures: Map<string, number>): () => Promise<void> {
  const open = new Set<Promise<void>>()
  const timer = setInterval(() => {
    const asked = one()
      .catch((error: unknown) => {
        const what = error instanceof Error ? error.message.slice(0, 80) : String(error)
        failures.set(what, (failures.get(what) ?? 0) + 1)
      })
      .finally(() => open.delete(asked))
    open.add(asked)
  }, 1000 / rate)
  return async () => {
    clearInterval(timer)
    await Promise.all(open)
  }
}

async function sample(service: ServiceProcess, client: HttpClient, minutes: number): Promise<Sample[]> {
  const samples: Sample[] = []
  const startedAt = performance.now()
  while (performance.now() - startedAt < minutes * 60_000) {
    await new Promise((resolve) => setTimeout(resolve, sampleMs))
    const { text } = await client.send('GET', '/metrics')
    const series = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
    const memory = await residentMemory(service.pid)
    samples.push({
      atHours: (performance.now() - startedAt) / 3_600_000,
      megabytes: memory?.nowMegabytes ?? Number.NaN,
      keptMegabytes: samples.length % samplesEach === samplesEach - 1 ? await afterCollection(service.pid) : undefined,
      descriptors: (await readdir(`/proc/${service.pid}/fd`)).length,
      lagMs: series('nodejs_eventloop_lag_p99_seconds') * 1000,
      versions: series('keepsake_index_versions'),
      indexMegabytes: series('keepsake_index_bytes') / 2 ** 20,
    })
    const last = samples.at(-1)
    if (last && samples.length % 12 === 0) {
      console.log(
        `${(last.atHours * 60).toFixed(0)} min: ${last.megabytes.toFixed(0)} MB, ${last.descriptors} descriptors, lag p99 ${last.lagMs.toFixed(0)} ms`,
      )
    }
  }
  return samples
}

/** Freed memory goes back to the system a moment later. */
async function afterCollection(pid: number): Promise<number> {
  for (let time = 0; time < 2; time++) {
    process.kill(pid, 'SIGUSR2')
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
  return (await residentMemory(pid))?.nowMegabytes ?? Number.NaN
}

function report(
  samples: readonly Sample[],
  warmUpMinutes: number,
  times: readonly number[],
  failures: ReadonlyMap<string, number>,
): void {
  const slopeOf = (of: (sample: Sample) => number) => {
    const points: Point[] = samples.map((each) => ({ x: each.atHours, y: of(each) }))
    return theilSen(medians(points, samplesEach))
  }
  const memory = slopeOf(({ megabytes }) => megabytes)
  const collected = samples.flatMap(({ atHours, keptMegabytes }) =>
    keptMegabytes === undefined ? [] : [{ x: atHours, y: keptMegabytes }],
  )
  const kept = theilSen(collected)
  const files = slopeOf(({ descriptors }) => descriptors)
  const lags = samples.map(({ lagMs }) => lagMs).sort((a, b) => a - b)
  const range = (of: (sample: Sample) => number | undefined) => {
    const values = samples.map(of).filter((value) => value !== undefined)
    return `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`
  }
  const { p50, p95, p99 } = percentiles(times)
  const rows = [
    ['resident memory, MB', range(({ megabytes }) => megabytes)],
    ['– growth, MB per hour (95% interval)', interval(memory)],
    ['– right after a garbage collection, MB', range(({ keptMegabytes }) => keptMegabytes)],
    ['– its growth, MB per hour (95% interval)', interval(kept)],
    [
      'versions in the index; its MB as reported by the service',
      `${range(({ versions }) => versions)}; ${range(({ indexMegabytes }) => indexMegabytes)}`,
    ],
    ['open descriptors', range(({ descriptors }) => descriptors)],
    ['– growth per hour (95% interval)', interval(files)],
    [
      `event-loop lag p99 of ${sampleMs / 1000} s, ms: median / highest`,
      `${fixed(lags[lags.length >> 1])} / ${fixed(lags.at(-1))}`,
    ],
    ['requests (recalls and stores), ms p50 / p95 / p99', [p50, p95, p99].map((ms) => ms.toFixed(0)).join(' / ')],
    ['failures', [...failures].map(([what, count]) => `${count} × ${what}`).join(', ') || '0'],
  ]
  console.log(`\n${markdownTable([`after ${warmUpMinutes.toFixed(1)} minutes`, ''], rows)}\n`)
  verdict('memory after garbage collections', kept.slope, kept.low, aims.megabytesAnHour, 'MB per hour')
  verdict('descriptors', files.slope, files.low, 0, 'per hour')
  // Node's measurement includes the ten milliseconds between two samples.
  verdict(
    'event-loop lag p99, median of all samples',
    lags[lags.length >> 1] ?? Number.NaN,
    undefined,
    aims.lagMs,
    'ms',
  )
}

/** A slope above the target counts as missed only if its whole interval is above it. */
function verdict(what: string, seen: number, low: number | undefined, most: number, unit: string): void {
  const word =
    seen <= most
      ? 'target met'
      : low !== undefined && low <= most
        ? 'INDISTINGUISHABLE from the target'
        : 'TARGET MISSED'
  console.log(`${word}: ${what} ${fixed(seen)} ${unit} (at most ${most})`)
}

function interval({
  slope,
  low,
  high,
}: {
  readonly slope: number
  readonly low: number
  readonly high: number
}): string {
  return `${fixed(slope)} (${fixed(low)} to ${fixed(high)})`
}

function fixed(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? 'unknown' : value.toFixed(1)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : error)
  process.exitCode = 1
})
