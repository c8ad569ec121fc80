import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os'

/** What a figure was measured on: without it a figure says nothing. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGb: number
  readonly system: string
  readonly node: string
  /** Of the last minute; more than half of the cores means that others work too. */
  readonly load: number
}

export function describeMachine(): Machine {
  const all = cpus()
  return {
    cpu: all[0]?.model.trim() || 'unknown processor',
    cores: all.length,
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.versions.node,
    load: loadavg()[0] ?? 0,
  }
}
