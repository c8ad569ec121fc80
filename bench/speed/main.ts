/** `npm run bench`: the speed of the built service over HTTP, compared with the minimum possible. */
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildFingerprint, serviceEnvironment, startService } from '../service-process.js'
import { diskSyncMs } from './disk-sync.js'
import { measureExactness } from './exactness.js'
import { type Figures, measure, type Plan } from './measure.js'
import { aims, machine, machineLine, type Result, table } from './report.js'
import { parseScenario, type Scenario } from './scenario.js'
import { openSeeds, type Seeds } from './seed.js'

const fullPlan: Plan = {
  starts: 5,
  warmUps: 50,
  requests: 500,
  loadSeconds: 10,
  connections: 8,
  exactQuestions: 100,
}
const quickPlan: Plan = {
  ...fullPlan,
  ...{ starts: 2, warmUps: 10, requests: 200, loadSeconds: 3, exactQuestions: 30 },
}
const fullSizes = '1k,10k,100k,1000x100'
const quickSizes = '1k,10k'
const resultsDirectory = fileURLToPath(new URL('../results/', import.meta.url))
const floorServer = fileURLToPath(new URL('./floor-server.ts', import.meta.url))

const usage = `npm run bench -- [options]
  --sizes 1k,10k   memories of one user, or users x memories (default ${fullSizes})
  --quick          fewer requests and only ${quickSizes}: about two minutes
  --json NAME      also write all results to bench/results/NAME (or to an absolute path)
  --help`

async function run(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      sizes: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (options.help) return console.log(usage)
  const plan = options.quick ? quickPlan : fullPlan
  const scenarios = (options.sizes ?? (options.quick ? quickSizes : fullSizes)).split(',').map(parseScenario)
  const noted = machine()
  console.log(machineLine(noted))
  if (noted.loadAverage > noted.cores / 2)
    console.log('another process keeps this machine busy: times will be too high')

  const build = await buildFingerprint()
  const scratch = await scratchDirectory()
  const syncMs = await diskSyncMs(scratch)
  console.log(`the disk takes ${syncMs.toFixed(2)} ms to sync 4 kB (median): no store can be faster\n`)
  const seeds = await openSeeds(console.log)
  const results: Result[] = []
  for (const scenario of scenarios) results.push(await measureScenario(scenario, plan, seeds, scratch))
  print(results, plan)
  const builtAnew = (await buildFingerprint()) !== build
  if (builtAnew) console.log('\nTHE SERVICE WAS REBUILT DURING THIS RUN: the results mix builds')
  if (options.json !== undefined) {
    await writeJson(options.json, { machine: { ...noted, syncMs }, build, builtAnew, plan, results })
  }
}

/**
 * Next to the cache rather than in the system's temporary folder, which may be in memory and make every store look
 * fast.
 */
async function scratchDirectory(): Promise<string> {
  const cache = fileURLToPath(new URL('../../.cache/', import.meta.url))
  await mkdir(cache, { recursive: true })
  const scratch = await mkdtemp(join(cache, 'bench-run-'))
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }))
  return scratch
}

async function measureScenario(scenario: Scenario, plan: Plan, seeds: Seeds, scratch: string): Promise<Result> {
  const dataDir = join(scratch, scenario.name)
  const environment = serviceEnvironment(dataDir)
  await seeds.copyTo(scenario, dataDir)
  console.log(`measuring ${scenario.title}`)
  const recallAtTen = await measureExactness(scenario, seeds.centres, plan.exactQuestions, () =>
    startService({ environment: { ...environment, SERVICE_DECAY_ENABLED: 'false' }, workingDirectory: scratch }),
  )
  // A fresh copy, because recalled memories count as accessed.
  await rm(dataDir, { recursive: true, force: true })
  await seeds.copyTo(scenario, dataDir)
  const service = await measure(scenario, plan, () => startService({ environment, workingDirectory: scratch }))
  await rm(dataDir, { recursive: true, force: true })
  return { scenario, recallAtTen, service, floor: await measureFloor(scenario, plan, seeds, scratch) }
}

/** Started only once, because it recomputes its vectors at every start. */
function measureFloor(scenario: Scenario, plan: Plan, seeds: Seeds, scratch: string): Promise<Figures> {
  return measure(scenario, { ...plan, starts: 1 }, () =>
    startService({
      nodeArguments: ['--import', import.meta.resolve('tsx'), floorServer, scenario.name, seeds.centresFile],
      environment: {},
      workingDirectory: scratch,
    }),
  )
}

function print(results: readonly Result[], plan: Plan): void {
  console.log(`
All results are for HTTP requests to the built service in a separate process, with limits off and the client on the
same machine: ${plan.requests} sequential requests (stages as reported in Server-Timing), ${plan.loadSeconds} s of load, median of ${plan.starts} starts with the files in the page cache. Seeded texts
are generated sentences, and seeded vectors are close to real ones of the same model; queries and stores are really
embedded. The floor embeds in the same way, compares float32 vectors in memory in plain code, and does nothing else.
`)
  console.log(table(results, plan))
  console.log(`\n${aims(results)}`)
}

async function writeJson(name: string, figures: object): Promise<void> {
  const file = isAbsolute(name) ? name : join(resultsDirectory, basename(name))
  await mkdir(resultsDirectory, { recursive: true })
  await writeFile(file, `${JSON.stringify(figures, null, 2)}\n`)
  console.log(`\nall results: ${file}`)
}

// An interrupted run removes its processes and files like any other.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : error)
  process.exitCode = 1
})
