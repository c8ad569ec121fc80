/**
 * The part of the storage port that keeps answers to stores with an idempotency key. A commit writes its answer in the same
 * transaction, so neither exists without the other. An answer's items are erased with their memories, so no copy of erased
 * content remains. The rest of the answer stays, so that a late retry does not bring erased content back.
 */
import type { Once } from '../../core/once.js'
import type { Scope, UserScope } from '../../core/scope.js'

export interface Answers {
  /** Null: none was kept after `after`. */
  findAnswer(scope: UserScope, keyHash: string, after: number): Promise<KeptAnswer | null>
  /** Drops at most `limit` answers that were kept at or before `until`, and returns how many. */
  dropAnswers(scope: Scope, until: number, limit: number): Promise<number>
}

/** Part of a commit. @throws AlreadyAnswered if one with this key was kept after `after`; nothing is written then. */
export interface NewAnswer extends Once {
  readonly after: number
  /** The answer without its items, as JSON; it contains no text of the user. */
  readonly summary: string
  /** In order, for memories that the commit stores or repeats. */
  readonly items: readonly { readonly memoryId: string; readonly payload: string }[]
}

export interface KeptAnswer {
  readonly fingerprint: string
  readonly summary: string
  readonly relationshipsCreated: number
  readonly items: readonly KeptItem[]
}

interface KeptItem {
  readonly payload: string
  /** The names that the commit returned for a new memory; null for a known one. */
  readonly entityNames: readonly string[] | null
}

/** Another commit with this key came first: nothing was written. */
export class AlreadyAnswered extends Error {
  override readonly name = 'AlreadyAnswered'
}
