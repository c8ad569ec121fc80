/**
 * Whether the score of the best candidate shows that there is an answer at all: a logistic map, fitted on some
 * conversations and evaluated on the held-out ones. In every set, questions with an answer have the same total weight
 * as those without, so 0.5 means "as likely as not"; a set is weighted by its number of questions without an answer.
 */
import type { Top } from './fuse-again.js'
import { chanceOf, type Example, fitLogistic, type LogisticModel } from './logistic.js'
import { areaUnderCurve } from './metrics.js'

/** The result for a question that has an answer, or has none. */
export interface TopCase extends Top {
  readonly set: string
  readonly answerable: boolean
}

export interface LeadFit {
  readonly weight: number
  readonly usualLead: number
}

export interface ScaleFit {
  readonly middle: number
  readonly slope: number
}

const leadWeights = [0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6]
const usualLeads = [-0.1, -0.05, 0, 0.05, 0.1, 0.15, 0.2]

/**
 * The weight of a lead relative to the sum, and the lead that is neutral: the values that best predict whether there is
 * an answer.
 */
export function fitLead(cases: readonly TopCase[]): LeadFit {
  let best = { fit: { weight: 0, usualLead: 0 }, area: -1 }
  for (const weight of leadWeights) {
    for (const usualLead of weight === 0 ? [0] : usualLeads) {
      const area = meanArea(cases, { weight, usualLead })
      if (area > best.area + 1e-9) best = { fit: { weight, usualLead }, area }
    }
  }
  return best.fit
}

/** Over all sets, each weighted by its number of questions without an answer. */
function meanArea(cases: readonly TopCase[], lead: LeadFit): number {
  let [sum, count] = [0, 0]
  for (const set of new Set(cases.map((one) => one.set))) {
    const ofSet = cases.filter((one) => one.set === set)
    const area = areaOf(ofSet.map((one) => ({ answerable: one.answerable, score: withLead(one, lead) })))
    if (area === undefined) continue
    const unanswerable = ofSet.filter(({ answerable }) => !answerable).length
    sum += area * unanswerable
    count += unanswerable
  }
  return count === 0 ? 0 : sum / count
}

/** Everything known about the best candidate. */
function featuresOf({ sum, lead, others }: TopCase): number[] {
  return [sum, lead === null ? 0 : 1, lead ?? 0, ...others]
}

/** How much better a map over all features could be. */
export function chancesByAll(learned: readonly TopCase[], judged: readonly TopCase[]): number[] {
  const model = fitLogistic(examplesOf(learned, featuresOf))
  return judged.map((one) => chanceOf(model, featuresOf(one)))
}

/** The effect of a typical difference in each of `featuresOf` on the log odds. */
export function whatTells(cases: readonly TopCase[]): number[] {
  const rows = cases.map(featuresOf)
  return fitLogistic(examplesOf(cases, featuresOf)).slopes.map((slope, index) => {
    const values = rows.map((row) => row[index] ?? 0)
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    return slope * Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
  })
}

export function withLead({ sum, lead }: Pick<TopCase, 'sum' | 'lead'>, { weight, usualLead }: LeadFit): number {
  return lead === null ? sum : sum + weight * (lead - usualLead)
}

export function fitScale(cases: readonly TopCase[], lead: LeadFit): ScaleFit {
  return scaleOf(fitLogistic(examplesOf(cases, (one) => [withLead(one, lead)])))
}

/** From 0 to 1; undefined if either kind of question is missing. */
export function areaOf(cases: readonly { readonly answerable: boolean; readonly score: number }[]): number | undefined {
  const scores = (answerable: boolean) => cases.filter((one) => one.answerable === answerable).map(({ score }) => score)
  const [high, low] = [scores(true), scores(false)]
  return high.length === 0 || low.length === 0 ? undefined : areaUnderCurve(high, low)
}

/** Mean squared error of the predicted chance; a coin toss has 0.25. */
export function errorOf(cases: readonly TopCase[], lead: LeadFit, { middle, slope }: ScaleFit): number {
  const shares = evenShares(cases)
  return cases.reduce((sum, one, index) => {
    const chance = 1 / (1 + Math.exp(-slope * (withLead(one, lead) - middle)))
    return sum + (shares[index] ?? 0) * (chance - (one.answerable ? 1 : 0)) ** 2
  }, 0)
}

function scaleOf({ bias, slopes: [slope = 0] }: LogisticModel): ScaleFit {
  return { middle: -bias / slope, slope }
}

function examplesOf(cases: readonly TopCase[], featuresOf: (one: TopCase) => readonly number[]): Example[] {
  const shares = evenShares(cases)
  return cases.map((one, index) => ({
    features: featuresOf(one),
    positive: one.answerable,
    weight: (shares[index] ?? 0) * cases.length,
  }))
}

/** Weights that sum to 1. */
function evenShares(cases: readonly Pick<TopCase, 'set' | 'answerable'>[]): number[] {
  const count = (set: string, answerable: boolean) =>
    cases.filter((one) => one.set === set && one.answerable === answerable).length
  const counts = new Map(
    [...new Set(cases.map(({ set }) => set))].map((set) => [set, [count(set, true), count(set, false)]]),
  )
  const weights = cases.map(({ set, answerable }) => {
    const [answered = 0, unanswered = 0] = counts.get(set) ?? []
    return answerable ? unanswered / answered : 1
  })
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
}
