import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os'

/** The machine a figure was measured on. A figure means nothing without it. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGb: number
  readonly system: string
  readonly node: string
  /** Load average of the last minute. More than half the cores means that other work is running. */
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
