/**
 * The part of the seam that replaces vectors when the embedding model has changed: versions, history included, whose
 * vector another model made. A scope's project is not looked at.
 */
import type { Scope } from '../../core/scope.js'

export interface VectorUpkeep {
  /** Costs next to nothing when there are none. */
  countOutdated(scope: Scope, modelId: string): Promise<number>
  /** Some of them, what is valid now before history; `after` is the mark of the slice before. Empty: the end. */
  outdated(scope: Scope, modelId: string, after: OutdatedMark | null, limit: number): Promise<OutdatedSlice>
  /**
   * Gives versions other vectors and changes nothing else of them. Those that are gone, or are not what was read any
   * more, are passed over. Raises the revision of the users it changes; tells how many versions those were.
   */
  replaceVectors(scope: Scope, modelId: string, vectors: readonly ReplacedVector[]): Promise<number>
}

/** Where a reader stands. Only the engine that made it can read it. */
export type OutdatedMark = string

export interface OutdatedSlice {
  readonly versions: readonly OutdatedVersion[]
  readonly mark: OutdatedMark | null
}

/** What a version is known by, and what has to be still true of it when its vector is replaced. */
interface OutdatedKey {
  readonly userId: string
  readonly row: number
  readonly modelId: string
  readonly checksum: string
}

export interface OutdatedVersion extends OutdatedKey {
  readonly content: string
  readonly turnBefore: TurnBefore | null
}

/**
 * What was submitted before the turn of a dialogue that the memory was first made from. Null where the text was no
 * dialogue, the content has been rewritten since, or anything of the document was erased.
 */
export interface TurnBefore {
  /** Word for word, its first 1,000 characters. */
  readonly text: string
  /** A memory made from it, and the part of the text that yielded it: together they tell who spoke. */
  readonly memory: { readonly content: string; readonly text: string } | null
}

export interface ReplacedVector extends OutdatedKey {
  readonly vector: Float32Array
}
