/** The results of the load bench as tables, with their targets. */
import type { Percentiles } from '../speed/measure.js'
import { markdownTable } from '../table.js'
import type { Measured, Overloaded } from './traffic.js'
import type { Usage } from './usage.js'

export interface Loaded {
  readonly system: string
  readonly size: string
  readonly memories: number
  readonly instances: number
  /** The first recall per user. Absent: not measured. */
  readonly first?: Percentiles
  readonly load: Measured
  readonly used: ReadonlyMap<string, Usage>
  readonly overload: Overloaded | undefined
  readonly remark?: string
}

export function loadTable(results: readonly Loaded[]): string {
  const rows = results.map((result, index) => [
    results[index - 1]?.system === result.system ? '' : result.system,
    String(result.instances),
    result.memories.toLocaleString('en-US'),
    ...cellsOf(result),
  ])
  return markdownTable(['', 'instances', 'memories', ...columns], rows)
}

/** The growth of each figure from one size to the next. */
export function growthTable(results: readonly Loaded[]): string {
  const rows = results.flatMap((result) => {
    const alike = results.filter((other) => other.system === result.system && other.instances === result.instances)
    const smaller = alike[alike.indexOf(result) - 1]
    if (smaller === undefined) return []
    const [from, to] = [smaller, result].map(({ memories }) => memories.toLocaleString('en-US'))
    const times = (of: (loaded: Loaded) => number) => `× ${(of(result) / of(smaller)).toFixed(2)}`
    const three = (of: (loaded: Loaded) => Percentiles) =>
      [times((each) => of(each).p50), times((each) => of(each).p95), times((each) => of(each).p99)].join(' / ')
    return [
      [
        `${result.system}, ${result.instances} instance${result.instances > 1 ? 's' : ''}, ${from} to ${to}`,
        times(({ load }) => load.perSecond),
        three(({ load }) => load.times.recall),
        three(({ load }) => load.times.store),
        times(processorMs),
        times(({ used }) => used.get('service')?.megabytes ?? Number.NaN),
      ],
    ]
  })
  const head = ['growth between sizes', 'per second', 'recall p50 / p95 / p99', 'store p50 / p95 / p99']
  return markdownTable([...head, 'CPU time per request', 'memory of the service'], rows)
}

/** CPU time of the service and its database, without the client. */
function processorMs({ load, used }: Loaded): number {
  const cores = (used.get('service')?.cores ?? Number.NaN) + (used.get('database')?.cores ?? 0)
  return (1000 * cores) / load.perSecond
}

const columns = [
  'per second',
  'recall, ms p50 / p95 / p99',
  'store, ms p50 / p95 / p99',
  'not 2xx',
  'service: cores',
  'MB',
  'database: cores',
  'MB',
  'CPU per request, ms',
]

function cellsOf(result: Loaded): string[] {
  const { load, used } = result
  const [service, database] = [used.get('service'), used.get('database')]
  return [
    load.perSecond.toFixed(1),
    three(load.times.recall),
    three(load.times.store),
    counts(load.failures) || '0',
    service?.cores.toFixed(2) ?? '',
    service?.megabytes.toFixed(0) ?? '',
    database?.cores.toFixed(2) ?? '',
    database?.megabytes.toFixed(0) ?? '',
    processorMs(result).toFixed(1),
  ]
}

export function overloadTable(results: readonly Loaded[]): string {
  const rows = results.flatMap(({ system, instances, memories, load, overload }) => {
    if (overload === undefined) return []
    return [
      [
        `${system}, ${instances} instance${instances > 1 ? 's' : ''}, ${memories.toLocaleString('en-US')}`,
        load.perSecond.toFixed(1),
        overload.offeredPerSecond.toFixed(0),
        overload.goodPerSecond.toFixed(1),
        `${((100 * overload.goodPerSecond) / load.perSecond).toFixed(0)}%`,
        overload.refusedPerSecond.toFixed(0),
        counts(overload.otherwise) || '0',
        three(overload.times),
        three(overload.refusalTimes),
        `${overload.recoveryMs.toFixed(0)} ms`,
      ],
    ]
  })
  const head = [
    'five times the load',
    'capacity per second',
    'offered',
    'good',
    'share of capacity',
    '503',
    'otherwise',
  ]
  return markdownTable([...head, 'good, ms p50 / p95 / p99', '503, ms', 'recovered after'], rows)
}

export function peerTable(results: readonly Loaded[]): string {
  const rows = results.map((result) => [
    result.system + (result.remark ? ` (${result.remark})` : ''),
    result.memories.toLocaleString('en-US'),
    ...cellsOf(result).slice(0, 6),
  ])
  return markdownTable(['compared with peers', 'memories', ...columns.slice(0, 6)], rows)
}

/** Printed, never enforced: a busy machine must not fail a run. */
export function aims(results: readonly Loaded[]): string {
  const lines: string[] = []
  const tell = (isMet: boolean, text: string) =>
    lines.push(`${(isMet ? 'target met' : 'TARGET MISSED').padEnd(14)} ${text}`)
  for (const large of results.filter(({ memories }) => memories === 1_000_000)) {
    const alike = results.filter((each) => each.system === large.system && each.instances === large.instances)
    const small = alike.find(({ memories }) => memories === 10_000)
    const name = `${large.system}, ${large.instances} instances`
    if (small) {
      const ratio = large.load.times.recall.p95 / small.load.times.recall.p95
      tell(ratio <= 2, `${name}: recall p95 at 1M is ${ratio.toFixed(2)} times that at 10k (at most 2)`)
    }
    const megabytes = (large.used.get('service')?.megabytes ?? Number.NaN) / large.instances
    tell(megabytes <= 1500, `${name}: ${megabytes.toFixed(0)} MB per instance at 1M (at most 1,500)`)
  }
  for (const { system, instances, load, overload } of results) {
    if (overload === undefined) continue
    const share = overload.goodPerSecond / load.perSecond
    tell(
      share >= 0.8,
      `${system}, ${instances} instances: ${(100 * share).toFixed(0)}% of its peak under five times the load (at least 80)`,
    )
    const lost = [...overload.otherwise.values()].reduce((sum, count) => sum + count, 0)
    tell(lost === 0, `${system}, ${instances} instances: ${lost} requests got neither a success nor a 503 (0)`)
  }
  return lines.join('\n')
}

function three({ p50, p95, p99 }: { readonly p50: number; readonly p95: number; readonly p99: number }): string {
  return Number.isNaN(p50) ? '' : [p50, p95, p99].map((ms) => ms.toFixed(ms < 10 ? 1 : 0)).join(' / ')
}

function counts(failures: ReadonlyMap<string, number>): string {
  return [...failures].map(([what, count]) => `${what}: ${count}`).join(', ')
}
