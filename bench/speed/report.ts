/** The figures as one table, the aims beside them, and the machine they come from. */
import { cpus, loadavg, totalmem } from 'node:os'
import { markdownTable } from '../table.js'
import type { Figures, Percentiles, Plan, Timed } from './measure.js'
import type { Scenario } from './scenario.js'

export interface Result {
  readonly scenario: Scenario
  /** Of the ten nearest by exact vectors, the share that a semantic recall finds. */
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
    /** Runnable processes in the last minute: well above 0 before a run means that something else was busy. */
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
    own('– processor time of one, ms', (figures) => optional(figures[name].processorMs)),
    own(`– a second, ${plan.connections} connections`, (figures) => perSecond(figures[name])),
  ]
  return markdownTable(
    ['memories', ...results.map(({ scenario }) => scenario.title)],
    [
      own('start to ready, ms', ({ readyMs }) => milliseconds(readyMs)),
      own('first recall after a start, ms', ({ firstRecallMs }) => milliseconds(firstRecallMs)),
      own('first recall of a user, ms p50 / p95 / p99', ({ firstOfUser }) => three(firstOfUser ?? nothing)),
      own('resident when ready, MB', ({ memoryAtReady }) => megabytes(memoryAtReady?.nowMegabytes)),
      own('resident after the recalls, MB', ({ memoryAfterRecalls }) => megabytes(memoryAfterRecalls?.nowMegabytes)),
      own('– of these not pages of files, MB', ({ memoryAfterRecalls }) =>
        megabytes(memoryAfterRecalls?.anonymousMegabytes),
      ),
      own('resident at its highest, MB', ({ memoryAtEnd }) => megabytes(memoryAtEnd?.peakMegabytes)),
      own('– with recalls that rerank, MB', ({ memoryAfterRerank }) => megabytes(memoryAfterRerank?.peakMegabytes)),
      own('index, bytes a memory', ({ indexBytesEach }) => indexBytesEach?.toFixed(0) ?? 'unknown'),
      row('of the ten nearest found, %', ({ recallAtTen }) => (100 * recallAtTen).toFixed(1)),
      ...verb('recall'),
      own('– with rerank, ms p50 / p95 / p99', ({ rerank }) => three(rerank?.total ?? nothing)),
      own('– of these reranking', ({ rerank }) => three(rerank?.stage ?? nothing)),
      ...verb('store'),
      floor('**floor**: recall, ms p50 / p95 / p99', ({ recall }) => three(recall.total)),
      floor('– everything but the models', ({ recall }) => three(recall.exceptModels)),
      floor('– recalls a second', ({ recall }) => perSecond(recall)),
      floor('– store, ms p50 / p95 / p99', ({ store }) => three(store.total)),
      floor('– stores a second', ({ store }) => perSecond(store)),
      floor('– resident after the recalls, MB', ({ memoryAfterRecalls }) =>
        megabytes(memoryAfterRecalls?.nowMegabytes),
      ),
      ratio('**service / floor**: recall p50', ({ recall }) => recall.total.p50),
      ratio('– everything but the models p50', ({ recall }) => recall.exceptModels.p50),
      ratio('– recalls a second', ({ recall }) => recall.load.perSecond),
      ratio('– store p50', ({ store }) => store.total.p50),
      ratio('– stores a second', ({ store }) => store.load.perSecond),
      ratio('– resident', ({ memoryAfterRecalls }) => memoryAfterRecalls?.nowMegabytes ?? Number.NaN),
    ],
  )
}

const nothing: Percentiles = { p50: Number.NaN, p95: Number.NaN, p99: Number.NaN }

/** In the order in which a request passes them: what the service measured first, then the rest. */
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
  /** The bound is the least, not the most. */
  readonly isLeast?: boolean
  readonly unit: string
}

/** Told, never enforced: a busy machine must not fail a run. */
export function aims(results: readonly Result[]): string {
  return results.flatMap(aimsOf).map(aimLine).join('\n')
}

/** Milliseconds at p50 beside the embedding: of one user with so many memories, or fewer. */
const timeAims = [
  { memories: 10_000, recall: 3, store: 5 },
  { memories: 100_000, recall: 10, store: 25 },
] as const

function aimsOf({ scenario, recallAtTen, service }: Result): Aim[] {
  const times = timeAims.find(({ memories }) => scenario.users * scenario.memoriesPerUser <= memories)
  const seen: Aim[] = [{ what: 'start to ready', seen: service.readyMs, bound: 3000, unit: 'ms' }]
  for (const verb of ['recall', 'store'] as const) {
    // With many users most indexes are not in memory: other aims would hold.
    if (times === undefined || scenario.users > 1) continue
    const ms = service[verb].exceptModels.p50
    seen.push({ what: `${verb}, everything but the models, p50`, seen: ms, bound: times[verb], unit: 'ms' })
  }
  seen.push({ what: 'of the ten nearest found', seen: 100 * recallAtTen, bound: 99, isLeast: true, unit: '%' })
  const { rerank, indexBytesEach, memoryAtEnd } = service
  if (rerank) seen.push({ what: 'reranking, p50', seen: rerank.stage.p50, bound: 100, unit: 'ms' })
  // Of few memories, or many small users, most is what an index takes that holds nothing.
  if (indexBytesEach !== undefined && scenario.memoriesPerUser >= 10_000)
    seen.push({ what: 'index, bytes a memory', seen: indexBytesEach, bound: 450, unit: 'B' })
  if (memoryAtEnd)
    seen.push({ what: 'resident at its highest', seen: memoryAtEnd.peakMegabytes, bound: 500, unit: 'MB' })
  return seen.map((aim) => ({ ...aim, what: `${scenario.title}: ${aim.what}` }))
}

function aimLine({ what, seen, bound, isLeast = false, unit }: Aim): string {
  const verdict = (isLeast ? seen >= bound : seen <= bound) ? 'aim met' : 'AIM NOT MET'
  const limit = `${isLeast ? 'at least' : 'at most'} ${bound} ${unit}`
  return `${verdict.padEnd(12)} ${what}: ${milliseconds(seen)} ${unit} (${limit})`
}
