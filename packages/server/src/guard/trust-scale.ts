/**
 * The scale of trust scores. Findings multiply: each leaves a share of the trust. The scale puts the two limits of that product at fixed
 * scores, so that the limits can be tuned without a change of anybody's settings.
 */
import { ordinaryTrust } from '../core/trust.js'

/** A smaller product is near certain to be an attack, and scores below 0.5, the default of `SERVICE_TRUST_SCORE_THRESHOLD`. */
const certainProduct = 0.26
const certainScore = 0.5
/** A smaller product is doubtful, and scores below 0.65, the default of `SERVICE_TRUST_FLAG_THRESHOLD`. */
const doubtfulProduct = 0.8
export const doubtfulScore = 0.65
/** Two ordinary turns look suspicious together more often than one alone, so they must score lower than this. */
export const togetherScore = 0.6
/** A text that only reports one attack is not of low trust. */
const reportedProduct = 0.84

const points: readonly (readonly [product: number, score: number])[] = [
  [0, 0],
  [certainProduct, certainScore],
  [doubtfulProduct, doubtfulScore],
  [reportedProduct, ordinaryTrust],
  [1, 1],
]

/** Linear between the points; four digits. */
export function trustScoreOf(product: number): number {
  const next = Math.max(
    1,
    points.findIndex(([limit]) => product <= limit),
  )
  const [[fromProduct, fromScore] = [0, 0], [toProduct, toScore] = [1, 1]] = points.slice(next - 1, next + 1)
  const score = fromScore + ((product - fromProduct) / (toProduct - fromProduct)) * (toScore - fromScore)
  return Math.round(score * 1e4) / 1e4
}
