/**
 * The service as a queueing network: instances with a main thread, worker threads, an index cache and a pool of
 * connections; PostgreSQL nodes with cores of their own, or with those of the instance.
 */
import type { Random } from '../random.js'
import type { Costs, Demand, Verb } from './costs.js'
import { gammaWithSpread } from './distributions.js'
import { IndexCache } from './lru.js'
import { Processor } from './processor.js'
import type { Simulation } from './simulation.js'
import { Station } from './station.js'

export interface ClusterShape {
  readonly instances: number
  readonly coresPerInstance: number
  readonly indexBytesPerInstance: number
  /** 0: an embedded store. */
  readonly databaseNodes: number
  readonly coresPerDatabaseNode: number
  readonly connectionsPerInstance: number
  /** Everything on the cores of the first instance, the client too: as in the load bench. */
  readonly sharesOneMachine: boolean
  /** By user: all requests of a user go to one instance. */
  readonly routing: 'by user' | 'in turn'
  /** Between an instance and its database. */
  readonly roundTripMs: number
  readonly roundTripsPerRequest: number
  /** Of a read that the database's memory does not hold. */
  readonly diskReadMs: number
  /** Share of a cold load's pages that come from the disk. */
  readonly diskShare: number
}

export interface Workload {
  readonly memoriesOf: (user: number) => number
  /** Coefficient of variation of all CPU times. */
  readonly spread: number
}

export interface Instance {
  readonly processor: Processor
  readonly main: Station
  readonly threads: readonly Station[]
  readonly pool: Station
  readonly writer: Station
  readonly cache: IndexCache
  /** Users whose index is being loaded, with those that wait for it. */
  readonly loading: Map<number, (() => void)[]>
}

/** CPU milliseconds by cause. */
export interface Spent {
  recall: number
  store: number
  load: number
  database: number
}

const pageBytes = 8192

export class ServiceModel {
  readonly instances: readonly Instance[]
  readonly databases: readonly Processor[]
  readonly spent: Spent = { recall: 0, store: 0, load: 0, database: 0 }
  /** Of the main thread and the others, over all instances. */
  readonly threadMs: number[]
  hits = 0
  misses = 0
  #turn = 0

  constructor(
    private readonly simulation: Simulation,
    private readonly random: Random,
    private readonly shape: ClusterShape,
    private readonly costs: Costs,
    private readonly workload: Workload,
  ) {
    this.threadMs = Array.from({ length: 1 + costs.threads }, () => 0)
    const shared = shape.sharesOneMachine ? new Processor(simulation, shape.coresPerInstance) : undefined
    this.instances = Array.from({ length: shape.instances }, (): Instance => {
      return {
        processor: shared ?? new Processor(simulation, shape.coresPerInstance),
        main: new Station(1),
        threads: Array.from({ length: costs.threads }, () => new Station(1)),
        pool: new Station(shape.connectionsPerInstance),
        writer: new Station(1),
        cache: new IndexCache(shape.indexBytesPerInstance),
        loading: new Map(),
      }
    })
    this.databases = Array.from(
      { length: shape.databaseNodes },
      () => shared ?? new Processor(simulation, shape.coresPerDatabaseNode),
    )
  }

  /** The cores that the client shares with the service, if it does. */
  get clientProcessor(): Processor | undefined {
    return this.shape.sharesOneMachine ? this.instances[0]?.processor : undefined
  }

  instanceFor(user: number): Instance {
    const count = this.instances.length
    const index = this.shape.routing === 'by user' ? placeOf(user, count) : this.#turn++ % count
    // The index is a remainder of the length.
    return this.instances[index] as Instance
  }

  request(verb: Verb, user: number, done: () => void): void {
    const instance = this.instanceFor(user)
    const memories = this.workload.memoriesOf(user)
    const demand = this.#vary(this.costs.of(verb, memories))
    this.#count(verb, demand)
    const answer = () => instance.main.compute(instance.processor, demand.mainMs / 2, 0, done)
    const store = () => this.#database(instance, user, demand, verb === 'store', answer)
    const threads = () => this.#threads(instance, demand, 0, verb === 'recall', store)
    const indexed = () => this.#withIndex(instance, user, memories, threads)
    instance.main.compute(
      instance.processor,
      demand.mainMs / 2,
      demand.wakeMainMs,
      verb === 'recall' ? indexed : threads,
    )
  }

  /** Marks users as used without the time that it takes: a cache that has seen an hour of requests. */
  warm(users: Iterable<number>): void {
    for (const user of users) this.#use(this.instanceFor(user), user)
  }

  #use(instance: Instance, user: number): boolean {
    return instance.cache.use(user, this.workload.memoriesOf(user) * this.costs.indexBytesPerMemory)
  }

  #withIndex(instance: Instance, user: number, memories: number, then: () => void): void {
    const isKnown = this.#use(instance, user)
    const waiting = instance.loading.get(user)
    if (isKnown && waiting === undefined) {
      this.hits += 1
      then()
      return
    }
    this.misses += 1
    if (waiting !== undefined) return void waiting.push(then)
    const waiters = [then]
    instance.loading.set(user, waiters)
    const demand = this.#vary(this.costs.load(memories))
    this.#count('load', demand)
    const finish = () => {
      instance.loading.delete(user)
      for (const go of waiters) go()
    }
    const threads = () => this.#threads(instance, demand, 0, true, finish)
    const read = () => this.#database(instance, user, demand, false, threads)
    const fromDisk = () => this.#readDisk(memories, read)
    instance.main.compute(instance.processor, demand.mainMs, 0, fromDisk)
  }

  #readDisk(memories: number, then: () => void): void {
    const pages = (memories * this.costs.indexBytesPerMemory * this.shape.diskShare) / pageBytes
    if (pages === 0 || this.shape.diskReadMs === 0) then()
    else this.simulation.after(pages * this.shape.diskReadMs, then)
  }

  #threads(instance: Instance, demand: Demand, index: number, isUrgent: boolean, then: () => void): void {
    const work = demand.threadsMs[index]
    const thread = instance.threads[index]
    if (work === undefined || thread === undefined) {
      then()
      return
    }
    const next = () => this.#threads(instance, demand, index + 1, isUrgent, then)
    const goesFirst = isUrgent && index === this.costs.embedder
    if (work === 0) next()
    else thread.compute(instance.processor, work, demand.wakeThreadsMs[index] ?? 0, next, goesFirst)
  }

  #database(instance: Instance, user: number, demand: Demand, isWrite: boolean, then: () => void): void {
    const node = this.databases[placeOf(user, Math.max(1, this.databases.length))]
    const syncMs = isWrite ? this.costs.diskSyncMs : 0
    if (node === undefined) {
      // One thread of the embedded store writes, and waits for the disk.
      if (isWrite) instance.writer.enter((release) => this.#wait(syncMs, release, then))
      else then()
      return
    }
    instance.pool.enter((release, isWaking) => {
      const work = demand.databaseMs + (isWaking ? demand.wakeDatabaseMs : 0)
      this.spent.database += work
      node.run(work, () => {
        const waits = this.shape.roundTripMs * this.shape.roundTripsPerRequest + syncMs
        this.#wait(waits, release, then)
      })
    })
  }

  #count(cause: 'recall' | 'store' | 'load', demand: Demand): void {
    for (const [index, ms] of [demand.mainMs, ...demand.threadsMs].entries()) {
      this.spent[cause] += ms
      this.threadMs[index] = (this.threadMs[index] ?? 0) + ms
    }
  }

  #wait(ms: number, release: () => void, then: () => void): void {
    this.simulation.after(ms, () => {
      release()
      then()
    })
  }

  #vary(demand: Demand): Demand {
    const by = gammaWithSpread(this.random, 1, this.workload.spread)
    const times = (ms: number) => ms * by
    return {
      ...demand,
      mainMs: times(demand.mainMs),
      threadsMs: demand.threadsMs.map(times),
      databaseMs: times(demand.databaseMs),
    }
  }
}

/** Spreads users as a hash does: neighbours in rank land anywhere. */
export function placeOf(user: number, places: number): number {
  let mixed = Math.imul(user ^ (user >>> 16), 0x45d9f3b)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b)
  return ((mixed ^ (mixed >>> 16)) >>> 0) % places
}
