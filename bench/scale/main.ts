/**
 * `npm run bench:scale`: a simulation of the service under load. It predicts the largest measured store from smaller
 * ones, compares, and prints the cluster for up to a billion memories.
 */
import { parseArgs } from 'node:util'
import { calibrate } from './calibrate.js'
import { sizeCluster } from './cluster.js'
import { clusterCosts, diskBytesPerMemory } from './cluster-costs.js'
import { type Assumptions, type Engine, type Inputs, readInputs, writeCalibrated } from './inputs.js'
import { baseMegabytes, errorOf, predictAll, spreadOf } from './predict.js'
import { clusterTable, comparisonTable, driverTable, sourcesOf } from './report.js'

const allowedError = 20
const usage = `npm run bench:scale -- [command] [options]
  (no command)      compare with measured figures, then print the clusters
  validate          only compare; exit code 1 if a prediction is off by more than ${allowedError}%
  clusters          only print the clusters
  calibrate         measure the inputs on this machine (some minutes) and write them to bench/scale/inputs.json
options
  --memories 10M,100M,1B    sizes of the clusters
  --recalls 20  --stores 5  per user and day
  --peak 4                  busiest hour compared with the average hour
  --per-user 1000           memories per user, on average
  --zipf 0.7                how unequally active the users are (0: all alike)
  --no-reading              with SERVICE_READ_FIRST=0
  --engines sqlite,postgres --seconds 1.5  of a calibration`

async function run(): Promise<void> {
  const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      memories: { type: 'string', default: '10M,100M,1B' },
      recalls: { type: 'string' },
      stores: { type: 'string' },
      peak: { type: 'string' },
      'per-user': { type: 'string' },
      zipf: { type: 'string' },
      'no-reading': { type: 'boolean', default: false },
      engines: { type: 'string', default: 'sqlite,postgres' },
      seconds: { type: 'string', default: '1.5' },
      help: { type: 'boolean', default: false },
    },
  })
  const [command = 'all', ...more] = positionals
  if (options.help || more.length > 0 || !['all', 'validate', 'clusters', 'calibrate'].includes(command)) {
    console.log(usage)
    process.exitCode = options.help ? 0 : 2
    return
  }
  if (command === 'calibrate') {
    const engines = options.engines.split(',').map(engineOf)
    const calibrated = await calibrate({ engines, seconds: positive('--seconds', options.seconds) }, console.log)
    await writeCalibrated(calibrated)
    console.log('written to bench/scale/inputs.json; npm run bench:scale uses it from now on')
    return
  }
  const sizes = options.memories.split(',').map(memoriesOf)
  const inputs = withOptions(await readInputs(), {
    recallsPerUserAndDay: options.recalls,
    storesPerUserAndDay: options.stores,
    peakFactor: options.peak,
    memoriesPerUser: options['per-user'],
    activityExponent: options.zipf,
  })
  console.log(sourcesOf(inputs))
  if (command !== 'clusters') validate(inputs)
  if (command !== 'validate') printClusters(inputs, sizes, !options['no-reading'])
}

function validate(inputs: Inputs): void {
  const predictions = predictAll(inputs)
  console.log(`\n${comparisonTable(predictions)}`)
  const wrong = predictions.filter((prediction) => Math.abs(errorOf(prediction)) > allowedError)
  console.log(
    wrong.length === 0
      ? `\nall ${predictions.length} predictions are within ${allowedError}%`
      : `\nOFF BY MORE THAN ${allowedError}%: ${wrong.map(({ what }) => what).join('; ')}`,
  )
  if (wrong.length > 0) process.exitCode = 1
}

function printClusters(inputs: Inputs, sizes: readonly number[], reading: boolean): void {
  const { assumptions } = inputs
  const clusterInputs = {
    costs: clusterCosts(inputs, reading),
    assumptions,
    spread: spreadOf(inputs, 'postgres'),
    baseMegabytes: baseMegabytes(inputs, 'postgres'),
    diskBytesPerMemory: diskBytesPerMemory(inputs),
    requests: 6000,
  }
  const clusters = sizes.map((memories) => sizeCluster(memories, clusterInputs))
  console.log(`\n${reading ? 'default settings' : 'SERVICE_READ_FIRST=0'}`)
  console.log(`\n${clusterTable(clusters, assumptions)}\n\n${driverTable(clusters)}`)
}

function withOptions(inputs: Inputs, given: Readonly<Partial<Record<keyof Assumptions, string | undefined>>>): Inputs {
  const changed = Object.entries(given).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, name === 'activityExponent' ? exponentOf(text) : positive(name, text)]],
  )
  return { ...inputs, assumptions: { ...inputs.assumptions, ...Object.fromEntries(changed) } }
}

function engineOf(text: string): Engine {
  if (text === 'sqlite' || text === 'postgres') return text
  throw new Error(`"${text}" is not an engine; use sqlite or postgres`)
}

/** `10M`, `1B`, `250k` or a plain number. */
function memoriesOf(text: string): number {
  const match = /^(\d{1,12})([kMB]?)$/.exec(text)
  const unit = { '': 1, k: 1e3, M: 1e6, B: 1e9 }[match?.[2] ?? ''] ?? 1
  const memories = Number(match?.[1]) * unit
  if (!(memories >= 1000 && memories <= 1e11)) {
    throw new Error(`"${text}" is not a number of memories; use for example 10M or 1B, at least 1k and at most 100B`)
  }
  return memories
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (!(value > 0 && value <= 1e6)) throw new Error(`${name} must be a positive number, not "${text}"`)
  return value
}

function exponentOf(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0 && value <= 3))
    throw new Error(`--zipf must be between 0 and 3, not "${text}"`)
  return value
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
})
