/** The input and the result of every kind of fault. */
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
  /** Undefined: the default of this kind of fault. */
  readonly rounds: number | undefined
  /** Empty and private to the fault; removed afterwards unless problems were found. */
  readonly directory: string
  readonly random: Random
  /** Starts the service under test: the built one, or a sabotaged copy. */
  start(options: StartOptions): Promise<ServiceProcess>
  /** Starts it, and kills it after a moment. */
  crashDuringStart(options: StartOptions, afterMs: number): Promise<void>
  log(line: string): void
}

export interface FaultResult {
  readonly rounds: number
  readonly problems: readonly Problem[]
  /** Other observations, in a few words. */
  readonly seen: string
  readonly ledger?: Ledger
  /** It could not be completed. */
  readonly isAborted?: boolean
}

export interface Fault {
  readonly engines: readonly EngineName[]
  /** Why it can't run on this machine; undefined: it can. */
  obstacle?(): Promise<string | undefined>
  run(context: FaultContext): Promise<FaultResult>
}

export const writerCount = 6
export const users = [...new Set(Array.from({ length: writerCount }, (_, writer) => userOf(writer)))]

/** Compares the contents of a service with the ledger. */
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

/** Polls until `is` is true; returns false on a timeout. */
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
