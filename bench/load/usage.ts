/** CPU time and memory of groups of processes during a measurement. */
import { readFile } from 'node:fs/promises'
import { processorMs } from '../service-process.js'

export interface Usage {
  /** Average number of busy cores. */
  readonly cores: number
  /** At the end; pages shared by several processes count once. */
  readonly megabytes: number
}

export interface Group {
  readonly name: string
  pids(): Promise<readonly number[]>
}

/** Starts measuring; the returned function stops and returns the result. */
export async function watchUsage(groups: readonly Group[]): Promise<() => Promise<Map<string, Usage>>> {
  const before = await Promise.all(groups.map(async ({ pids }) => timesOf(await pids())))
  const startedAt = performance.now()
  return async () => {
    const seconds = (performance.now() - startedAt) / 1000
    const usages = await Promise.all(
      groups.map(async ({ name, pids }, index): Promise<[string, Usage]> => {
        const after = await timesOf(await pids())
        let usedMs = 0
        for (const [pid, ms] of after) usedMs += ms - (before[index]?.get(pid) ?? 0)
        let megabytes = 0
        for (const pid of after.keys()) megabytes += await proportionalMegabytes(pid)
        return [name, { cores: usedMs / 1000 / seconds, megabytes }]
      }),
    )
    return new Map(usages)
  }
}

async function timesOf(pids: readonly number[]): Promise<Map<number, number>> {
  const times = new Map<number, number>()
  for (const pid of pids) {
    // The process may have ended since it was listed.
    const ms = await processorMs(pid).catch(() => undefined)
    if (ms !== undefined) times.set(pid, ms)
  }
  return times
}

async function proportionalMegabytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) / 1024
}
