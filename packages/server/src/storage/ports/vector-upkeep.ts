/**
 * The part of the storage port that replaces vectors after the embedding model has changed. A version, current or history, is
 * outdated if another model made its vector. The project of a scope is ignored.
 */
import type { Scope } from '../../core/scope.js'

export interface VectorUpkeep {
  /** Costs almost nothing if there are none. */
  countOutdated(scope: Scope, modelId: string): Promise<number>
  /** A slice of them, valid versions before history; `after` is the mark of the previous slice. Empty: the end. */
  outdated(scope: Scope, modelId: string, after: OutdatedMark | null, limit: number): Promise<OutdatedSlice>
  /**
   * Replaces the vectors of versions and nothing else. Skips versions that are gone or have changed since they were
   * read. Raises the revision of the users it changes; returns how many versions it changed.
   */
  replaceVectors(scope: Scope, modelId: string, vectors: readonly ReplacedVector[]): Promise<number>
}

/** The position of a reader. Only the engine that made it can read it. */
export type OutdatedMark = string

export interface OutdatedSlice {
  readonly versions: readonly OutdatedVersion[]
  readonly mark: OutdatedMark | null
}

/** Identifies a version. All of it must still match when the vector is replaced. */
interface OutdatedKey {
  readonly userId: string
  readonly row: number
  readonly modelId: string
  readonly checksum: string
}

export interface OutdatedVersion extends OutdatedKey {
  /** Without its outdated parts. */
  readonly content: string
  /**
   * The turns before the turn of a dialogue that the memory was first made from, nearest first, at most two. They may be in the
   * text that was stored before it. None if the text was not a dialogue, if hours lie between the turns, if the content has been
   * rewritten since, or if any part of the text with the turn was erased.
   */
  readonly turnsBefore: readonly TurnBefore[]
}

export interface TurnBefore {
  /** Its first 1,000 characters, word for word. */
  readonly text: string
  /** A memory made from it, and the part of the text that it was made from: together they show who spoke. */
  readonly memory: { readonly content: string; readonly text: string } | null
}

export interface ReplacedVector extends OutdatedKey {
  readonly vector: Float32Array
}
