/** What every kind of fault is given, and what it gives back. */
import { httpClient } from '../http-client.js'
import type { Random } from '../random.js'
import type { ServiceProcess, StartOptions } from '../service-process.js'
import type { Ledger, Problem } from './ledger.js'
import { verify } from './verify.js'
import { userOf } from './writers.js'

export const engineNames = ['sqlite', 'postgres'] as const
export type EngineName = (typeof engineNames)[number]

export interface FaultContext {
  readonly engine: EngineName
  /** Undefined: as many as this kind of fault usually has. */
  readonly rounds: number | undefined
  /** Empty, of its own, and removed afterwards if nothing was found. */
  readonly directory: string
  readonly random: Random
  /** Starts the service under test: the built one, or a copy that was broken on purpose. */
  start(options: StartOptions): Promise<ServiceProcess>
  /** Starts it, and kills it after a moment. */
  crashDuringStart(options: StartOptions, afterMs: number): Promise<void>
  log(line: string): void
}

export interface FaultResult {
  readonly rounds: number
  readonly problems: readonly Problem[]
  /** What else was seen, in a few words. */
  readonly seen: string
  readonly ledger?: Ledger
  /** It could not be finished. */
  readonly isAborted?: boolean
}

export interface Fault {
  readonly engines: readonly EngineName[]
  /** What stands in its way on this machine; undefined: nothing. */
  obstacle?(): Promise<string | undefined>
  run(context: FaultContext): Promise<FaultResult>
}

export const writerCount = 6
export const users = [...new Set(Array.from({ length: writerCount }, (_, writer) => userOf(writer)))]

/** Compares all that a service holds with what was promised. */
export async function verifyAll(service: ServiceProcess, ledger: Ledger, random: Random) {
  const client = httpClient(service.root, 8)
  try {
    return await verify(client, ledger, users, random)
  } finally {
    client.close()
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Until `is` holds; false when it takes too long. */
export async function until(is: () => Promise<boolean> | boolean, timeoutMs: number, everyMs = 20): Promise<boolean> {
  const end = performance.now() + timeoutMs
  while (!(await is())) {
    if (performance.now() > end) return false
    await sleep(everyMs)
  }
  return true
}

export function acknowledgedWrites({ acknowledged }: Ledger): number {
  const { stores, updates, marks, deletes } = acknowledged
  return stores + updates + marks + deletes
}
