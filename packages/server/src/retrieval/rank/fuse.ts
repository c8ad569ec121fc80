/**
 * From signals to one relevance in 0..1.
 *
 * A weighted sum of scores, not of ranks: reciprocal rank fusion orders well, but its numbers mean nothing outside
 * their own query, and a threshold must mean the same everywhere. A scale then turns the sum into about the chance
 * that the memory is an answer (ADR 5).
 */
import type { Candidate, Ranked, Signals } from './candidate.js'

/** A weight of 0 leaves a signal out. */
export interface FusionWeights {
  /** Shares of the two that find memories. What only one of them was asked for, that one decides. */
  readonly semantic: number
  readonly keyword: number
  /** What a memory gains at most. */
  readonly graph: number
  readonly reply: number
  /** What a memory loses at most. */
  readonly speaker: number
  readonly time: number
  readonly statement: number
  /**
   * What counts, for all memories alike, of how far those of the speaker that a question names are ahead of what others
   * said. Where others' fit better, the question is likely to ask one speaker for what another said.
   */
  readonly lead: number
}

/** Where the chance that a memory is an answer grows fastest with the sum, and how fast. */
export interface Scale {
  readonly middle: number
  readonly slope: number
}

export interface FusionSettings {
  readonly weights: FusionWeights
  /** How far a named speaker's memories usually are ahead where there is an answer. */
  readonly usualLead: number
  /** What a reranker's score counts in the sum, of a text of usual length. */
  readonly rerankShare: number
  /** The sum lies elsewhere when a part of it is missing. */
  readonly scales: Readonly<Record<'hybrid' | 'semantic' | 'keyword' | 'rerank', Scale>>
}

/** Learned on development data, by held-out conversations (`npm run bench:learn`, docs/benchmarks.md). */
export const defaultFusion: FusionSettings = {
  weights: {
    semantic: 0.7,
    keyword: 0.3,
    graph: 0.02,
    reply: 0.15,
    speaker: 0.1,
    time: 0.15,
    statement: 0.02,
    lead: 0.5,
  },
  usualLead: 0.2,
  rerankShare: 0.3,
  scales: {
    hybrid: { middle: 0.545, slope: 6 },
    semantic: { middle: 0.64, slope: 6 },
    keyword: { middle: 0.72, slope: 5 },
    rerank: { middle: 0.535, slope: 5.5 },
  },
}

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

export type Scores = { readonly [signal in keyof Signals]: number | null }

/** So high a power that only the same text, or nearly the same, comes near 1: it is what was asked for, whatever its words. */
const sameness = 16

/** How well a memory fits by itself: by meaning and words alone. */
export function ownScore({ semantic, keyword }: Pick<Scores, 'semantic' | 'keyword'>, weights: FusionWeights): number {
  const meaning = semantic === null || weights.semantic === 0 ? null : semantic
  const weight = (meaning === null ? 0 : weights.semantic) + (keyword === null ? 0 : weights.keyword)
  if (weight === 0) return 0
  const mean = (weights.semantic * (meaning ?? 0) + weights.keyword * (keyword ?? 0)) / weight
  return Math.max(mean, (meaning ?? 0) ** sameness)
}

/** `own`: the memory's `ownScore`, where it is known already. */
export function fusedScore(scores: Scores, weights: FusionWeights, own = ownScore(scores, weights)): number {
  const gained = weights.graph * (scores.graph ?? 0) + weights.reply * (scores.reply ?? 0)
  const lost =
    weights.speaker * (1 - (scores.speaker ?? 1)) +
    weights.time * (1 - (scores.time ?? 1)) +
    weights.statement * (1 - (scores.statement ?? 1))
  return own + gained - lost
}

/** Grows with the sum without end below, and is 1 where all fits. */
export function relevanceOf(fused: number, { middle, slope }: Scale): number {
  return Math.min(1, logistic(slope * (fused - middle)) / logistic(slope * (1 - middle)))
}

function logistic(value: number): number {
  return 1 / (1 + Math.exp(-value))
}

/** `namesSpeaker`: the question names somebody who said some of the user's memories. */
export function fuse(
  candidates: readonly Candidate[],
  settings: FusionSettings,
  namesSpeaker: boolean,
): readonly Ranked[] {
  const { weights, scales } = settings
  const scored = candidates.map((candidate) => {
    const scores = scoresOf(candidate.signals)
    return { candidate, scores, fused: fusedScore(scores, weights) }
  })
  const lead = namesSpeaker ? leadOf(scored, weights) : null
  const shift = lead === null ? 0 : weights.lead * (lead - settings.usualLead)
  return scored
    .map(({ candidate: { row, memory, signals }, scores, fused }) => {
      const relevance = relevanceOf(fused + shift, scales[kindOf(scores, weights)])
      return { row, memory, signals, rerank: null, fused: fused + shift, relevance }
    })
    .sort(byFused)
}

function scoresOf(signals: Signals): Scores {
  return {
    semantic: signals.semantic?.score ?? null,
    keyword: signals.keyword?.score ?? null,
    graph: signals.graph?.score ?? null,
    speaker: signals.speaker?.score ?? null,
    time: signals.time?.score ?? null,
    reply: signals.reply?.score ?? null,
    statement: signals.statement?.score ?? null,
  }
}

function kindOf({ semantic, keyword }: Scores, weights: FusionWeights): 'hybrid' | 'semantic' | 'keyword' {
  if (keyword === null || weights.keyword === 0) return 'semantic'
  return semantic === null || weights.semantic === 0 ? 'keyword' : 'hybrid'
}

/** No lead tells more than this. */
const mostLead = 0.5

/** Null where only one kind is among the candidates. */
function leadOf(scored: readonly { scores: Scores; fused: number }[], weights: FusionWeights): number | null {
  let [own, others] = [-Infinity, -Infinity]
  for (const { scores, fused } of scored) {
    const fit = scores.speaker ?? 1
    // Without what it lost for who said it.
    const score = fused + weights.speaker * (1 - fit)
    if (fit === 1) own = Math.max(own, score)
    else others = Math.max(others, score)
  }
  if (own === -Infinity || others === -Infinity) return null
  return Math.min(mostLead, Math.max(-mostLead, own - others))
}

/** Ties go to the newer memory, then to the id, so that an order never depends on the engine. */
function byFused(a: Ranked, b: Ranked): number {
  return b.fused - a.fused || b.memory.createdAt - a.memory.createdAt || (a.memory.id < b.memory.id ? -1 : 1)
}
