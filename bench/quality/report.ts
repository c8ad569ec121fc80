/** The results as tables and as an object for a file. */
import { markdownTable } from '../table.js'
import type { SimilarityResult, TaskResult } from './measure.js'
import {
  abstentionArea,
  byCategory,
  metricColumns,
  type Outcome,
  recallCurve,
  type Summary,
  summarize,
} from './metrics.js'
import { recallPlot } from './plot.js'
import { isVariant } from './systems.js'
import { deepest } from './task.js'

export interface Report {
  /** By contender. */
  readonly models: Readonly<Record<string, string>>
  readonly full: boolean
  readonly tasks: readonly TaskResult[]
  readonly similarity: readonly SimilarityResult[]
  readonly skipped: readonly string[]
}

export function overview(tasks: readonly TaskResult[]): string {
  const rows = tasks.flatMap(({ task, outcomes }) =>
    [...outcomes].flatMap(([system, found]) => {
      const summary = summarize(found)
      return summary ? [row(`${task.title}: ${system}`, summary, abstentionArea(found))] : []
    }),
  )
  return markdownTable(['per cent', 'questions', ...metricColumns(), 'AUC'], rows)
}

export function categories({ task, outcomes }: TaskResult): string {
  const rows = [...outcomes].flatMap(([system, found]) =>
    Object.entries(byCategory(found)).map(([category, summary]) => row(`${category}: ${system}`, summary, undefined)),
  )
  return markdownTable(
    [task.title, 'questions', ...metricColumns(), ''],
    rows.sort(([a = ''], [b = '']) => compareCategories(a, b)),
  )
}

/** By category; systems keep their order within it. */
function compareCategories(a: string, b: string): number {
  const [first = '', second = ''] = [a.split(': ')[0], b.split(': ')[0]]
  return first < second ? -1 : first > second ? 1 : 0
}

export function sizeLine({ task, corpora, documents, seconds, outcomes }: TaskResult, full: boolean): string {
  const [found = []] = outcomes.values()
  const unanswerable = found.filter(({ answerable }) => !answerable).length
  const asked = `${found.length - unanswerable} questions${unanswerable > 0 ? ` and ${unanswerable} without an answer` : ''}`
  const split = full ? 'all' : task.smallSplit
  return `${task.title} (${split}): users ${corpora}, memories ${documents}, ${asked}; ${seconds.toFixed(0)} s`
}

export function similarityLine({ contender, pairs, spearman }: SimilarityResult): string {
  return `STS-B test, ${pairs} pairs, ${contender}: Spearman ${percent(spearman)}`
}

/** One chart per task. */
export function plots(tasks: readonly TaskResult[]): { readonly name: string; readonly svg: string }[] {
  return tasks.map(({ task, outcomes }) => {
    const curves = [...outcomes].map(([name, found]) => ({
      name,
      shares: recallCurve(found, deepest),
      minor: isVariant(name),
    }))
    return { name: task.name, svg: recallPlot(task.title, curves) }
  })
}

export function json({ models, full, tasks, similarity, skipped }: Report) {
  return {
    models,
    split: full ? 'full' : 'small',
    skipped,
    stsb: similarity,
    tasks: tasks.map(({ task, corpora, documents, seconds, outcomes }) => ({
      name: task.name,
      title: task.title,
      split: full ? 'all' : task.smallSplit,
      corpora,
      documents,
      seconds: Math.round(seconds),
      systems: [...outcomes].map(([name, found]) => ({
        name,
        ...summarize(found),
        anyAt: recallCurve(found, deepest),
        abstentionArea: abstentionArea(found) ?? null,
        byCategory: byCategory(found),
        outcomes: found.map(compact),
      })),
    })),
  }
}

/** Enough to compare two runs question by question. */
function compact({ id, goldCount, ranks, topScore, answerable }: Outcome) {
  return answerable ? { id, goldCount, ranks, topScore } : { id, answerable, topScore }
}

function row(label: string, { questions, metrics }: Summary, area: number | undefined): string[] {
  return [
    label,
    String(questions),
    ...metricColumns().map((name) => percent(metrics[name])),
    area === undefined ? '' : percent(area),
  ]
}

function percent(share: number): string {
  return (share * 100).toFixed(1)
}
