/** CPU time per thread of the service, and of the database, during a measurement. */
import { readdir, readFile } from 'node:fs/promises'
import type { LoadedSystem } from '../load/systems.js'
import { processorMs } from '../service-process.js'

export interface ProcessorUse {
  /** The thread that answers requests. */
  readonly mainMs: number
  /** All other threads of the service by their id. */
  readonly threadMs: ReadonlyMap<number, number>
  readonly databaseMs: number
  readonly clientMs: number
  readonly wallMs: number
}

/** Starts measuring; the returned function stops and returns the result. */
export async function watchThreads(system: LoadedSystem): Promise<() => Promise<ProcessorUse>> {
  const before = await snapshot(system)
  return async () => {
    const after = await snapshot(system)
    const threadMs = new Map<number, number>()
    for (const [id, ms] of after.threads) threadMs.set(id, ms - (before.threads.get(id) ?? 0))
    return {
      mainMs: after.main - before.main,
      threadMs,
      databaseMs: grownMs(before.database, after.database),
      clientMs: after.client - before.client,
      wallMs: after.at - before.at,
    }
  }
}

async function snapshot({ groups }: LoadedSystem) {
  const [service, database] = ['service', 'database'].map((name) => groups.find((group) => group.name === name))
  const [pid] = (await service?.pids()) ?? []
  if (pid === undefined) throw new Error('the service has no process')
  const threads = await threadsOf(pid)
  const main = threads.get(pid) ?? 0
  threads.delete(pid)
  const databaseTimes = new Map<number, number>()
  // A database process may have ended since it was listed.
  for (const each of (await database?.pids()) ?? [])
    databaseTimes.set(each, (await processorMs(each).catch(() => undefined)) ?? 0)
  const { user, system } = process.cpuUsage()
  return { main, threads, database: databaseTimes, client: (user + system) / 1000, at: performance.now() }
}

function grownMs(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number {
  let sum = 0
  for (const [pid, ms] of after) sum += ms - (before.get(pid) ?? 0)
  return sum
}

/** From `schedstat`, which counts nanoseconds; the usual counters have steps of 10 ms. */
async function threadsOf(pid: number): Promise<Map<number, number>> {
  const times = new Map<number, number>()
  for (const name of await readdir(`/proc/${pid}/task`)) {
    const text = await readFile(`/proc/${pid}/task/${name}/schedstat`, 'utf8').catch(() => undefined)
    if (text !== undefined) times.set(Number(name), Number(text.split(' ')[0]) / 1e6)
  }
  return times
}
