/** Two memories of one user that cannot both be true, and how that was resolved. */

/**
 * The reason in machine-readable form: the slot, its two values, and the rule that found it (`contradicted`; `refined` where the new
 * memory only says more; `judged` by the judging model; `advised` by a language model; `repeated` or `chatter` by a consolidation).
 */
export interface ContradictionReason {
  readonly slot: string
  readonly oldValue: string
  readonly newValue: string
  readonly rule: string
}

const retiringRules = ['repeated', 'chatter'] as const
/** Why a consolidation retires a memory: another one says the same, or it says nothing. */
export type RetiringRule = (typeof retiringRules)[number]

export function isRetiringRule(rule: string): rule is RetiringRule {
  return retiringRules.some((each) => each === rule)
}

/**
 * - `applied`: the new memory replaced the old one automatically.
 * - `open`: both memories stay until someone decides.
 * - `accepted`: someone agreed, and the new memory stays.
 * - `reverted`: someone disagreed. A replaced memory is current again; an open contradiction leaves both memories.
 */
export const contradictionStatuses = ['applied', 'open', 'accepted', 'reverted'] as const
export type ContradictionStatus = (typeof contradictionStatuses)[number]
