/**
 * What the best candidate says about whether there is an answer at all: a logistic map of its relevance, fitted on some
 * conversations and judged on those held out. Every set and either kind of question counts the same, so one half means
 * "as likely as not". Beside it, what the best candidate's single signals would say together.
 */
import { markdownTable } from '../table.js'
import { chanceOf, type Example, fitLogistic } from './logistic.js'
import { areaUnderCurve } from './metrics.js'

export interface AnswerableCase {
  readonly set: string
  readonly answerable: boolean
  /** Relevance of the best candidate. */
  readonly top: number
  /** Its signals. */
  readonly signals: readonly number[]
}

interface Judged {
  readonly set: string
  readonly answerable: boolean
  readonly score: number
}

/** `parts`: held out one after the other. */
export function calibrate(parts: readonly (readonly AnswerableCase[])[]): string {
  const sets = new Set(parts.flatMap((part) => part.filter(({ answerable }) => !answerable).map(({ set }) => set)))
  if (sets.size === 0) return 'No question without an answer: nothing to calibrate.'
  const used = parts.map((part) => part.filter(({ set }) => sets.has(set)))
  const asFound = used.map((part) => part.map(({ set, answerable, top }) => ({ set, answerable, score: top })))
  const byRelevance = chancesHeldOut(used, ({ top }) => [top])
  const bySignals = chancesHeldOut(used, ({ top, signals }) => [top, ...signals])
  const rows = [...sets].flatMap((set) => [
    areasRow(`${set}: top relevance`, set, asFound),
    areasRow(`${set}: relevance and signals of the best, fitted`, set, bySignals),
  ])
  const { bias, slopes } = fitLogistic(examplesOf(used.flat(), ({ top }) => [top]))
  const [slope = 0] = slopes
  return `${markdownTable(['AUC, held out', ...parts.map((_, index) => `part ${index + 1}`), 'all'], rows)}

Chance of an answer = 1 / (1 + exp(-(${bias.toFixed(3)} + ${slope.toFixed(3)} × top relevance))); one half at ${(-bias / slope).toFixed(3)}.
Mean squared error of the chance on what was held out: ${meanError(byRelevance.flat()).toFixed(3)} (a coin has 0.250).`
}

/** Of each part, by a map that was fitted on the others. */
function chancesHeldOut(
  parts: readonly (readonly AnswerableCase[])[],
  featuresOf: (one: AnswerableCase) => readonly number[],
): Judged[][] {
  return parts.map((part) => {
    const others = parts.filter((other) => other !== part).flat()
    const model = fitLogistic(examplesOf(others, featuresOf))
    return part.map((one) => ({
      set: one.set,
      answerable: one.answerable,
      score: chanceOf(model, featuresOf(one)),
    }))
  })
}

function examplesOf(
  cases: readonly AnswerableCase[],
  featuresOf: (one: AnswerableCase) => readonly number[],
): Example[] {
  const shares = evenShares(cases)
  return cases.map((one, index) => ({
    features: featuresOf(one),
    positive: one.answerable,
    weight: (shares[index] ?? 0) * cases.length,
  }))
}

function areasRow(label: string, set: string, parts: readonly (readonly Judged[])[]): string[] {
  return [label, ...[...parts, parts.flat()].map((part) => areaOf(part.filter((one) => one.set === set)))]
}

/** Per cent; empty where either kind of question is missing. */
function areaOf(cases: readonly Judged[]): string {
  const scores = (answerable: boolean) => cases.filter((one) => one.answerable === answerable).map(({ score }) => score)
  const [high, low] = [scores(true), scores(false)]
  return high.length === 0 || low.length === 0 ? '' : (areaUnderCurve(high, low) * 100).toFixed(1)
}

function meanError(cases: readonly Judged[]): number {
  const shares = evenShares(cases)
  return cases.reduce(
    (sum, { answerable, score }, index) => sum + (shares[index] ?? 0) * (score - (answerable ? 1 : 0)) ** 2,
    0,
  )
}

/** Shares of 1: the same for every set and either kind of question in it, however many questions there are. */
function evenShares(cases: readonly Pick<AnswerableCase, 'set' | 'answerable'>[]): number[] {
  const counts = new Map<string, number>()
  const kinds = cases.map(({ set, answerable }) => `${set} ${answerable}`)
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return kinds.map((kind) => 1 / (counts.get(kind) ?? 1) / counts.size)
}
