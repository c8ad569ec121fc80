import { type DecaySettings, type DecaySubject, decayFactor, decayOf } from '../../core/decay.js'
import { trustFactor } from '../../core/trust.js'
import type { Ranked, Weighed } from './candidate.js'

/**
 * Scores are rounded so that both engines and every platform show the same number: to six decimals, small ones to five digits, because
 * memories that hardly match have an order too.
 */
function rounded(score: number): number {
  return score >= 0.1 ? Math.round(score * 1e6) / 1e6 : Number(score.toPrecision(5))
}

/** Lowers the score of old and unused memories, and of those that content protection doubts. */
export function weigh(
  ranked: readonly Ranked[],
  settings: DecaySettings,
  now: number,
  subjectOf: (candidate: Ranked) => DecaySubject,
): Weighed[] {
  const scored = ranked.map((candidate) => {
    return { candidate, decayScore: decayOf(subjectOf(candidate), settings, now).decayScore }
  })
  const trusted = ranked.map(({ memory }) => memory.trustScore).sort((a, b) => b - a)
  const fresher = scored.map(({ decayScore }) => decayScore).sort((a, b) => b - a)
  return scored
    .map(({ candidate, decayScore }) => {
      const { trustScore } = candidate.memory
      const weight = decayFactor(decayScore) * trustFactor(trustScore)
      const score = rounded(candidate.relevance * weight)
      const decayRank = fresher.indexOf(decayScore) + 1
      const trustRank = trusted.indexOf(trustScore) + 1
      return { ...candidate, decayScore, decayRank, trustRank, score }
    })
    .sort(
      (a, b) => b.score - a.score || b.memory.createdAt - a.memory.createdAt || (a.memory.id < b.memory.id ? -1 : 1),
    )
}
