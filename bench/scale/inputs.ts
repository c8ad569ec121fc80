/** The figures that the simulation rests on, as `inputs.json` holds them. Every one has a source. */
import { readFile, rename, writeFile } from 'node:fs/promises'

export type Engine = 'sqlite' | 'postgres'

/** CPU time per request. */
export interface Cost {
  readonly requests: number
  readonly latencyMs: { readonly p50: number; readonly p95: number }
  /** All threads of the service. */
  readonly serviceMs: number
  readonly mainMs: number
  /** The other threads of the service that do something, the oldest first; the same threads in all costs of a size. */
  readonly threadsMs: readonly number[]
  readonly databaseMs: number
  readonly clientMs: number
}

export interface MeasuredVerb {
  /** One connection: every thread sleeps between requests. */
  readonly alone: Cost
  /** Fifty connections: threads find more work when they finish. */
  readonly loaded: Cost
}

export interface MeasuredSize {
  readonly engine: Engine
  readonly users: number
  readonly memoriesPerUser: number
  readonly recall: MeasuredVerb
  readonly store: MeasuredVerb
  /** The first recall of a user, which loads the index, one at a time. */
  readonly first: Cost
  readonly serviceMegabytes: number
  readonly indexBytesPerMemory: number
  readonly diskBytes: number
}

export interface Calibrated {
  readonly measuredAt: string
  readonly command: string
  readonly machine: string
  /** Of the last minute before: above half the cores, other programs have made everything dearer. */
  readonly loadAverage: number
  readonly cores: number
  readonly build: string
  /** Median time to sync 4 kB. */
  readonly diskSyncMs: number
  /** With SERVICE_READ_FIRST=0. */
  readonly sizes: readonly MeasuredSize[]
  /** Recalls without reading and with the default setting, at the largest size on SQLite. */
  readonly reading: { readonly without: MeasuredVerb; readonly with: MeasuredVerb }
}

export interface Source {
  readonly figures: string
  readonly command: string
  readonly date: string
  readonly machine: string
}

/** One row of the load bench. */
export interface LoadRow {
  readonly engine: Engine
  readonly memories: number
  readonly instances: number
  readonly requestsPerSecond: number
  readonly recallMs: { readonly p50: number; readonly p95: number }
  readonly storeMs: { readonly p50: number; readonly p95: number }
  readonly serviceMegabytes: number
  readonly cpuMs: number
}

export interface Published {
  readonly source: Source
  readonly users: number
  readonly connections: number
  readonly recallShare: number
  readonly cores: number
  /** What the model sees. */
  readonly fed: readonly LoadRow[]
  /** What it has to predict, and never sees. */
  readonly heldOut: readonly LoadRow[]
  /** The median of users' first recalls, many at once. */
  readonly heldOutFirst: {
    readonly engine: Engine
    readonly memories: number
    readonly connections: number
    readonly p50Ms: number
  }
}

/** By the number of memories of the one user. */
type BySize = Readonly<Record<string, number>>

export interface SpeedFigures {
  readonly source: Source
  readonly recallCpuMs: BySize
  readonly storeCpuMs: BySize
  readonly firstRecallAfterStartMs: BySize
  readonly heldOutFirstRecallAfterStartMs: BySize
  readonly indexBytesPerMemory: BySize
}

/** What nobody can measure on one machine: the users, and the machines to buy. */
export interface Assumptions {
  readonly source: string
  readonly memoriesPerUser: number
  readonly recallsPerUserAndDay: number
  readonly storesPerUserAndDay: number
  /** Requests in the busiest hour, compared with the average hour. */
  readonly peakFactor: number
  /** Requests by the rank of their user. */
  readonly activityExponent: number
  /** Memories by the rank of their user: those who ask more have more. */
  readonly sizeExponent: number
  readonly maxRecallP95Ms: number
  readonly maxUtilization: number
  readonly databaseCores: number
  readonly databaseMemoryGb: number
  readonly databaseDiskGb: number
  readonly databaseMaxConnections: number
  readonly roundTripMs: number
  readonly roundTripsPerRequest: number
  readonly diskReadMs: number
}

export interface Inputs {
  readonly published: Published
  readonly speed: SpeedFigures
  readonly calibrated: Calibrated
  readonly assumptions: Assumptions
}

const inputsFile = new URL('./inputs.json', import.meta.url)

export async function readInputs(file: URL | string = inputsFile): Promise<Inputs> {
  const parsed: unknown = JSON.parse(await readFile(file, 'utf8'))
  checkNumbers(parsed, 'inputs')
  const parts = ['published', 'speed', 'calibrated', 'assumptions']
  for (const part of parts) {
    if (typeof parsed !== 'object' || parsed === null || !(part in parsed)) {
      throw new Error(`inputs.json has no "${part}": restore it, or run npm run bench:scale -- calibrate`)
    }
  }
  // The parts are there and every number is usable; the file is part of this repository.
  return parsed as Inputs
}

export async function writeCalibrated(calibrated: Calibrated): Promise<void> {
  checkNumbers(calibrated, 'calibrated')
  const inputs: unknown = JSON.parse(await readFile(inputsFile, 'utf8'))
  const text = `${JSON.stringify({ ...(inputs as object), calibrated }, null, 2)}\n`
  // Complete or not at all.
  await writeFile(new URL('./inputs.json.part', import.meta.url), text)
  await rename(new URL('./inputs.json.part', import.meta.url), inputsFile)
}

/** JSON writes NaN as null: such a figure was not measured. */
function checkNumbers(value: unknown, path: string): void {
  if (value === null || (typeof value === 'number' && !(Number.isFinite(value) && value >= 0))) {
    throw new Error(`${path} is not a measured figure: ${value}`)
  }
  if (typeof value === 'object') for (const [name, part] of Object.entries(value)) checkNumbers(part, `${path}.${name}`)
}
