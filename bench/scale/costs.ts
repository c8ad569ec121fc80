/** What a request costs by the size of its user, interpolated from the measured sizes. */
import type { Calibrated, Cost, Engine, MeasuredSize } from './inputs.js'

export type Verb = 'recall' | 'store'

/** CPU milliseconds of one request, by where they are spent. */
export interface Demand {
  readonly mainMs: number
  /** One entry per thread of the service. */
  readonly threadsMs: readonly number[]
  readonly databaseMs: number
  /** What a thread needs on top when it has slept. */
  readonly wakeMainMs: number
  readonly wakeThreadsMs: readonly number[]
  readonly wakeDatabaseMs: number
}

export interface Costs {
  readonly engine: Engine
  readonly threads: number
  /** The embedder's, where queries go before texts to store: the busiest thread of a recall. */
  readonly embedder: number
  readonly clientMs: number
  readonly diskSyncMs: number
  readonly indexBytesPerMemory: number
  of(verb: Verb, memoriesPerUser: number): Demand
  /** What a user's first recall adds: reading the memories and building the index. */
  load(memories: number): Demand
}

/** By what CPU times are multiplied, for another machine or build. */
export interface Factors {
  readonly machine: number
  /** Of the client per request, if it is known. */
  readonly clientMs?: number
  of(verb: Verb, memoriesPerUser: number): number
}

export interface CostOptions {
  readonly factors?: Factors
  /** CPU time of a recall per memory of its user beyond the largest measured user. */
  readonly scanMsPerMemory: number
}

export function costsOf(calibrated: Calibrated, engine: Engine, options: CostOptions): Costs {
  const sizes = calibrated.sizes
    .filter((size) => size.engine === engine)
    .sort((a, b) => a.memoriesPerUser - b.memoriesPerUser)
  const largest = sizes.at(-1)
  if (largest === undefined || sizes.length < 2) throw new Error(`inputs.json needs two sizes for ${engine}`)
  const factors = options.factors ?? { machine: 1, of: () => 1 }
  const loading = loadCosts(sizes)
  return {
    engine,
    threads: largest.recall.loaded.threadsMs.length,
    embedder: largest.recall.loaded.threadsMs.indexOf(Math.max(...largest.recall.loaded.threadsMs)),
    clientMs: factors.clientMs ?? factors.machine * largest.recall.loaded.clientMs,
    diskSyncMs: calibrated.diskSyncMs,
    indexBytesPerMemory: largest.indexBytesPerMemory,
    of(verb, memoriesPerUser) {
      const scale = factors.of(verb, memoriesPerUser)
      const beyond = verb === 'recall' ? Math.max(0, memoriesPerUser - largest.memoriesPerUser) : 0
      const scan = (scale * beyond * options.scanMsPerMemory) / largest.recall.loaded.threadsMs.length
      const at = (of: (cost: Cost) => number) => interpolate(sizes, memoriesPerUser, (size) => of(size[verb].loaded))
      const service = at(({ serviceMs }) => serviceMs) / largest[verb].loaded.serviceMs
      const database = ratio(
        at(({ databaseMs }) => databaseMs),
        largest[verb].loaded.databaseMs,
      )
      const demand = demandOf(largest[verb].loaded, largest[verb].alone, scale * service, scale * database)
      return { ...demand, threadsMs: demand.threadsMs.map((ms) => ms + scan) }
    },
    load(memories) {
      const [service = 0, database = 0] = [loading.serviceMs, loading.databaseMs].map(
        (ms) => factors.machine * ms(memories),
      )
      const { mainShare, threadShares, busyShare } = loading
      const wakeShare = 1 - busyShare
      return {
        mainMs: busyShare * service * mainShare,
        threadsMs: threadShares.map((share) => busyShare * service * share),
        databaseMs: busyShare * database,
        wakeMainMs: wakeShare * service * mainShare,
        wakeThreadsMs: threadShares.map((share) => wakeShare * service * share),
        wakeDatabaseMs: wakeShare * database,
      }
    },
  }
}

/** Milliseconds of service and database, without the client, when all threads are busy. */
export function totalMs(demand: Demand): number {
  return demand.mainMs + demand.databaseMs + demand.threadsMs.reduce((sum, ms) => sum + ms, 0)
}

function demandOf(loaded: Cost, alone: Cost, service: number, database: number): Demand {
  const known = loaded.mainMs + loaded.threadsMs.reduce((sum, ms) => sum + ms, 0)
  // Threads too small to be listed are spread over the others.
  const spread = (service * loaded.serviceMs) / known
  const extra = (few: number, many: number) => Math.max(0, few - many)
  return {
    mainMs: loaded.mainMs * spread,
    threadsMs: loaded.threadsMs.map((ms) => ms * spread),
    databaseMs: loaded.databaseMs * database,
    wakeMainMs: extra(alone.mainMs, loaded.mainMs) * spread,
    wakeThreadsMs: loaded.threadsMs.map((ms, index) => extra(alone.threadsMs[index] ?? 0, ms) * spread),
    wakeDatabaseMs: extra(alone.databaseMs, loaded.databaseMs) * database,
  }
}

/** A line through the first recalls of the measured sizes, less an ordinary recall. */
function loadCosts(sizes: readonly MeasuredSize[]) {
  const points = sizes.map(({ memoriesPerUser, first, recall }) => ({
    memories: memoriesPerUser,
    serviceMs: first.serviceMs - recall.alone.serviceMs,
    databaseMs: first.databaseMs - recall.alone.databaseMs,
  }))
  const line = (of: (point: (typeof points)[number]) => number) => {
    const [small, large] = [points[0], points.at(-1)]
    if (small === undefined || large === undefined) throw new Error('no size was measured')
    const slope = Math.max(0, (of(large) - of(small)) / (large.memories - small.memories))
    return (memories: number) => Math.max(0, of(large) + slope * (memories - large.memories))
  }
  const { first, recall } = sizes.at(-1) as MeasuredSize // costsOf has checked that there is one
  const threads = first.threadsMs.map((ms, index) => Math.max(0, ms - (recall.alone.threadsMs[index] ?? 0)))
  const main = Math.max(0, first.mainMs - recall.alone.mainMs)
  const sum = main + threads.reduce((total, ms) => total + ms, 0)
  return {
    serviceMs: line(({ serviceMs }) => serviceMs),
    databaseMs: line(({ databaseMs }) => databaseMs),
    mainShare: main / sum,
    threadShares: threads.map((ms) => ms / sum),
    // First recalls were measured one at a time. Threads that find more work save as much as they do for other recalls.
    busyShare: Math.min(1, recall.loaded.serviceMs / recall.alone.serviceMs),
  }
}

/** Linear in the logarithm of the size; beyond the measured sizes the outermost line continues. */
export function interpolate<T extends { readonly memoriesPerUser: number }>(
  sizes: readonly T[],
  memoriesPerUser: number,
  of: (size: T) => number,
): number {
  const upper = Math.max(
    1,
    sizes.findIndex(
      (size, index) => index > 0 && (size.memoriesPerUser >= memoriesPerUser || index === sizes.length - 1),
    ),
  )
  const [low, high] = [sizes[upper - 1], sizes[upper]]
  if (low === undefined || high === undefined) throw new Error('two sizes are needed')
  const share = Math.log(memoriesPerUser / low.memoriesPerUser) / Math.log(high.memoriesPerUser / low.memoriesPerUser)
  return of(low) + share * (of(high) - of(low))
}

function ratio(value: number, by: number): number {
  return by === 0 ? 0 : value / by
}
