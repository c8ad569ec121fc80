/** The figures that the simulation rests on, as `inputs.json` holds them. Every one has a source. */

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

export interface MixedFigures {
  readonly connections: number
  readonly requestsPerSecond: number
  readonly recallMs: { readonly p50: number; readonly p95: number }
  readonly storeMs: { readonly p50: number; readonly p95: number }
  /** Service and database, per request. */
  readonly cpuMs: number
  /** Cores that client, service and database got; fewer than the machine has if other programs run. */
  readonly coresObtained: number
  readonly serviceMegabytes: number
}

export interface MeasuredSize {
  readonly engine: Engine
  readonly users: number
  readonly memoriesPerUser: number
  readonly recall: MeasuredVerb
  readonly store: MeasuredVerb
  /** The first recall of a user, which loads the index, one at a time. */
  readonly first: Cost
  /** Four recalls per store: held out, for the comparison with predictions. */
  readonly mixed: MixedFigures
  readonly indexBytesPerMemory: number
  readonly diskBytes: number
}

export interface Calibrated {
  readonly measuredAt: string
  readonly command: string
  readonly machine: string
  readonly build: string
  /** Median time to sync 4 kB. */
  readonly diskSyncMs: number
  /** With SERVICE_READ_FIRST=0. */
  readonly sizes: readonly MeasuredSize[]
  /** Recalls without reading and with the default setting, at the largest size on SQLite. */
  readonly reading: { readonly without: MeasuredVerb; readonly with: MeasuredVerb }
}
