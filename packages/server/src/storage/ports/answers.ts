/**
 * The part of the seam that remembers answers to stores with an idempotency key. An answer is written by the commit that it
 * speaks of, so there is never one without the other. Its items go with their memories: what is erased leaves no copy here,
 * and the rest of the answer stays, so that a late repetition does not bring back what was erased.
 */
import type { Once } from '../../core/once.js'
import type { Scope, UserScope } from '../../core/scope.js'

export interface Answers {
  /** Null: there is none that was kept after `after`. */
  findAnswer(scope: UserScope, keyHash: string, after: number): Promise<KeptAnswer | null>
  /** Drops answers that were kept at or before `until`, at most `limit` of them, and tells how many. */
  dropAnswers(scope: Scope, until: number, limit: number): Promise<number>
}

/** As part of a commit. @throws AlreadyAnswered when one with this key was kept after `after`; nothing is written then. */
export interface NewAnswer extends Once {
  readonly after: number
  /** What it says beside its items, as JSON; no text of the user's. */
  readonly summary: string
  /** In their order; of memories that the commit stores or sees again. */
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
  /** What the commit told of a new memory; null of one that was known. */
  readonly entityNames: readonly string[] | null
}

/** Another commit was the first with this key: nothing was written. */
export class AlreadyAnswered extends Error {
  override readonly name = 'AlreadyAnswered'
}
