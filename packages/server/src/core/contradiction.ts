/** Two memories of one user that can't both hold, and what became of it. */

/** Why, for a program: which slot had which values, and the rule that saw it (`contradicted`, `refined` where it only says more, `advised` by a language model). */
export interface ContradictionReason {
  readonly slot: string
  readonly oldValue: string
  readonly newValue: string
  readonly rule: string
}

/**
 * - `applied`: the new memory replaced the old one by itself.
 * - `open`: both stay, and somebody should decide.
 * - `accepted`: somebody agreed, and the new one stands.
 * - `reverted`: somebody disagreed: what was replaced is current again, what was open stays as it was.
 */
export const contradictionStatuses = ['applied', 'open', 'accepted', 'reverted'] as const
export type ContradictionStatus = (typeof contradictionStatuses)[number]
