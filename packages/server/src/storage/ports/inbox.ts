/**
 * The part of the seam that keeps submitted texts which are not memories yet: while something slow (a language model) reads
 * a text, it is on disk already. The commit of its memories takes it out in the same transaction, so what is found here at
 * a start was interrupted, and is stored exactly once.
 */
import type { Scope, UserScope } from '../../core/scope.js'

export interface Inbox {
  /** On disk when it resolves. The scope's project is the text's. */
  keepRaw(scope: UserScope, raw: RawText): Promise<void>
  /** Oldest first; `after` is the id of the last one of the slice before. */
  pendingRaw(scope: Scope, after: string | null, limit: number): Promise<PendingText[]>
  /** For a text whose sender was told that it is not stored. False: it was not there. */
  dropRaw(scope: UserScope, id: string): Promise<boolean>
}

export interface RawText {
  /** A `doc_` id: they sort by time. */
  readonly id: string
  /** All that is needed to store it later, as JSON. */
  readonly payload: string
}

export interface PendingText extends RawText {
  readonly userId: string
  readonly project: string | null
}

/** The text was taken out of the inbox by another commit, or erased: nothing was written. */
export class RawTextGone extends Error {
  override readonly name = 'RawTextGone'
}
