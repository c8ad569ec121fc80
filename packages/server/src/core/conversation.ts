/**
 * The last turns of a conversation, kept for a short time, so that a turn that is sent alone is understood like the next turn of one
 * request. They are context only: they make no memories.
 */

/** A turn that is hours older belongs to another conversation. */
export const longestPauseMs = 6 * 3_600_000

/** The number of turns that may matter for the next one. */
export const mostTurnsKept = 3

export interface KeptTurn {
  readonly role: 'user' | 'assistant' | 'system' | 'tool'
  /** Null: the user, or somebody without a name. */
  readonly speaker: string | null
  /** The beginning of memories that are made from the turn: `Ann: `. */
  readonly prefix: string
  /** True for a turn of a dialogue, false for a plain text. */
  readonly spoken: boolean
  readonly text: string
  /** When it was said. */
  readonly at: number
  /** When its memories expire; null: never. */
  readonly expiresAt: number | null
}

/** The turns that a turn said at `saidAt` continues: none if they are too old, from the future, or expired at `now`. */
export function continuing(kept: readonly KeptTurn[], saidAt: number, now: number): readonly KeptTurn[] {
  const last = kept.at(-1)
  if (!last || last.at > saidAt || saidAt - last.at > longestPauseMs) return []
  return kept.filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
}

/** The last turns after more were said. Empty: the conversation has ended. */
export function continued(kept: readonly KeptTurn[], said: readonly KeptTurn[], now: number): readonly KeptTurn[] {
  const [first] = said
  if (!first) return []
  return [...continuing(kept, first.at, now), ...said].slice(-mostTurnsKept)
}
