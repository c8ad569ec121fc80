/**
 * What the best candidate's sum says about whether there is an answer at all: a logistic map, fitted on some
 * conversations and judged on those held out. Every set and either kind of question counts the same, so one half means
 * "as likely as not".
 */
import { type Example, fitLogistic, type LogisticModel } from './logistic.js'
import { areaUnderCurve } from './metrics.js'

/** What was found for a question that has an answer, or has none. */
export interface TopCase {
  readonly set: string
  readonly answerable: boolean
  readonly sum: number
  readonly lead: number | null
}

export interface LeadFit {
  readonly weight: number
  readonly usualLead: number
}

export interface ScaleFit {
  readonly middle: number
  readonly slope: number
}

/** How much a lead counts beside the sum, and which lead says nothing. */
export function fitLead(cases: readonly TopCase[]): LeadFit {
  const model = fitLogistic(examplesOf(cases, ({ sum, lead }) => (lead === null ? [sum, 0, 0] : [sum, 1, lead])))
  const [perSum = 0, known = 0, perLead = 0] = model.slopes
  // One that does not help, or stands on a sum that does not, is not used.
  if (perSum <= 0 || perLead <= 0) return { weight: 0, usualLead: 0 }
  return { weight: perLead / perSum, usualLead: -known / perLead }
}

export function withLead({ sum, lead }: TopCase, { weight, usualLead }: LeadFit): number {
  return lead === null ? sum : sum + weight * (lead - usualLead)
}

export function fitScale(cases: readonly TopCase[], lead: LeadFit): ScaleFit {
  return scaleOf(fitLogistic(examplesOf(cases, (one) => [withLead(one, lead)])))
}

/** As a share; undefined where either kind of question is missing. */
export function areaOf(cases: readonly { readonly answerable: boolean; readonly score: number }[]): number | undefined {
  const scores = (answerable: boolean) => cases.filter((one) => one.answerable === answerable).map(({ score }) => score)
  const [high, low] = [scores(true), scores(false)]
  return high.length === 0 || low.length === 0 ? undefined : areaUnderCurve(high, low)
}

/** Mean squared error of the chance; a coin has 0.25. */
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

/** Shares of 1: the same for every set and either kind of question in it, however many questions there are. */
function evenShares(cases: readonly Pick<TopCase, 'set' | 'answerable'>[]): number[] {
  const counts = new Map<string, number>()
  const kinds = cases.map(({ set, answerable }) => `${set} ${answerable}`)
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return kinds.map((kind) => 1 / (counts.get(kind) ?? 1) / counts.size)
}
