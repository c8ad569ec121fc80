import type { BareMemory } from '../core/memory.js'

/** One signal's word on a memory: a score in 0..1 and the rank it gives among the candidates (1 is best). */
export interface Signal {
  readonly score: number
  readonly rank: number | null
}

/** A version that may answer, with what each signal says of it. Null: the signal was not asked. */
export interface Candidate {
  readonly row: number
  readonly memory: BareMemory
  readonly semantic: Signal | null
  readonly keyword: Signal | null
  readonly graph: Signal | null
}

export interface Ranked extends Candidate {
  readonly rerank: Signal | null
  /** Relevance in 0..1 before decay. */
  readonly relevance: number
}

export interface Weighed extends Ranked {
  readonly decayScore: number
  /** 1 is the least decayed of the candidates. */
  readonly decayRank: number
  /** What the caller sees: relevance weighed by decay. */
  readonly score: number
}
