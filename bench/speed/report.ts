/** The results as one table, their targets, and the machine. */
import { cpus, loadavg, totalmem } from 'node:os'
import { markdownTable } from '../table.js'
import type { Figures, Percentiles, Plan, Timed } from './measure.js'
import type { Scenario } from './scenario.js'

export interface Result {
  readonly scenario: Scenario
  /** Share of the ten nearest exact vectors that a semantic recall finds. */
  readonly recallAtTen: number
  readonly service: Figures
  readonly floor: Figures
}

export function machine() {
  const processors = cpus()
  return {
    processor: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${process.arch}`,
    node: process.version,
    /** Runnable processes in the last minute: well above 0 before a run means that the machine was busy. */
    loadAverage: Number((loadavg()[0] ?? 0).toFixed(2)),
  }
}

export function machineLine(noted: ReturnType<typeof machine>): string {
  const { processor, cores, memoryGigabytes, system, node, loadAverage } = noted
  return `${processor}, ${cores} cores, ${memoryGigabytes} GB, ${system}, Node ${node}, load average before ${loadAverage}`
}

export function table(results: readonly Result[], plan: Plan): string {
  const row = (label: string, cell: (result: Result) => string) => [label, ...results.map(cell)]
  const own = (label: string, cell: (figures: Figures) => string) => row(label, ({ service }) => cell(service))
  const floor = (label: string, cell: (figures: Figures) => string) => row(label, (result) => cell(result.floor))
  const ratio = (label: string, of: (figures: Figures) => number) =>
    row(label, (result) => times(of(result.service) / of(result.floor)))
  const verb = (name: 'recall' | 'store') => [
    own(`**${name}**, ms p50 / p95 / p99`, (figures) => three(figures[name].total)),
    ...stageNames(results, name).map((stage) =>
      own(`– ${stage}`, (figures) => three(figures[name].stages[stage] ?? nothing)),
    ),
    own('– everything but the models', (figures) => three(figures[name].exceptModels)),
    own('– CPU time per request, ms', (figures) => optional(figures[name].processorMs)),
    own(`– per second, ${plan.connections} connections`, (figures) => perSecond(figures[name])),
  ]
  return markdownTable(
    ['memories', ...results.map(({ scenario }) => scenario.title)],
    [
      own('start to ready, ms', ({ readyMs }) => milliseconds(readyMs)),
      own('first recall after a start, ms', ({ firstRecallMs }) => milliseconds(firstRecallMs)),
      own('first recall of a user, ms p50 / p95 / p99', ({ firstOfUser }) => three(firstOfUser ?? nothing)),
      own('resident when ready, MB', ({ memoryAtReady }) => megabytes(memoryAtReady?.nowMegabytes)),
      own('resident after the recalls, MB', ({ memoryAfterRecalls }) => megabytes(memoryAfterRecalls?.nowMegabytes)),
      own('– of which not file pages, MB', ({ memoryAfterRecalls }) =>
        megabytes(memoryAfterRecalls?.anonymousMegabytes),
      ),
      own('peak resident, MB', ({ memoryAtEnd }) => megabytes(memoryAtEnd?.peakMegabytes)),
      own('– with recalls that rerank, MB', ({ memoryAfterRerank }) => megabytes(memoryAfterRerank?.peakMegabytes)),
      own('index, bytes per memory', ({ indexBytesEach }) => indexBytesEach?.toFixed(0) ?? 'unknown'),
      row('found of the ten nearest, %', ({ recallAtTen }) => (100 * recallAtTen).toFixed(1)),
      ...verb('recall'),
      own('– with rerank, ms p50 / p95 / p99', ({ rerank }) => three(rerank?.total ?? nothing)),
      own('– of which reranking', ({ rerank }) => three(rerank?.stage ?? nothing)),
      ...verb('store'),
      floor('**floor**: recall, ms p50 / p95 / p99', ({ recall }) => three(recall.total)),
      floor('– everything but the models', ({ recall }) => three(recall.exceptModels)),
      floor('– recalls per second', ({ recall }) => perSecond(recall)),
      floor('– store, ms p50 / p95 / p99', ({ store }) => three(store.total)),
      floor('– stores per second', ({ store }) => perSecond(store)),
      floor('– resident after the recalls, MB', ({ memoryAfterRecalls }) =>
        megabytes(memoryAfterRecalls?.nowMegabytes),
      ),
      ratio('**service / floor**: recall p50', ({ recall }) => recall.total.p50),
      ratio('– everything but the models p50', ({ recall }) => recall.exceptModels.p50),
      ratio('– recalls per second', ({ recall }) => recall.load.perSecond),
      ratio('– store p50', ({ store }) => store.total.p50),
      ratio('– stores per second', ({ store }) => store.load.perSecond),
      ratio('– resident', ({ memoryAfterRecalls }) => memoryAfterRecalls?.nowMegabytes ?? Number.NaN),
    ],
  )
}

const nothing: Percentiles = { p50: Number.NaN, p95: Number.NaN, p99: Number.NaN }

/** In the order of a request: the stages that the service measured first, then the rest. */
function stageNames(results: readonly Result[], verb: 'recall' | 'store'): string[] {
  const order = ['embed', 'tag', 'recognise', 'search', 'rerank', 'commit']
  const names = new Set(results.flatMap(({ service }) => Object.keys(service[verb].stages)))
  const known = order.filter((name) => names.delete(name))
  names.delete('rest')
  return [...known, ...names, 'rest']
}

function three({ p50, p95, p99 }: Percentiles): string {
  return Number.isNaN(p50) ? '' : [p50, p95, p99].map(milliseconds).join(' / ')
}

function milliseconds(ms: number): string {
  return ms < 100 ? ms.toFixed(1) : ms.toFixed(0)
}

function optional(ms: number | undefined): string {
  return ms === undefined ? 'unknown' : milliseconds(ms)
}

function megabytes(value: number | undefined): string {
  return value === undefined ? 'unknown' : value.toFixed(0)
}

function perSecond({ load }: Timed): string {
  return `${load.perSecond.toFixed(0)} (p99 ${milliseconds(load.p99)} ms)`
}

function times(value: number): string {
  return Number.isNaN(value) ? 'unknown' : `${value.toFixed(2)} ×`
}

interface Aim {
  readonly what: string
  readonly seen: number
  readonly bound: number
  /** The bound is a minimum, not a maximum. */
  readonly isLeast?: boolean
  readonly unit: string
}

/** Printed, never enforced: a busy machine must not fail a run. */
export function aims(results: readonly Result[]): string {
  return results.flatMap(aimsOf).map(aimLine).join('\n')
}

/** Milliseconds at p50 excluding the embedding, for one user with at most this many memories. */
const timeAims = [
  { memories: 10_000, recall: 3, store: 5 },
  { memories: 100_000, recall: 10, store: 25 },
] as const

function aimsOf({ scenario, recallAtTen, service }: Result): Aim[] {
  const times = timeAims.find(({ memories }) => scenario.users * scenario.memoriesPerUser <= memories)
  const seen: Aim[] = [{ what: 'start to ready', seen: service.readyMs, bound: 3000, unit: 'ms' }]
  for (const verb of ['recall', 'store'] as const) {
    // With many users most indexes are not in memory: other targets would apply.
    if (times === undefined || scenario.users > 1) continue
    const ms = service[verb].exceptModels.p50
    seen.push({ what: `${verb}, everything but the models, p50`, seen: ms, bound: times[verb], unit: 'ms' })
  }
  seen.push({ what: 'found of the ten nearest', seen: 100 * recallAtTen, bound: 99, isLeast: true, unit: '%' })
  const { rerank, indexBytesEach, memoryAtEnd } = service
  if (rerank) seen.push({ what: 'reranking, p50', seen: rerank.stage.p50, bound: 100, unit: 'ms' })
  // With few memories, or many small users, the fixed size of an empty index dominates.
  if (indexBytesEach !== undefined && scenario.memoriesPerUser >= 10_000)
    seen.push({ what: 'index, bytes per memory', seen: indexBytesEach, bound: 450, unit: 'B' })
  if (memoryAtEnd) seen.push({ what: 'peak resident', seen: memoryAtEnd.peakMegabytes, bound: 500, unit: 'MB' })
  return seen.map((aim) => ({ ...aim, what: `${scenario.title}: ${aim.what}` }))
}

function aimLine({ what, seen, bound, isLeast = false, unit }: Aim): string {
  const verdict = (isLeast ? seen >= bound : seen <= bound) ? 'target met' : 'TARGET MISSED'
  const limit = `${isLeast ? 'at least' : 'at most'} ${bound} ${unit}`
  return `${verdict.padEnd(14)} ${what}: ${milliseconds(seen)} ${unit} (${limit})`
}
