/**
 * `npm run bench:scale -- calibrate`: measures the model's inputs on this machine with the code of the load bench. Users
 * are few and small here: the simulation has to predict the large store, not repeat it.
 */
import { rmSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { httpClient } from '../http-client.js'
import { type LoadedSystem, preparePostgres, prepareSqlite } from '../load/systems.js'
import { closedLoop, firstRecalls, type Target } from '../load/traffic.js'
import { watchUsage } from '../load/usage.js'
import { buildFingerprint } from '../service-process.js'
import { diskSyncMs } from '../speed/disk-sync.js'
import { indexBytesEach } from '../speed/index-size.js'
import type { Percentiles } from '../speed/measure.js'
import { machine, machineLine } from '../speed/report.js'
import { parseScenario, type Scenario } from '../speed/scenario.js'
import { openSeeds, type Seeds } from '../speed/seed.js'
import type { Calibrated, Cost, Engine, MeasuredSize, MeasuredVerb } from './inputs.js'
import { type ProcessorUse, watchThreads } from './threads.js'

/** Ten and a thousand memories per user. */
const sizes = ['200x10', '100x1000']
/** Reading the best memories of a recall is measured on its own: it costs more than all the rest. */
const withoutReading = { SERVICE_READ_FIRST: '0' }
const manyConnections = 50
/** Of several rounds the cheapest counts: whatever else runs on the machine only adds to the processor time. */
const rounds = 5

export interface CalibrationPlan {
  readonly engines: readonly Engine[]
  /** Of each round. */
  readonly seconds: number
}

export async function calibrate(plan: CalibrationPlan, log: (line: string) => void): Promise<Calibrated> {
  const noted = machine()
  log(machineLine(noted))
  const scratch = await scratchDirectory()
  const seeds = await openSeeds(log)
  const syncMs = await diskSyncMs(scratch)
  const measured: MeasuredSize[] = []
  for (const engine of plan.engines) {
    for (const size of sizes) measured.push(await measureSize(engine, parseScenario(size), plan, seeds, scratch, log))
  }
  const reading = await measureReading(parseScenario(sizes.at(-1) ?? ''), plan, seeds, scratch, log)
  return {
    measuredAt: new Date().toISOString().slice(0, 16).replace('T', ' '),
    command: 'npm run bench:scale -- calibrate',
    machine: machineLine(noted),
    loadAverage: noted.loadAverage,
    cores: noted.cores,
    build: await buildFingerprint(),
    diskSyncMs: rounded(syncMs),
    sizes: measured,
    reading,
  }
}

async function measureSize(
  engine: Engine,
  scenario: Scenario,
  plan: CalibrationPlan,
  seeds: Seeds,
  scratch: string,
  log: (line: string) => void,
): Promise<MeasuredSize> {
  const prepared =
    engine === 'sqlite'
      ? await prepareSqlite(scenario, seeds, scratch)
      : await preparePostgres(scenario, seeds, scratch, log)
  try {
    const diskBytes = await bytesBelow(join(scratch, `${engine}-${scenario.name}`))
    const system = await prepared.open(1, withoutReading)
    try {
      const figures = await measureSystem(system, scenario, plan)
      const total = (cost: Cost) => cost.serviceMs + cost.databaseMs
      log(
        `${engine}, ${scenario.title}: recall ${total(figures.recall.loaded).toFixed(1)} ms of CPU (alone ` +
          `${total(figures.recall.alone).toFixed(1)}), store ${total(figures.store.loaded).toFixed(1)} (alone ` +
          `${total(figures.store.alone).toFixed(1)}), first recall ${total(figures.first).toFixed(1)}`,
      )
      return { engine, ...sizeOf(scenario), diskBytes, ...figures }
    } finally {
      await system.close()
    }
  } finally {
    await prepared.close()
  }
}

/** Recalls without and with reading in turn, so that the machine is the same for both. */
async function measureReading(
  scenario: Scenario,
  plan: CalibrationPlan,
  seeds: Seeds,
  scratch: string,
  log: (line: string) => void,
): Promise<Calibrated['reading']> {
  const prepared = await prepareSqlite(scenario, seeds, scratch)
  const costs: MeasuredVerb[] = []
  try {
    for (const settings of [withoutReading, {}]) {
      const system = await prepared.open(1, settings)
      try {
        const target = { roots: system.roots, scenario, sharesTexts: system.sharesTexts, recallShare: 1 }
        await firstRecalls(target, 8)
        await closedLoop(target, 8, 3 * plan.seconds)
        const { alone, loaded } = await observeVerb(system, target, plan.seconds)
        const threads = busyThreads([alone, loaded])
        costs.push({ alone: costOf(alone, threads), loaded: costOf(loaded, threads) })
      } finally {
        await system.close()
      }
    }
  } finally {
    await prepared.close()
  }
  const [without, withIt] = costs
  if (without === undefined || withIt === undefined) throw new Error('reading was not measured')
  const [off, on] = [without, withIt].map(({ loaded }) => loaded.serviceMs.toFixed(1))
  log(`reading: a recall takes ${on} ms of CPU with it, ${off} without it`)
  return { without, with: withIt }
}

async function measureSystem(system: LoadedSystem, scenario: Scenario, plan: CalibrationPlan) {
  const target: Target = { roots: system.roots, scenario, sharesTexts: system.sharesTexts }
  const { seconds } = plan
  // Models load and code is compiled before anything counts. Only the first user is active.
  const ofOneUser = { ...target, scenario: { ...scenario, users: 1 }, recallShare: 0.5 }
  await closedLoop(ofOneUser, 8, 5 * seconds)
  const first = await cheapest(system, async (round) => {
    const [from, to] = [round, round + 1].map((edge) => Math.floor((edge * scenario.users) / rounds))
    const part = { from: Math.max(1, from ?? 0), to: to ?? 0 }
    return { requests: part.to - part.from, times: await firstRecalls(target, 1, part) }
  })
  const recall = await observeVerb(system, { ...target, recallShare: 1 }, seconds)
  const store = await observeVerb(system, { ...target, recallShare: 0 }, seconds)
  // A loop as in the load bench, which shows how much memory remains in use.
  const watched = await watchUsage(system.groups)
  await closedLoop(target, manyConnections, seconds)
  const serviceMegabytes = rounded((await watched()).get('service')?.megabytes ?? Number.NaN)
  const threads = busyThreads([first, recall.alone, recall.loaded, store.alone, store.loaded])
  const client = httpClient(system.roots[0] ?? '')
  const indexBytes = await indexBytesEach(client).finally(() => client.close())
  return {
    recall: { alone: costOf(recall.alone, threads), loaded: costOf(recall.loaded, threads) },
    store: { alone: costOf(store.alone, threads), loaded: costOf(store.loaded, threads) },
    first: costOf(first, threads),
    serviceMegabytes,
    indexBytesPerMemory: rounded(indexBytes ?? Number.NaN),
  }
}

interface Observed {
  readonly used: ProcessorUse
  readonly requests: number
  readonly times: Percentiles
}

async function observeVerb(system: LoadedSystem, target: Target, seconds: number) {
  const loop = (connections: number) => async () => {
    const load = await closedLoop(target, connections, seconds)
    const verb = target.recallShare === 1 ? 'recall' : 'store'
    return { requests: load.counts[verb], times: load.times[verb] }
  }
  // Many first: what loads at the first use does not count as the cost of a lonely request.
  const loaded = await cheapest(system, loop(manyConnections))
  return { loaded, alone: await cheapest(system, loop(1)) }
}

async function cheapest(
  system: LoadedSystem,
  work: (round: number) => Promise<{ readonly requests: number; readonly times: Percentiles }>,
): Promise<Observed> {
  let best: Observed | undefined
  for (let round = 0; round < rounds; round++) {
    const watched = await watchThreads(system)
    const { requests, times } = await work(round)
    if (requests === 0) throw new Error('no request was answered: nothing can be measured')
    const observed = { used: await watched(), requests, times }
    if (best === undefined || eachMs(observed) < eachMs(best)) best = observed
  }
  if (best === undefined) throw new Error('there was no round')
  return best
}

function eachMs({ used, requests }: Observed): number {
  return [...used.threadMs.values()].reduce((sum, ms) => sum + ms, used.mainMs + used.databaseMs) / requests
}

/** The threads that matter in at least one of the loops, by age. */
function busyThreads(all: readonly Observed[]): number[] {
  const ids = new Set(all.flatMap(({ used }) => [...used.threadMs.keys()]))
  const isBusy = (id: number) => all.some(({ used, requests }) => (used.threadMs.get(id) ?? 0) / requests >= 0.05)
  return [...ids].filter(isBusy).sort((a, b) => a - b)
}

function costOf({ used, requests, times }: Observed, threads: readonly number[]): Cost {
  const each = (ms: number) => rounded(ms / requests)
  const threadSum = [...used.threadMs.values()].reduce((sum, ms) => sum + ms, 0)
  return {
    requests,
    latencyMs: three(times),
    serviceMs: each(used.mainMs + threadSum),
    mainMs: each(used.mainMs),
    threadsMs: threads.map((id) => each(used.threadMs.get(id) ?? 0)),
    databaseMs: each(used.databaseMs),
    clientMs: each(used.clientMs),
  }
}

async function bytesBelow(directory: string): Promise<number> {
  let sum = 0
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    // Logs that the engine reuses are no part of a memory.
    if (!/pg_wal|-wal$|reserve$/.test(path)) sum += (await stat(path)).size
  }
  return sum
}

async function scratchDirectory(): Promise<string> {
  const cache = fileURLToPath(new URL('../../.cache/', import.meta.url))
  await mkdir(cache, { recursive: true })
  const scratch = await mkdtemp(join(cache, 'bench-scale-'))
  // PostgreSQL runs as another user and needs access.
  await chmod(scratch, 0o755)
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }))
  return scratch
}

function sizeOf({ users, memoriesPerUser }: Scenario) {
  return { users, memoriesPerUser }
}

function three({ p50, p95 }: { readonly p50: number; readonly p95: number }) {
  return { p50: rounded(p50), p95: rounded(p95) }
}

function rounded(value: number): number {
  return Number(value.toPrecision(4))
}
