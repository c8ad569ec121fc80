/**
 * Facts that memories state. They belong to the content of a memory, not to a version: versions with the same content share them.
 * They are computed from the content, so an export leaves them out.
 */

import type { Slot } from '../../core/entity.js'
import type { StatedFact, Topic } from '../../core/fact.js'
import type { NobodyScope, UserScope } from '../../core/scope.js'

export interface FactStore {
  /** Facts of current memories, or of those that were current at `asOf`, the surest first. */
  bestFacts(scope: UserScope | NobodyScope, query: FactQuery): Promise<KnownFact[]>
  /**
   * Contents whose facts were not read by this model: stored before there were facts, imported, or read by another model. Null if
   * there are none, however large `after` is; an empty list: none after that row.
   */
  unreadContents(scope: UserScope, modelId: string, after: number, limit: number): Promise<UnreadContent[] | null>
  /** Writes the facts of these contents, replacing existing ones. `isLast`: the user has no other unread contents. */
  writeFacts(scope: UserScope, modelId: string, contents: readonly ReadContent[], isLast: boolean): Promise<void>
}

export interface FactQuery {
  readonly now: number
  readonly asOf?: number
  readonly topics?: readonly Topic[]
  readonly leastConfidence: number
  /** Memories with a lower trust score, and flagged ones, are left out. */
  readonly leastTrust: number
  readonly limit: number
}

export interface KnownFact extends StatedFact {
  readonly memoryId: string
  readonly createdAt: number
}

export interface UnreadContent {
  /** The first version with this content. */
  readonly row: number
  readonly content: string
  readonly slots: readonly Slot[]
}

export interface ReadContent {
  readonly row: number
  readonly facts: readonly StatedFact[]
}
