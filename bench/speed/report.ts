/** The figures as one table, the aims beside them, and the machine they come from. */
import { cpus, loadavg, totalmem } from 'node:os'
import { markdownTable } from '../table.js'
import type { Figures, Percentiles, Plan, Timed } from './measure.js'
import type { Scenario } from './scenario.js'

export interface Result {
  readonly scenario: Scenario
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
    own('– everything but the embedding', (figures) => three(figures[name].exceptEmbedding)),
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
      ...verb('recall'),
      ...verb('store'),
      floor('**floor**: recall, ms p50 / p95 / p99', ({ recall }) => three(recall.total)),
      floor('– everything but the embedding', ({ recall }) => three(recall.exceptEmbedding)),
      floor('– recalls a second', ({ recall }) => perSecond(recall)),
      floor('– store, ms p50 / p95 / p99', ({ store }) => three(store.total)),
      floor('– stores a second', ({ store }) => perSecond(store)),
      floor('– resident after the recalls, MB', ({ memoryAfterRecalls }) =>
        megabytes(memoryAfterRecalls?.nowMegabytes),
      ),
      ratio('**service / floor**: recall p50', ({ recall }) => recall.total.p50),
      ratio('– everything but the embedding p50', ({ recall }) => recall.exceptEmbedding.p50),
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
  const order = ['embed', 'recognise', 'search', 'rerank', 'commit']
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
  readonly atMost: number
  readonly unit: string
}

/** Told, never enforced: a busy machine must not fail a run. */
export function aims(results: readonly Result[]): string {
  return results.flatMap(aimsOf).map(aimLine).join('\n')
}

function aimsOf({ scenario, service }: Result): Aim[] {
  const all = scenario.users * scenario.memoriesPerUser
  const exceptEmbeddingMs = all <= 10_000 ? 5 : scenario.users > 1 ? undefined : 25
  const seen: Aim[] = [{ what: `${scenario.title}: start to ready`, seen: service.readyMs, atMost: 3000, unit: 'ms' }]
  for (const verb of ['recall', 'store'] as const) {
    if (exceptEmbeddingMs === undefined) continue
    const what = `${scenario.title}: ${verb}, everything but the embedding, p50`
    seen.push({ what, seen: service[verb].exceptEmbedding.p50, atMost: exceptEmbeddingMs, unit: 'ms' })
  }
  const resident = service.memoryAtEnd?.peakMegabytes
  if (resident !== undefined) {
    seen.push({ what: `${scenario.title}: resident at its highest`, seen: resident, atMost: 500, unit: 'MB' })
  }
  return seen
}

function aimLine({ what, seen, atMost, unit }: Aim): string {
  const verdict = seen <= atMost ? 'aim met' : 'AIM NOT MET'
  return `${verdict.padEnd(12)} ${what}: ${milliseconds(seen)} ${unit} (at most ${atMost} ${unit})`
}
