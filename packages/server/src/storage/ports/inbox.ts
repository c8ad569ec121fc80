/**
 * The part of the storage port that keeps submitted texts which are not memories yet: a text is on disk before something slow
 * (a language model) reads it. The commit of its memories removes it in the same transaction, so a text that is found here at
 * a start was interrupted, and is stored exactly once.
 */
import type { Scope, UserScope } from '../../core/scope.js'

export interface Inbox {
  /** The text is on disk when this resolves. Its project is that of the scope. */
  keepRaw(scope: UserScope, raw: RawText): Promise<void>
  /** Oldest first; `after` is the last id of the previous slice. */
  pendingRaw(scope: Scope, after: string | null, limit: number): Promise<PendingText[]>
  /** For a text whose sender was told that it is not stored. False: the inbox has no such text. */
  dropRaw(scope: UserScope, id: string): Promise<boolean>
}

export interface RawText {
  /** A `doc_` id, which sorts by time. */
  readonly id: string
  /** Everything needed to store it later, as JSON. */
  readonly payload: string
}

export interface PendingText extends RawText {
  readonly userId: string
  readonly project: string | null
}

/** Another commit removed the text from the inbox, or it was erased: nothing was written. */
export class RawTextGone extends Error {
  override readonly name = 'RawTextGone'
}
