import { type DecaySettings, type DecaySubject, decayFactor, decayOf } from '../core/decay.js'
import type { Ranked, Weighed } from './candidate.js'

/** Scores are rounded so that both engines and every platform show the same number. */
const precision = 1e6

export function weighByDecay(
  ranked: readonly Ranked[],
  settings: DecaySettings,
  now: number,
  subjectOf: (candidate: Ranked) => DecaySubject,
): Weighed[] {
  const scored = ranked.map((candidate) => {
    return { candidate, decayScore: decayOf(subjectOf(candidate), settings, now).decayScore }
  })
  const fresher = scored.map(({ decayScore }) => decayScore).sort((a, b) => b - a)
  return scored
    .map(({ candidate: { row, memory, signals, rerank, fused, relevance }, decayScore }) => {
      const score = Math.round(relevance * decayFactor(decayScore) * precision) / precision
      const decayRank = fresher.indexOf(decayScore) + 1
      return { row, memory, signals, rerank, fused, relevance, decayScore, decayRank, score }
    })
    .sort(
      (a, b) => b.score - a.score || b.memory.createdAt - a.memory.createdAt || (a.memory.id < b.memory.id ? -1 : 1),
    )
}
