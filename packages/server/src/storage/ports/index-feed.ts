/** Reads for the search index, which is above the storage port. */
import type { Filter } from '../../core/filter.js'
import type { BareMemory, Json } from '../../core/memory.js'
import type { UserScope } from '../../core/scope.js'

export interface IndexFeed {
  /**
   * Changes after revision `since` (0: everything), oldest first, at most `limit` versions. An unknown user has revision 0 and no
   * versions. If `until` is given, later changes are left out, and the last slice ends there.
   */
  changes(scope: UserScope, since: ChangeMark, limit: number, until?: ChangeMark): Promise<ChangeSlice>
  /**
   * All fields of these versions that a recall shows. Rows that no longer exist or belong to another user are left out. If
   * `vectors` is a number, only the first that many rows come with their vectors.
   */
  hydrate(
    scope: UserScope,
    rows: readonly number[],
    options: { readonly vectors: boolean | number },
  ): Promise<HydratedVersion[]>
  /** Versions (of any time) that match: metadata equal by key, mentioning the entity (id or name), and the filter. */
  matching(scope: UserScope, filter: MatchFilter): Promise<number[]>
  /** Versions that mention an entity with one of these name keys, or an entity one relationship away. */
  connected(scope: UserScope, nameKeys: readonly string[], limit: number): Promise<ConnectedVersion[]>
}

/** The position of a reader of changes: it has read all of `revision` up to and including `row`. */
export interface ChangeMark {
  readonly revision: number
  readonly row: number
  /** The state of the engine to which the revision belongs. A reader passes it back, and starts over if it has changed. */
  readonly epoch?: number
}

export interface ChangeSlice {
  /** Pass it as `since` next time. */
  readonly mark: ChangeMark
  /** False: this slice reaches the user's current revision. */
  readonly more: boolean
  readonly changed: readonly IndexedVersion[]
  readonly removedRows: readonly number[]
}

export interface IndexedVersion {
  readonly row: number
  /** Without its outdated parts: they must not be found. */
  readonly content: string
  readonly project: string | null
  readonly validFrom: number
  readonly validTo: number | null
  readonly expiresAt: number | null
  readonly flagged: boolean
  readonly modelId: string
  /** Quantized to int8: component i is about `quantized[i] * scale`. */
  readonly quantized: Int8Array
  readonly scale: number
}

export interface HydratedVersion {
  readonly row: number
  /** `createdAt`, access and supersession come from the memory; content, checksum and the rest from this version. */
  readonly memory: BareMemory
  readonly vector: Float32Array | null
  readonly modelId: string
}

export interface MatchFilter {
  readonly metadata?: { readonly [key: string]: Json }
  readonly entity?: string
  readonly filter?: Filter
}

export interface ConnectedVersion {
  readonly row: number
  /** 0: mentions a named entity; 1: mentions a neighbour of one. */
  readonly hops: 0 | 1
}
