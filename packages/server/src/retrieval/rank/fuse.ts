/**
 * Turns signals into one relevance in 0..1.
 *
 * It is a weighted sum of scores, not of ranks: reciprocal rank fusion orders well, but its numbers mean nothing outside their query,
 * and a threshold must mean the same for every query. A scale then turns the sum into roughly the probability that the memory is an
 * answer (ADR 5).
 */
import type { Candidate, Ranked, Signals } from './candidate.js'

/** A weight of 0 disables a signal. */
export interface FusionWeights {
  /** The shares of the two signals that find memories. If only one of them was used, it decides alone. */
  readonly semantic: number
  readonly keyword: number
  /** The most that a memory can gain. */
  readonly graph: number
  readonly reply: number
  /** The most that a memory can lose. */
  readonly speaker: number
  readonly subject: number
  readonly time: number
  readonly statement: number
  /**
   * How much it counts, for all memories alike, how far the memories of the named speaker are ahead of those of others. If the memories
   * of others fit better, the question probably asks one speaker about something that another one said.
   */
  readonly lead: number
}

/** Where the probability that a memory is an answer grows fastest with the sum, and how fast it grows there. */
export interface Scale {
  readonly middle: number
  readonly slope: number
  /** The sum if everything fits; without it 1. What the reranker is surest of adds nearly 1 to it. */
  readonly most?: number
}

export interface FusionSettings {
  readonly weights: FusionWeights
  /** How far the memories of a named speaker are usually ahead if there is an answer. */
  readonly usualLead: number
  /** How much the reranker's chance, as log odds, adds to the sum of a text of usual length. */
  readonly rerankWeight: number
  /** The share of log odds below zero that counts; without it all. */
  readonly doubts?: number
  /** Higher log odds count no more than this. */
  readonly mostOdds?: number
  /** Sums have another range if a part of them is missing, so each case has its own scale. */
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
    subject: 0.4,
    time: 0.15,
    statement: 0.02,
    lead: 0.5,
  },
  usualLead: 0.2,
  rerankWeight: 0.16,
  scales: {
    hybrid: { middle: 0.545, slope: 6 },
    semantic: { middle: 0.64, slope: 6 },
    keyword: { middle: 0.72, slope: 5 },
    rerank: { middle: 0.44, slope: 5.2, most: 1.96 },
  },
}

/** A remark has many words, few of which say what it brings to mind. */
const keywordsOfRemark = 1 / 3
/** Between that of both signals and that of meaning alone, as the sum is. */
const scaleOfRemark: Scale = { middle: 0.61, slope: 6 }

export function forRemarks(settings: FusionSettings): FusionSettings {
  const { weights, scales } = settings
  return {
    ...settings,
    weights: { ...weights, keyword: keywordsOfRemark * weights.keyword },
    scales: { ...scales, hybrid: scaleOfRemark },
  }
}

/** Measured with `npm run bench:languages` and MemDaily (docs/benchmarks/languages.md). */
const otherLanguages = { keyword: 0.4, rerankWeight: 0.04 } as const

/**
 * The models know other languages less well than English: the reader often takes a text about something of the same kind for the answer
 * ("the place of the film evening" for "the place of the dance evening"), while words are as good there as in English.
 */
export function forOtherLanguages(settings: FusionSettings): FusionSettings {
  const { weights } = settings
  const words = Math.max(weights.keyword, otherLanguages.keyword * (weights.semantic + weights.keyword))
  const counts = Math.min(settings.rerankWeight, otherLanguages.rerankWeight)
  return { ...settings, weights: withWords(weights, words), ...readerCounts(settings, counts) }
}

/** Chosen on SciFact and the searches of `npm run bench:recall` (docs/benchmarks/retrieval.md). */
const wordsOfStatement = 0.42

/** Who searches for "wifi password", or looks up a claim, uses the words of what is sought more often than who asks. */
export function forStatements(settings: FusionSettings): FusionSettings {
  return { ...settings, weights: withWords(settings.weights, wordsOfStatement) }
}

/** Chosen on LoCoMo and REALTALK (docs/benchmarks/retrieval.md). */
const ofNamedSpeaker = { keyword: 0.15, lead: 1 } as const

/**
 * A question about somebody's turns repeats their name, which every one of those turns has, and says the rest in other words. The reader
 * widens the range of the sums, so the lead counts for more beside it.
 */
export function forNamedSpeaker(settings: FusionSettings): FusionSettings {
  const { weights } = settings
  const lead = weights.lead > 0 ? ofNamedSpeaker.lead : 0
  return { ...settings, weights: { ...withWords(weights, ofNamedSpeaker.keyword), lead } }
}

/** A signal that is off stays off. */
function withWords(weights: FusionWeights, keyword: number): FusionWeights {
  const { semantic, keyword: before } = weights
  return semantic > 0 && before > 0 ? { ...weights, keyword, semantic: semantic + before - keyword } : weights
}

/** Chosen on LoCoMo, REALTALK and BEAM. The scale is fitted to their first ten memories and rounded. */
const ofTalk = { rerankWeight: 0.1, doubts: 0.3, mostOdds: 2, middle: 0.6, slope: 5 } as const

/**
 * In conversations the reader is less sure than among somebody's notes. A turn often answers without saying so, and a long text says much
 * besides. So its doubts count for less, and no more than a good chance counts.
 */
export function forTalk(settings: FusionSettings): FusionSettings {
  const { doubts, mostOdds, middle, slope } = ofTalk
  const rerankWeight = Math.min(settings.rerankWeight, ofTalk.rerankWeight)
  const rerank = { middle, slope, most: 1 + mostOdds * rerankWeight }
  return { ...settings, rerankWeight, doubts, mostOdds, scales: { ...settings.scales, rerank } }
}

function readerCounts({ scales, rerankWeight }: FusionSettings, counts: number) {
  const most = 1 + (((scales.rerank.most ?? 1) - 1) * counts) / (rerankWeight || 1)
  return { rerankWeight: counts, scales: { ...scales, rerank: { ...scales.rerank, most } } }
}

/** A cosine below zero counts as unrelated, like zero. */
export function semanticScore(cosine: number): number {
  return Math.min(1, Math.max(0, cosine))
}

/** k1 + 1 of BM25: the most that a word can count, in units of one mention in a memory of usual length. */
const mostPerWord = 2.2

/** How fast the score grows with the share; see ADR 5. */
const steepness = 1.2

/**
 * The score of a `share` of the best possible sum, on a scale that keeps growing: a memory of usual length that has every word of the
 * query once gets 0.7, and one with more mentions or fewer other words still gets more.
 */
export function keywordScore(share: number): number {
  return 1 - Math.exp(-steepness * mostPerWord * share)
}

export type Scores = { readonly [signal in keyof Signals]: number | null }

/** A power so high that only an identical or nearly identical text comes near 1. Such a text is the answer, whatever its keywords score. */
const sameness = 16

/** How well a memory fits by meaning and keywords only. */
export function ownScore({ semantic, keyword }: Pick<Scores, 'semantic' | 'keyword'>, weights: FusionWeights): number {
  const meaning = semantic === null || weights.semantic === 0 ? null : semantic
  const weight = (meaning === null ? 0 : weights.semantic) + (keyword === null ? 0 : weights.keyword)
  if (weight === 0) return 0
  const mean = (weights.semantic * (meaning ?? 0) + weights.keyword * (keyword ?? 0)) / weight
  return Math.max(mean, (meaning ?? 0) ** sameness)
}

/** `own` is the memory's `ownScore`, if it is already known. */
export function fusedScore(scores: Scores, weights: FusionWeights, own = ownScore(scores, weights)): number {
  const gained = weights.graph * (scores.graph ?? 0) + weights.reply * (scores.reply ?? 0)
  const lost =
    weights.speaker * (1 - (scores.speaker ?? 1)) +
    weights.subject * (1 - (scores.subject ?? 1)) +
    weights.time * (1 - (scores.time ?? 1)) +
    weights.statement * (1 - (scores.statement ?? 1))
  return own + gained - lost
}

/** Grows with the sum, and is 1 if everything fits. */
export function relevanceOf(fused: number, { middle, slope, most = 1 }: Scale): number {
  return steepened(Math.min(1, logistic(slope * (fused - middle)) / logistic(slope * (most - middle))))
}

/**
 * Below this chance a memory answers next to nothing, and its score falls faster. Otherwise the age of memories that hardly match would
 * decide which of them comes first: decay changes a score by a tenth, whatever the score.
 */
const hardly = 0.1
const steepnessBelow = 3

function steepened(chance: number): number {
  return chance >= hardly ? chance : hardly * (chance / hardly) ** steepnessBelow
}

/** The chance that a score stands for. */
export function chanceOf(score: number): number {
  return score >= hardly ? score : hardly * (score / hardly) ** (1 / steepnessBelow)
}

function logistic(value: number): number {
  return 1 / (1 + Math.exp(-value))
}

/** `namesSpeaker`: whether the question names somebody who said some of the user's memories. */
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
    subject: signals.subject?.score ?? null,
    time: signals.time?.score ?? null,
    reply: signals.reply?.score ?? null,
    statement: signals.statement?.score ?? null,
  }
}

function kindOf({ semantic, keyword }: Scores, weights: FusionWeights): 'hybrid' | 'semantic' | 'keyword' {
  if (keyword === null || weights.keyword === 0) return 'semantic'
  return semantic === null || weights.semantic === 0 ? 'keyword' : 'hybrid'
}

/** A larger lead says nothing more. */
const mostLead = 0.5

/** The lead of the named speaker over others. Null if the candidates have only one of the two. */
function leadOf(scored: readonly { scores: Scores; fused: number }[], weights: FusionWeights): number | null {
  let [own, others] = [-Infinity, -Infinity]
  for (const { scores, fused } of scored) {
    const fit = scores.speaker ?? 1
    // Without what it lost because of its speaker.
    const score = fused + weights.speaker * (1 - fit)
    if (fit === 1) own = Math.max(own, score)
    else others = Math.max(others, score)
  }
  if (own === -Infinity || others === -Infinity) return null
  return Math.min(mostLead, Math.max(-mostLead, own - others))
}

/** Ties go to the newer memory, then to the lower id, so that the order never depends on the engine. */
function byFused(a: Ranked, b: Ranked): number {
  return b.fused - a.fused || b.memory.createdAt - a.memory.createdAt || (a.memory.id < b.memory.id ? -1 : 1)
}
