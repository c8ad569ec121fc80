/** The callers of the simulated service: the closed loop of the load bench, and a stream of independent requests. */
import { type Random, random } from '../random.js'
import { type Percentiles, percentiles } from '../speed/measure.js'
import type { Costs, Verb } from './costs.js'
import { exponential } from './distributions.js'
import type { Processor } from './processor.js'
import { type ClusterShape, ServiceModel, type Spent, type Workload } from './service-model.js'
import { Simulation } from './simulation.js'
import { Station } from './station.js'

export interface Loop {
  readonly seed: number
  readonly connections: number
  readonly seconds: number
  readonly recallShare: number
  readonly users: number
}

export interface Simulated {
  readonly requestsPerSecond: number
  readonly recall: Percentiles
  readonly store: Percentiles
  /** Service and database, without the client. */
  readonly cpuMs: number
  readonly hitRatio: number
  /** Average share of busy cores. */
  readonly instanceUtilization: number
  readonly databaseUtilization: number
  /** Average share of time that the busiest thread of an instance runs. */
  readonly busiestThread: number
  /** Largest, in bytes and per instance. */
  readonly indexBytes: number
  readonly spent: Spent
}

interface Setup {
  readonly shape: ClusterShape
  readonly costs: Costs
  readonly workload: Workload
}

class Run {
  readonly simulation = new Simulation()
  readonly random: Random
  readonly model: ServiceModel
  readonly times: Record<Verb, number[]> = { recall: [], store: [] }
  #client: Station = new Station(1)

  constructor(
    readonly setup: Setup,
    seed: number,
  ) {
    this.random = random(seed)
    this.model = new ServiceModel(this.simulation, this.random, setup.shape, setup.costs, setup.workload)
  }

  /** One request, with what the client does before and after it where the client shares the machine. */
  ask(verb: Verb, user: number, done: () => void): void {
    const processor = this.model.clientProcessor
    const half = this.setup.costs.clientMs / 2
    const client = (then: () => void) => {
      if (processor === undefined) then()
      else this.#client.compute(processor, half, 0, then)
    }
    client(() => {
      const start = this.simulation.now
      this.model.request(verb, user, () =>
        client(() => {
          this.times[verb].push(this.simulation.now - start)
          done()
        }),
      )
    })
  }

  /** Forgets what came before: the warm-up. */
  reset(): { readonly at: number; readonly busyMs: readonly number[]; readonly databaseMs: readonly number[] } {
    this.times.recall = []
    this.times.store = []
    this.model.hits = 0
    this.model.misses = 0
    this.model.threadMs.fill(0)
    Object.assign(this.model.spent, { recall: 0, store: 0, load: 0, database: 0 })
    const { instances, databases } = this.model
    return {
      at: this.simulation.now,
      busyMs: instances.map(({ processor }) => processor.busyMs),
      databaseMs: databases.map(({ busyMs }) => busyMs),
    }
  }

  /** Of all machines; several instances and databases may share one. */
  #busySince(since: ReturnType<Run['reset']>): number {
    const { instances, databases } = this.model
    const before = new Map<Processor, number>()
    for (const [index, { processor }] of instances.entries()) before.set(processor, since.busyMs[index] ?? 0)
    for (const [index, processor] of databases.entries()) before.set(processor, since.databaseMs[index] ?? 0)
    return [...before].reduce((sum, [processor, ms]) => sum + processor.busyMs - ms, 0)
  }

  result(since: ReturnType<Run['reset']>): Simulated {
    const { instances, databases, hits, misses, spent } = this.model
    const wallMs = this.simulation.now - since.at
    const { recall, store } = this.times
    const requests = recall.length + store.length
    const shareOf = (
      processors: readonly { readonly busyMs: number; readonly cores: number }[],
      before: readonly number[],
    ) => {
      const shares = processors.map(({ busyMs, cores }, index) => (busyMs - (before[index] ?? 0)) / wallMs / cores)
      return shares.length === 0 ? 0 : shares.reduce((sum, share) => sum + share, 0) / shares.length
    }
    return {
      requestsPerSecond: (1000 * requests) / wallMs,
      recall: percentiles(recall),
      store: percentiles(store),
      cpuMs:
        this.#busySince(since) / requests - (this.model.clientProcessor === undefined ? 0 : this.setup.costs.clientMs),
      hitRatio: hits / Math.max(1, hits + misses),
      instanceUtilization: shareOf(
        instances.map(({ processor }) => processor),
        since.busyMs,
      ),
      databaseUtilization: shareOf(databases, since.databaseMs),
      busiestThread: Math.max(...this.model.threadMs) / wallMs / instances.length,
      indexBytes: Math.max(...instances.map(({ cache }) => cache.peakBytes)),
      spent: { ...spent },
    }
  }
}

/** Every connection sends its next request as soon as the last one is answered; all users are equally likely. */
export function closedLoop(setup: Setup, loop: Loop): Simulated {
  const run = new Run(setup, loop.seed)
  run.model.warm(range(loop.users * setup.shape.instances).map((turn) => Math.floor(turn / setup.shape.instances)))
  const connection = (): void => {
    const user = Math.floor(run.random() * loop.users)
    run.ask(run.random() < loop.recallShare ? 'recall' : 'store', user, connection)
  }
  for (let each = 0; each < loop.connections; each++) connection()
  run.simulation.runUntil((loop.seconds * 1000) / 3)
  const since = run.reset()
  run.simulation.runUntil((loop.seconds * 4000) / 3)
  return run.result(since)
}

/** One recall per user, none of them in memory. */
export function firstRecalls(setup: Setup, loop: Pick<Loop, 'seed' | 'connections' | 'users'>): Percentiles {
  const run = new Run(setup, loop.seed)
  let next = 0
  const connection = (): void => {
    if (next < loop.users) run.ask('recall', next++, connection)
  }
  for (let each = 0; each < loop.connections; each++) connection()
  run.simulation.runUntil(24 * 3_600_000)
  return percentiles(run.times.recall)
}

export interface Stream {
  readonly seed: number
  readonly perSecond: number
  readonly seconds: number
  readonly recallShare: number
  /** Draws the user of a request. */
  readonly pickUser: (next: Random) => number
  /** Requests that fill the caches before the clock starts. */
  readonly warmUpRequests: number
}

/** Requests arrive at random moments, whatever happens to earlier ones. */
export function openStream(setup: Setup, stream: Stream): Simulated {
  const run = new Run(setup, stream.seed)
  const users = function* () {
    for (let each = 0; each < stream.warmUpRequests; each++) yield stream.pickUser(run.random)
  }
  run.model.warm(users())
  const arrive = (): void => {
    const verb = run.random() < stream.recallShare ? 'recall' : 'store'
    run.ask(verb, stream.pickUser(run.random), () => undefined)
    run.simulation.after(exponential(run.random, 1000 / stream.perSecond), arrive)
  }
  arrive()
  run.simulation.runUntil(stream.seconds * 250)
  const since = run.reset()
  run.simulation.runUntil(stream.seconds * 1250)
  return run.result(since)
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index)
}
