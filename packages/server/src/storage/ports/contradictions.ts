/** The part of the seam that keeps contradictions: pairs of memories that can't both hold. */
import type { ContradictionReason, ContradictionStatus } from '../../core/contradiction.js'
import type { Scope } from '../../core/scope.js'

/** Written with the new memory, in the same transaction. Erasing either memory erases it. */
export interface NewContradiction {
  readonly id: string
  /** The older memory. Where it is also in `supersedes` the status is `applied`, else `open`. */
  readonly memoryId: string
  /** For a person. */
  readonly why: string
  readonly reason: ContradictionReason | null
}

export interface Contradictions {
  /** Newest first (`createdAt`, then id). Without those that have an expired side, unless asked for. */
  listContradictions(scope: Scope, query: ContradictionQuery): Promise<{ items: Contradiction[]; total: number }>
  findContradiction(scope: Scope, contradictionId: string, now: number): Promise<Contradiction | null>
  /**
   * Carries out what somebody decided, in one transaction; deciding the same again changes nothing.
   * - `accept`: the new memory supersedes the old one, if it has not yet.
   * - `revert`: everything that the new memory superseded is current again under its own id, with the same content
   *   in a version that begins now, and the new one is kept as history, superseded by the old one. What is `open`
   *   is dismissed, and both stay.
   * Null when the scope has no such contradiction; `refused` when a memory has changed since, and then nothing was.
   */
  decide(scope: Scope, contradictionId: string, decision: Decision): Promise<Decided | null>
}

export interface ContradictionQuery {
  readonly now: number
  readonly status?: ContradictionStatus
  readonly includeExpired?: boolean
  readonly limit: number
  readonly offset: number
}

export interface Decision {
  readonly verdict: 'accept' | 'revert'
  readonly now: number
}

export interface Decided {
  readonly contradiction: Contradiction
  /** `changed`: a side has other content now. `superseded`: a side was replaced by something else. */
  readonly refused: 'changed' | 'superseded' | null
}

export interface Contradiction {
  readonly id: string
  readonly userId: string
  /** Of the new memory. */
  readonly project: string | null
  readonly status: ContradictionStatus
  readonly why: string
  /** Null: from before reasons were kept. */
  readonly reason: ContradictionReason | null
  readonly old: ContradictionSide
  readonly new: ContradictionSide
  readonly createdAt: number
  readonly decidedAt: number | null
}

export interface ContradictionSide {
  readonly id: string
  /** The words that contradicted; the memory may have been rewritten since. */
  readonly content: string
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly supersededAt: number | null
  readonly supersededBy: string | null
}
