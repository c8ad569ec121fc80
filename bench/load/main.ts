/**
 * `npm run bench:load`: 1,000 users, increasing numbers of memories, four recalls per store over 50 connections, on
 * both engines, with one and two instances; then five times the capacity. For comparison, two other systems on the same
 * machine.
 */
import { rmSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildFingerprint } from '../service-process.js'
import { machine, machineLine } from '../speed/report.js'
import { parseScenario, type Scenario } from '../speed/scenario.js'
import { openSeeds, type Seeds } from '../speed/seed.js'
import { besideLargeAims, besideLargeTable, measureBesideLarge } from './large-user.js'
import { measurePeers } from './peers.js'
import { aims, growthTable, type Loaded, loadTable, overloadTable, peerTable } from './report.js'
import { type LoadedSystem, preparePostgres, prepareSqlite } from './systems.js'
import { closedLoop, firstRecalls, openLoop, type Target } from './traffic.js'
import { watchUsage } from './usage.js'

const users = 1_000
const resultsDirectory = fileURLToPath(new URL('../results/', import.meta.url))
const usage = `npm run bench:load -- [options]
  --engines sqlite,postgres   engines to measure (default both; none to skip)
  --sizes 1k,10k,100k,1000k   total memories over ${users} users (default all four)
  --instances 1,2             instances of the service; two on PostgreSQL only (default both)
  --seconds 30                of load per measurement, after a warm-up of a third of that
  --connections 50
  --overload 10k              size at which five times the capacity is offered (default 10k; none to skip)
  --peers 1k                  sizes for the peers (default 1k; none to skip)
  --large 2000k               also a user with this many memories beside ${users} with ten each, on SQLite (default none)
  --large-data DIR            directory for that store, to use it again
  --json NAME                 also write all results to bench/results/NAME
  --quick                     1k and 10k, 5 seconds each`

async function run(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      engines: { type: 'string', default: 'sqlite,postgres' },
      sizes: { type: 'string' },
      instances: { type: 'string', default: '1,2' },
      seconds: { type: 'string' },
      connections: { type: 'string', default: '50' },
      overload: { type: 'string', default: '10k' },
      peers: { type: 'string', default: '1k' },
      large: { type: 'string', default: 'none' },
      'large-data': { type: 'string' },
      json: { type: 'string' },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (options.help) return console.log(usage)
  const seconds = Number(options.seconds ?? (options.quick ? 5 : 30))
  const connections = Number(options.connections)
  const sizes = (options.sizes ?? (options.quick ? '1k,10k' : '1k,10k,100k,1000k')).split(',')
  const noted = machine()
  console.log(machineLine(noted))
  if (noted.loadAverage > noted.cores / 2)
    console.log('another process keeps this machine busy: times will be too high')

  const build = await buildFingerprint()
  const scratch = await scratchDirectory()
  const seeds = await openSeeds(console.log)
  const instances = options.instances.split(',').map(Number)
  const plan = { seconds, connections, overload: options.overload }
  const results: Loaded[] = []
  const beside =
    options.large === 'none'
      ? undefined
      : await measureBesideLarge(options.large, scenarioOf('10k'), plan, seeds, scratch, options['large-data'])
  if (beside) console.log(`\n${besideLargeTable(beside)}\n\n${besideLargeAims(beside)}`)
  for (const engine of options.engines.split(',').filter((name) => name !== 'none')) {
    for (const size of sizes) results.push(...(await measureSize(engine, size, instances, plan, seeds, scratch)))
  }
  console.log(`\n${loadTable(results)}`)
  console.log(`\n${growthTable(results)}`)
  if (results.some(({ overload }) => overload !== undefined)) console.log(`\n${overloadTable(results)}`)
  console.log(`\n${aims(results)}`)
  if (options.peers !== 'none') {
    const peers = await measurePeers(options.peers.split(',').map(scenarioOf), plan, console.log)
    const sameSizes = results.filter(({ size }) => peers.some((peer) => peer.size === size))
    console.log(`\n${peerTable([...sameSizes, ...peers])}`)
    results.push(...peers)
  }
  if ((await buildFingerprint()) !== build)
    console.log('\nTHE SERVICE WAS REBUILT DURING THIS RUN: the results mix builds')
  if (options.json !== undefined) await writeJson(options.json, { machine: noted, build, plan, results, beside })
}

interface Plan {
  readonly seconds: number
  readonly connections: number
  readonly overload: string
}

async function measureSize(
  engine: string,
  size: string,
  instances: readonly number[],
  plan: Plan,
  seeds: Seeds,
  scratch: string,
): Promise<Loaded[]> {
  const scenario = scenarioOf(size)
  const prepared =
    engine === 'sqlite'
      ? await prepareSqlite(scenario, seeds, scratch)
      : await preparePostgres(scenario, seeds, scratch, console.log)
  const results: Loaded[] = []
  try {
    for (const count of instances.filter((each) => prepared.instanceCounts.includes(each))) {
      const system = await prepared.open(count)
      try {
        results.push(await measureSystem(system, scenario, size, count, plan))
      } finally {
        await system.close()
      }
    }
  } finally {
    await prepared.close()
  }
  return results
}

async function measureSystem(
  system: LoadedSystem,
  scenario: Scenario,
  size: string,
  instances: number,
  plan: Plan,
): Promise<Loaded> {
  const target: Target = { roots: system.roots, scenario, sharesTexts: system.sharesTexts }
  console.log(`${system.name}, ${scenario.title} memories, ${instances} instance${instances > 1 ? 's' : ''}`)
  const first = await firstRecalls(target, plan.connections)
  console.log(`  first recall per user: p50 ${first.p50.toFixed(0)} ms, p95 ${first.p95.toFixed(0)} ms`)
  await closedLoop(target, plan.connections, plan.seconds / 3)
  const watched = await watchUsage([...system.groups, { name: 'client', pids: async () => [process.pid] }])
  const load = await closedLoop(target, plan.connections, plan.seconds)
  const used = await watched()
  const { recall, store } = load.times
  console.log(
    `  ${load.perSecond.toFixed(0)} per second, recall p95 ${recall.p95.toFixed(0)} ms, store p95 ${store.p95.toFixed(0)} ms`,
  )
  const overload =
    size === plan.overload ? await openLoop(target, 5 * load.perSecond, plan.seconds, load.times.recall.p95) : undefined
  return {
    system: system.name,
    size,
    memories: scenario.users * scenario.memoriesPerUser,
    instances,
    first,
    load,
    used,
    overload,
  }
}

/** `10k`: 10,000 memories in total, ten per user. */
function scenarioOf(size: string): Scenario {
  const total = Number(size.replace(/k$/, '')) * (size.endsWith('k') ? 1000 : 1)
  if (!Number.isInteger(total / users)) throw new Error(`"${size}" is not a valid size; use for example 10k`)
  return parseScenario(`${users}x${total / users}`)
}

/**
 * Next to the cache rather than in the system's temporary folder, which may be in memory and make every store look
 * fast.
 */
async function scratchDirectory(): Promise<string> {
  const cache = fileURLToPath(new URL('../../.cache/', import.meta.url))
  await mkdir(cache, { recursive: true })
  const scratch = await mkdtemp(join(cache, 'bench-load-'))
  // PostgreSQL runs as another user and needs access.
  await chmod(scratch, 0o755)
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }))
  return scratch
}

async function writeJson(name: string, figures: object): Promise<void> {
  const file = isAbsolute(name) ? name : join(resultsDirectory, basename(name))
  await mkdir(resultsDirectory, { recursive: true })
  const plain = (_name: string, value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value)
  await writeFile(file, `${JSON.stringify(figures, plain, 2)}\n`)
  console.log(`\nall results: ${file}`)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : error)
  process.exitCode = 1
})
