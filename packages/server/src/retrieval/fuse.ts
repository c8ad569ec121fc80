/**
 * From signals to one relevance in 0..1.
 *
 * A weighted sum of calibrated scores, not of ranks: reciprocal rank fusion orders well, but its numbers
 * mean nothing outside their own query, and a threshold must mean the same everywhere (ADR 5).
 */
import type { Candidate, Ranked, Signal } from './candidate.js'

export interface FusionWeights {
  readonly semantic: number
  readonly keyword: number
  /** Share of the distance to 1 that a memory of a named entity gains. */
  readonly graph: number
}

export const defaultWeights: FusionWeights = { semantic: 0.45, keyword: 0.55, graph: 0.1 }

/** A cosine below zero is as unrelated as zero. */
export function semanticScore(cosine: number): number {
  return Math.min(1, Math.max(0, cosine))
}

/** k1 + 1 of BM25: what a word counts at most, in units of one mention in a memory of usual length. */
const mostPerWord = 2.2

/** How fast a match of all words counts for much; see ADR 5. */
const steepness = 1.2

/**
 * `share` of the best possible sum, on a scale that keeps growing: a memory of usual length that has every word of the
 * query once gets 0.7, and one that says them more often, or in fewer words, still gets more.
 */
export function keywordScore(share: number): number {
  return 1 - Math.exp(-steepness * mostPerWord * share)
}

export function relevanceOf(
  signals: { readonly semantic: number | null; readonly keyword: number | null; readonly graph: number },
  weights: FusionWeights,
): number {
  let sum = 0
  let weight = 0
  if (signals.semantic !== null) {
    sum += weights.semantic * signals.semantic
    weight += weights.semantic
  }
  if (signals.keyword !== null) {
    sum += weights.keyword * signals.keyword
    weight += weights.keyword
  }
  const base = weight === 0 ? 0 : sum / weight
  return base + (1 - base) * weights.graph * signals.graph
}

export function fuse(candidates: readonly Candidate[], weights: FusionWeights): Ranked[] {
  return candidates
    .map((candidate) => ({
      ...candidate,
      rerank: null,
      relevance: relevanceOf(
        {
          semantic: scoreOf(candidate.semantic),
          keyword: scoreOf(candidate.keyword),
          graph: scoreOf(candidate.graph) ?? 0,
        },
        weights,
      ),
    }))
    .sort(byRelevance)
}

function scoreOf(signal: Signal | null): number | null {
  return signal === null ? null : signal.score
}

/** Ties go to the newer memory, then to the id, so that an order never depends on the engine. */
export function byRelevance(a: Ranked, b: Ranked): number {
  return b.relevance - a.relevance || b.memory.createdAt - a.memory.createdAt || (a.memory.id < b.memory.id ? -1 : 1)
}
