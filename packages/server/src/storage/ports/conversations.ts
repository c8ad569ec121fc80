/**
 * The part of the storage port that keeps the last turns of each conversation of a user and project. It is a cache: erasing any memory
 * of a user empties it for that user, old rows are dropped, and no export contains it.
 */
import type { KeptTurn } from '../../core/conversation.js'
import type { Scope, UserScope } from '../../core/scope.js'

export interface Conversations {
  /**
   * The last turns of a conversation, oldest first. A scope without a project means turns without one. Empty if the last store of
   * the conversation was not after `storedAfter`. Costs one indexed read.
   */
  lastTurns(scope: UserScope, conversation: string, storedAfter: number): Promise<readonly KeptTurn[]>
  /** Drops conversations without a store after `until`; returns how many. The project of the scope is ignored. */
  dropConversations(scope: Scope, until: number): Promise<number>
}

/** The turns of one store, for the conversation that they belong to. */
export interface ConversationTurns {
  /** Null: none. */
  readonly project: string | null
  readonly name: string
  /** Oldest first. Empty: nothing that was said may be context for the next turn, so the conversation is dropped. */
  readonly turns: readonly KeptTurn[]
  /** Whether the turns before are the context of a new memory: then its document refers to theirs. */
  readonly continues: boolean
}
