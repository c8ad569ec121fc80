import type { BareMemory } from '../../core/memory.js'

/** The result of one signal for a memory: a score in 0..1, and the rank among the candidates (1 is best). */
export interface Signal {
  readonly score: number
  readonly rank: number | null
}

/** All signals of a memory. Null if a signal was not used, or the question gives it nothing to go by. */
export interface Signals {
  /** How near its meaning is to that of the question. */
  readonly semantic: Signal | null
  /** How many of the question's words it has. */
  readonly keyword: Signal | null
  /** Whether it is about an entity in the question, or about a neighbour of one. */
  readonly graph: Signal | null
  /** Whether a person whom the question is about said it. */
  readonly speaker: Signal | null
  /** Whether a note of the user is about the person whom the question is about. */
  readonly subject: Signal | null
  /** Whether it was said at, or mentions, the time that the question asks about. */
  readonly time: Signal | null
  /** Whether it answers somebody who asked a similar question. */
  readonly reply: Signal | null
  /** Whether it states something rather than asks. */
  readonly statement: Signal | null
}

/** A version that may answer the question. */
export interface Candidate {
  readonly row: number
  readonly memory: BareMemory
  readonly signals: Signals
}

export interface Ranked extends Candidate {
  readonly rerank: Signal | null
  /** By id of each memory that this one may change: the chance that this one answers, read together with it. */
  readonly asChange?: ReadonlyMap<string, number>
  /** The signals as one number, about 0 to 1. It orders the candidates and becomes the relevance. */
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
  /** The score that the caller sees: relevance weighed by decay and trust. */
  readonly score: number
}

/** The query repeats the memory: it asks for this one, whatever would answer it better. */
export function isRepeated({ memory, signals }: Pick<Candidate, 'memory' | 'signals'>, query: string): boolean {
  return memory.content.trim() === query.trim() || (signals.semantic?.score ?? 0) >= 0.97
}
