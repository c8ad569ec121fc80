/** Predictions of the load bench from smaller figures, and their comparison with what was measured. */
import { type Costs, costsOf, type Factors, totalMs, type Verb } from './costs.js'
import type { Engine, Inputs, LoadRow } from './inputs.js'
import type { ClusterShape, Workload } from './service-model.js'
import { closedLoop, firstRecalls, type Simulated } from './traffic-model.js'

const seed = 20261117
const megabyte = 2 ** 20
const indexLimitBytes = 512 * megabyte
const wholeSeconds = 20
const fitSeconds = 3

export interface Prediction {
  readonly what: string
  readonly unit: string
  readonly predicted: number
  readonly measured: number
}

/** In percent, positive if the prediction is too high. */
export function errorOf({ predicted, measured }: Prediction): number {
  return 100 * (predicted / measured - 1)
}

/**
 * What a lonely recall and a lonely store cost when `docs/benchmarks/speed.md` was measured, compared with the
 * calibration: another machine, or the same one with less to do. The store has changed since, the recall has not.
 */
export function agingOf({ calibrated, speed }: Inputs): Readonly<Record<Verb, number>> {
  const sizes = calibrated.sizes.filter(({ engine }) => engine === 'sqlite')
  const largest = sizes.reduce((a, b) => (b.memoriesPerUser > a.memoriesPerUser ? b : a))
  const memories = Math.min(...Object.keys(speed.recallCpuMs).map(Number))
  const scan = scanCost({ speed }) * Math.max(0, memories - largest.memoriesPerUser)
  return {
    recall: (speed.recallCpuMs[memories] ?? Number.NaN) / (largest.recall.alone.serviceMs + scan),
    store: (speed.storeCpuMs[memories] ?? Number.NaN) / largest.store.alone.serviceMs,
  }
}

/**
 * The costs of the machine and the build of the published load figures: the calibrated ones, with the ratio of recall
 * and store of that build, on the level of the fed rows.
 */
export function publishedCosts(inputs: Inputs, engine: Engine): Costs {
  const known = costsByEngine.get(inputs)?.get(engine)
  if (known !== undefined) return known
  const unlevelled = levelled(inputs, engine, 1)
  // Threads that wake up cost more than busy ones, so the simulation shows the level that comes out.
  const ratios = fedRows(inputs, engine).map((row) => {
    return row.cpuMs / simulateRow(inputs, unlevelled, row, { spread: 1, seconds: fitSeconds }).cpuMs
  })
  const level = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length)
  const costs = levelled(inputs, engine, level)
  costsByEngine.set(inputs, (costsByEngine.get(inputs) ?? new Map<Engine, Costs>()).set(engine, costs))
  return costs
}

const costsByEngine = new WeakMap<Inputs, Map<Engine, Costs>>()

function levelled(inputs: Inputs, engine: Engine, level: number): Costs {
  const scanMsPerMemory = scanCost(inputs)
  const aging = agingOf(inputs)
  const raw = costsOf(inputs.calibrated, engine, { scanMsPerMemory })
  const { recallShare } = inputs.published
  const mixed = (memories: number) =>
    recallShare * aging.recall * totalMs(raw.of('recall', memories)) +
    (1 - recallShare) * aging.store * totalMs(raw.of('store', memories))
  const measured = trend(inputs, engine)
  const factors: Factors = {
    machine: aging.recall,
    clientMs: clientMs(inputs),
    of: (verb, memories) => (level * aging[verb] * measured(memories)) / mixed(memories),
  }
  return costsOf(inputs.calibrated, engine, { scanMsPerMemory, factors })
}

/** The load bench keeps all cores busy: what service and database leave is the client's. */
function clientMs({ published }: Inputs): number {
  const rests = published.fed.map((row) => (1000 * published.cores) / row.requestsPerSecond - row.cpuMs)
  return Math.max(0, rests.reduce((sum, rest) => sum + rest, 0) / rests.length)
}

function fedRows({ published }: Inputs, engine: Engine): LoadRow[] {
  return published.fed.filter((row) => row.engine === engine)
}

/** CPU time per request by memories per user: a line through the fed rows over the logarithm. */
function trend({ published }: Inputs, engine: Engine): (memoriesPerUser: number) => number {
  const points = published.fed
    .filter((row) => row.engine === engine)
    .map(({ memories, cpuMs }) => ({ x: Math.log10(memories / published.users), y: cpuMs }))
  const { slope, intercept } = leastSquares(points)
  return (memoriesPerUser) => intercept + slope * Math.log10(memoriesPerUser)
}

export function leastSquares(points: readonly { readonly x: number; readonly y: number }[]) {
  const mean = (of: (point: (typeof points)[number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)]
  const slope = mean((point) => (point.x - x) * (point.y - y)) / mean((point) => (point.x - x) ** 2)
  return { slope, intercept: y - slope * x }
}

export function scanCost({ speed }: Pick<Inputs, 'speed'>): number {
  const points = Object.entries(speed.recallCpuMs).map(([memories, y]) => ({ x: Number(memories), y }))
  return leastSquares(points).slope
}

function benchShape(inputs: Inputs, engine: Engine, instances: number, cores: number): ClusterShape {
  return {
    instances,
    coresPerInstance: cores,
    indexBytesPerInstance: indexLimitBytes,
    databaseNodes: engine === 'sqlite' ? 0 : 1,
    coresPerDatabaseNode: cores,
    connectionsPerInstance: 4,
    sharesOneMachine: true,
    routing: 'in turn',
    roundTripMs: 0,
    roundTripsPerRequest: inputs.assumptions.roundTripsPerRequest,
    diskReadMs: 0,
    diskShare: 0,
  }
}

interface BenchOptions {
  readonly spread: number
  readonly seconds: number
}

function simulateRow(inputs: Inputs, costs: Costs, row: LoadRow, { spread, seconds }: BenchOptions): Simulated {
  const { users, connections, recallShare, cores } = inputs.published
  const workload: Workload = { memoriesOf: () => row.memories / users, spread }
  const shape = benchShape(inputs, row.engine, row.instances, cores)
  return closedLoop({ shape, costs, workload }, { seed, connections, seconds, recallShare, users })
}

/** The spread of CPU times with which the percentiles of the fed rows come out best. */
function fitSpread(inputs: Inputs, engine: Engine): number {
  const costs = publishedCosts(inputs, engine)
  const errorWith = (spread: number) => {
    let sum = 0
    for (const row of fedRows(inputs, engine)) {
      const { recall, store } = simulateRow(inputs, costs, row, { spread, seconds: fitSeconds })
      sum += logError(recall.p50, row.recallMs.p50) + logError(recall.p95, row.recallMs.p95)
      sum += logError(store.p50, row.storeMs.p50) + logError(store.p95, row.storeMs.p95)
    }
    return sum
  }
  const candidates = [0.5, 1, 1.25, 1.5, 1.75].map((spread) => ({ spread, error: errorWith(spread) }))
  return candidates.reduce((best, each) => (each.error < best.error ? each : best)).spread
}

function logError(predicted: number, measured: number): number {
  return Math.log(predicted / measured) ** 2
}

/** Resident memory without the indexes, from the fed rows. */
export function baseMegabytes(inputs: Inputs, engine: Engine): number {
  const rows = inputs.published.fed.filter((row) => row.engine === engine)
  const index = indexBytes(inputs) / megabyte
  return rows.reduce((sum, row) => sum + row.serviceMegabytes - row.memories * index, 0) / rows.length
}

/** Of the largest measured user. */
export function indexBytes({ speed }: Inputs): number {
  const [, bytes] = Object.entries(speed.indexBytesPerMemory).reduce((a, b) => (Number(b[0]) > Number(a[0]) ? b : a))
  return bytes
}

export function predictRow(inputs: Inputs, row: LoadRow, spread: number, seconds = wholeSeconds): Prediction[] {
  const { engine, instances } = row
  const simulated = simulateRow(inputs, publishedCosts(inputs, engine), row, { spread, seconds })
  const index = Math.min(indexLimitBytes, row.memories * indexBytes(inputs)) / megabyte
  const name = `${engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, ${row.memories.toLocaleString('en-US')} memories${instances > 1 ? `, ${instances} instances` : ''}`
  const figure = (what: string, unit: string, predicted: number, measured: number) => {
    return { what: `${name}: ${what}`, unit, predicted, measured }
  }
  return [
    figure('requests per second', '', simulated.requestsPerSecond, row.requestsPerSecond),
    figure('CPU per request', 'ms', simulated.cpuMs, row.cpuMs),
    figure('recall p50', 'ms', simulated.recall.p50, row.recallMs.p50),
    figure('recall p95', 'ms', simulated.recall.p95, row.recallMs.p95),
    figure('store p50', 'ms', simulated.store.p50, row.storeMs.p50),
    figure('store p95', 'ms', simulated.store.p95, row.storeMs.p95),
    figure('resident memory', 'MB', instances * (baseMegabytes(inputs, engine) + index), row.serviceMegabytes),
  ]
}

/** Users' first recalls, many at once. */
export function predictFirst(inputs: Inputs, spread: number): Prediction {
  const { published } = inputs
  const { engine, memories, connections, p50Ms } = published.heldOutFirst
  const memoriesPerUser = memories / published.users
  const costs = publishedCosts(inputs, engine)
  const setup = {
    shape: benchShape(inputs, engine, 1, published.cores),
    costs,
    workload: { memoriesOf: () => memoriesPerUser, spread },
  }
  const { p50 } = firstRecalls(setup, { seed, connections, users: published.users })
  const what = `first recall per user, ${connections} at once, ${memoriesPerUser.toLocaleString('en-US')} memories each`
  return { what, unit: 'ms', predicted: p50, measured: p50Ms }
}

/** A first recall right after a start: as measured for a smaller user, and the loading of the further memories. */
export function predictLargeUser(inputs: Inputs): Prediction {
  const { firstRecallAfterStartMs, heldOutFirstRecallAfterStartMs } = inputs.speed
  const [small] = Object.entries(firstRecallAfterStartMs)
  const [large] = Object.entries(heldOutFirstRecallAfterStartMs)
  if (small === undefined || large === undefined) throw new Error('inputs.json has no first recall after a start')
  const costs = publishedCosts(inputs, 'sqlite')
  // Nobody else is there. One thread reads the next slice while another indexes the last: the busiest thread decides.
  const aloneMs = (memories: number) => {
    const { mainMs, wakeMainMs, threadsMs, wakeThreadsMs } = costs.load(memories)
    return Math.max(mainMs + wakeMainMs, ...threadsMs.map((ms, index) => ms + (wakeThreadsMs[index] ?? 0)))
  }
  const grown = aloneMs(Number(large[0])) - aloneMs(Number(small[0]))
  const what = `first recall after a start, one user with ${Number(large[0]).toLocaleString('en-US')} memories`
  return { what, unit: 'ms', predicted: small[1] + grown, measured: large[1] }
}

const spreads = new WeakMap<Inputs, Map<Engine, number>>()

/** Fitted once per engine. */
export function spreadOf(inputs: Inputs, engine: Engine): number {
  const known = spreads.get(inputs) ?? new Map<Engine, number>()
  spreads.set(inputs, known)
  const spread = known.get(engine) ?? fitSpread(inputs, engine)
  known.set(engine, spread)
  return spread
}

export function predictAll(inputs: Inputs): Prediction[] {
  const { heldOut, heldOutFirst } = inputs.published
  return [
    ...heldOut.flatMap((row) => predictRow(inputs, row, spreadOf(inputs, row.engine))),
    predictFirst(inputs, spreadOf(inputs, heldOutFirst.engine)),
    predictLargeUser(inputs),
  ]
}
