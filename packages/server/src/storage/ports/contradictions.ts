/** The part of the storage port that keeps contradictions: pairs of memories that cannot both be true. */
import type { ContradictionReason, ContradictionStatus, RetiringRule } from '../../core/contradiction.js'
import type { PartRange } from '../../core/outdated.js'
import type { Scope, UserScope } from '../../core/scope.js'
import type { ListCursor, Page } from './memory-reads.js'

/** Written with the new memory, in the same transaction. Erasing either memory erases it. */
export interface NewContradiction {
  readonly id: string
  /** The older memory. If the new memory supersedes it, or ends this part of it, the status is `applied`, otherwise `open`. */
  readonly memoryId: string
  /** The part of the older memory's current content that cannot be true beside the new one; null: all of it. */
  readonly part: PartRange | null
  /** An explanation for people. */
  readonly why: string
  readonly reason: ContradictionReason | null
}

export interface Contradictions {
  /** Newest first (`createdAt`, then id). Those with an expired side are left out, unless requested. */
  listContradictions(scope: Scope, query: ContradictionQuery): Promise<Page<Contradiction>>
  findContradiction(scope: Scope, contradictionId: string, now: number): Promise<Contradiction | null>
  /**
   * Applies a decision in one transaction; the same decision again changes nothing.
   * - `accept`: the new memory supersedes the old one, if it has not yet.
   * - `revert`: everything that the new memory superseded is current again under its own id, with the same content
   *   in a version that begins now, and the new one is kept as history, superseded by the old one. An `open`
   *   contradiction is dismissed, and both memories stay.
   * - With a part, `accept` makes only that part outdated, and `revert` makes it current again; both memories stay current. If
   *   nothing else of the old memory is left, `accept` supersedes it.
   * Null if the scope has no such contradiction; `refused` if a memory has changed since, and then nothing is written.
   */
  decide(scope: Scope, contradictionId: string, decision: Decision): Promise<Decided | null>
  /**
   * Makes a current memory history, because another current memory says the same (`by`) or because it says nothing (null), and
   * records it as an `applied` contradiction. Reverting it restores the retired memory and leaves the other one unchanged. Writes
   * nothing and returns false if either memory has changed since, is flagged, expired or superseded, if they are in different
   * projects, if `by` would expire earlier, or if the memory was retired before.
   */
  retire(scope: UserScope, retirement: Retirement): Promise<boolean>
  /** All contradictions, whatever their status, with one of these memories on either side. */
  knownPairs(scope: UserScope, memoryIds: readonly string[]): Promise<KnownPair[]>
}

export interface Retirement {
  /** Of the contradiction. Where nothing takes the memory's place, the memory is on both of its sides. */
  readonly id: string
  readonly memory: JudgedContent
  readonly by: JudgedContent | null
  readonly why: string
  readonly reason: ContradictionReason & { readonly rule: RetiringRule }
  readonly now: number
}

interface JudgedContent {
  readonly id: string
  /** Of the content that was judged. */
  readonly checksum: string
}

export interface KnownPair {
  readonly oldId: string
  readonly newId: string
  /** `retire` wrote it. */
  readonly retires: boolean
}

export interface ContradictionQuery {
  readonly now: number
  readonly status?: ContradictionStatus
  readonly includeExpired?: boolean
  readonly limit: number
  /** Either an offset or the cursor of the previous page. */
  readonly offset?: number
  readonly cursor?: ListCursor
}

export interface Decision {
  readonly verdict: 'accept' | 'revert'
  readonly now: number
  /** Vectors of texts that may remain of a memory after the decision. Without one, the closest vector that is known is used. */
  readonly remaining?: readonly RemainingText[]
  /** For `revert` of a whole replacement: the words of the new memory that are withdrawn. Without it, all of them are. */
  readonly withdrawn?: readonly PartRange[]
}

export interface RemainingText {
  readonly memoryId: string
  readonly text: string
  readonly vector: Float32Array
  readonly modelId: string
}

export interface Decided {
  readonly contradiction: Contradiction
  /** `changed`: a side has different content now. `superseded`: another memory has replaced a side. */
  readonly refused: 'changed' | 'superseded' | null
}

export interface Contradiction {
  readonly id: string
  readonly userId: string
  /** The project of the new memory. */
  readonly project: string | null
  readonly status: ContradictionStatus
  readonly why: string
  /** Null: recorded before reasons were kept. */
  readonly reason: ContradictionReason | null
  /** The part of the old memory's content that it is about; null: all of it. */
  readonly part: PartRange | null
  readonly old: ContradictionSide
  readonly new: ContradictionSide
  readonly createdAt: number
  readonly decidedAt: number | null
}

export interface ContradictionSide {
  readonly id: string
  /** The content that contradicted; the memory may have been rewritten since. */
  readonly content: string
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly supersededAt: number | null
  readonly supersededBy: string | null
}
