/** Totals as tables, and failed questions as text. */
import { markdownTable } from '../table.js'
import type { Person, Plan, Question } from './cases.js'
import type { PlanScore, QuestionScore, Reliability, Result, Share, Totals } from './score.js'

export interface DoorResult {
  /** The door, and the options that change what is measured. */
  readonly title: string
  readonly seconds: number
  readonly refused: number
  readonly threshold: number
  readonly totals: Totals
  readonly asked: readonly Asked[]
  readonly planned: readonly Planned[]
}

export interface Asked {
  readonly person: Person
  readonly question: Question
  readonly results: readonly Result[]
  readonly score: QuestionScore
}

export interface Planned {
  readonly person: Person
  readonly plan: Plan
  readonly context: string
  readonly score: PlanScore
}

/** Without any text of a case. */
export function totalsText(result: DoorResult): string {
  const { title, seconds, refused, threshold, totals } = result
  const recommended = totals.thresholds.find((one) => one.threshold === threshold)
  const figures: [string, string, string][] = [
    ['right first', percentOf(totals.all.first), '≥ 80'],
    ['in the top 3', percentOf(totals.all.inThree), '≥ 90'],
    ['outdated first', percentOf(totals.all.outdatedFirst), '≤ 5'],
    ['somebody else’s for “I”', percentOf(totals.othersForMe), '≤ 3'],
    ['both of two in the top 5', percentOf(totals.bothInFive), ''],
    ['abstention: AUC', totals.abstentionArea?.toFixed(3) ?? '–', '≥ 0.88'],
    [`– answers kept at ${threshold}`, recommended ? percentOf(recommended.kept) : '–', '≥ 85'],
    [`– unanswerable silent at ${threshold}`, recommended ? percentOf(recommended.silent) : '–', '≥ 75'],
    ['reliability error', totals.reliability.error.toFixed(3), '≤ 0.05'],
    ['– of first results', totals.reliabilityOfFirst.error.toFixed(3), ''],
    ['plans with all needs in 500 tokens', percentOf(totals.plansCovered), '≥ 85'],
    ['– needs', percentOf(totals.needsCovered), ''],
  ]
  return [
    markdownTable([title, '', 'target'], figures),
    categoryTable(totals),
    markdownTable(
      ['threshold', 'answers kept', 'unanswerable silent'],
      totals.thresholds.map((one) => [String(one.threshold), percentOf(one.kept), percentOf(one.silent)]),
    ),
    reliabilityTable('scores of all results', totals.reliability),
    reliabilityTable('scores of first results', totals.reliabilityOfFirst),
    `${refused} turns refused; ${seconds.toFixed(0)} s`,
  ].join('\n\n')
}

function categoryTable({ categories, all }: Totals): string {
  return markdownTable(
    ['category', 'questions', 'first', 'top 3', 'top 10', 'outdated first', 'forbidden first'],
    [...categories, all].map(({ category, first, inThree, inTen, outdatedFirst, forbiddenFirst }) => [
      category,
      String(first.of),
      ...[first, inThree, inTen].map(percentOf),
      ...[outdatedFirst, forbiddenFirst].map((share) => (share.of === 0 ? '' : `${share.count} of ${share.of}`)),
    ]),
  )
}

function reliabilityTable(title: string, { bins }: Reliability): string {
  return markdownTable(
    [title, 'results', 'mean score', 'right'],
    bins.map(({ from, count, meanScore, right }) => [
      `from ${from.toFixed(1)}`,
      String(count),
      meanScore.toFixed(3),
      right.toFixed(3),
    ]),
  )
}

function percentOf({ count, of }: Share): string {
  return of === 0 ? '–' : ((100 * count) / of).toFixed(1)
}

/** Without any text of a case. */
export function totalsJson({ title, seconds, refused, threshold, totals }: DoorResult): object {
  return { title, seconds, refused, threshold, ...totals }
}

export function openJson(result: DoorResult): object {
  const asked = result.asked.map(({ person, question, results, score }) => {
    return { id: person.id, ...question, rank: finite(score.rank), completeAt: finite(score.completeAt), results }
  })
  const planned = result.planned.map(({ person, plan, context, score }) => {
    return { id: person.id, ask: plan.ask, missing: score.missing, context }
  })
  return { ...totalsJson(result), asked, planned }
}

function finite(rank: number): number | null {
  return Number.isFinite(rank) ? rank : null
}

const shownResults = 3

export function failuresText({ asked, planned, threshold }: DoorResult): string {
  return [
    ...asked.flatMap((one) => (isFailed(one, threshold) ? [failedQuestion(one)] : [])),
    ...planned.flatMap((one) => (one.score.missing.length > 0 ? [failedPlan(one)] : [])),
  ].join('\n')
}

function isFailed({ question, score }: Asked, threshold: number): boolean {
  if (question.category === 'unanswerable') return (score.scores[0] ?? 0) >= threshold
  return score.rank > 1 || (question.category === 'two' && score.completeAt > 5)
}

function failedQuestion({ person, question, results, score }: Asked): string {
  const found = Number.isFinite(score.rank) ? `rank ${score.rank}` : 'not found'
  const complete = question.answers.length > 1 ? `, complete at ${finite(score.completeAt) ?? 'none'}` : ''
  const wanted = question.answers.map(({ turn }) => `    wanted: ${person.turns[turn]?.content}`)
  const shown = results.slice(0, shownResults).map((result, index) => {
    return `    ${result.score.toFixed(3)} ${kindOf(question, result, score.right[index])} ${result.content}`
  })
  return [`✗ ${person.id} ${question.category}: ${question.ask} (${found}${complete})`, ...wanted, ...shown].join('\n')
}

function kindOf({ outdated, forbidden }: Question, { turns }: Result, right = false): string {
  if (right) return '[right]'
  if (turns.some((turn) => outdated.includes(turn))) return '[outdated]'
  return turns.some((turn) => forbidden.includes(turn)) ? '[forbidden]' : '[other]'
}

function failedPlan({ person, plan, context, score }: Planned): string {
  const lines = context.split('\n').map((line) => `    ${line}`)
  return [`✗ ${person.id} plan: ${plan.ask}`, `    missing: ${score.missing.join(' | ')}`, ...lines].join('\n')
}
