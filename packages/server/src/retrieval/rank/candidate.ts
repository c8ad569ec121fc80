import type { BareMemory } from '../../core/memory.js'

/** One signal's word on a memory: a score in 0..1 and the rank it gives among the candidates (1 is best). */
export interface Signal {
  readonly score: number
  readonly rank: number | null
}

/** What each signal says of a memory. Null: the signal was not asked, or the question gives it nothing to tell. */
export interface Signals {
  /** How near its meaning is to the question's. */
  readonly semantic: Signal | null
  /** How many of the question's words it has. */
  readonly keyword: Signal | null
  /** Whether it is about an entity that the question names, or about a neighbour of one. */
  readonly graph: Signal | null
  /** Whether those said it whom the question is about. */
  readonly speaker: Signal | null
  /** Whether it was said, or speaks of, when the question asks about. */
  readonly time: Signal | null
  /** Whether it answers somebody who asked much the same. */
  readonly reply: Signal | null
  /** Whether it tells something, rather than asks. */
  readonly statement: Signal | null
}

/** A version that may answer. */
export interface Candidate {
  readonly row: number
  readonly memory: BareMemory
  readonly signals: Signals
}

export interface Ranked extends Candidate {
  readonly rerank: Signal | null
  /** The signals as one number, about 0 to 1: orders candidates, and is turned into the relevance. */
  readonly fused: number
  /** Relevance in 0..1 before decay and trust. */
  readonly relevance: number
}

export interface Weighed extends Ranked {
  readonly decayScore: number
  /** 1 is the least decayed of the candidates. */
  readonly decayRank: number
  /** 1 is the most trusted of the candidates. */
  readonly trustRank: number
  /** What the caller sees: relevance weighed by decay and trust. */
  readonly score: number
}
