import type { ContradictionReason } from '../../core/contradiction.js'
import type { Slot } from '../../core/entity.js'
import { explainContradiction, explainReason } from '../../ingest/explain-contradiction.js'
import type { NewContradiction } from '../../storage/ports/contradictions.js'
import type { KnownMemory } from '../../storage/ports/storage.js'
import type { Deps } from '../deps.js'

/** Of a decision: what is replaced, what stays in doubt, and why, where reconciling told. */
interface Decided {
  readonly kind: string
  readonly supersedes?: readonly string[]
  readonly reasons?: readonly Judged[]
  readonly conflicts?: readonly Judged[]
}

interface Judged extends ContradictionReason {
  readonly memoryId: string
}

/** What a new memory contradicts, one for each memory, with an id and the reason. */
export function foundContradictions(
  deps: Deps,
  draft: { readonly slots: readonly Slot[] },
  decision: Decided,
  known: ReadonlyMap<string, KnownMemory>,
): NewContradiction[] {
  const { supersedes = [], reasons = [], conflicts = [] } = decision
  const judged = new Map<string, ContradictionReason>()
  for (const { memoryId, slot, oldValue, newValue, rule } of [...reasons, ...conflicts])
    if (!judged.has(memoryId)) judged.set(memoryId, { slot, oldValue, newValue, rule })
  return [...new Set([...supersedes, ...conflicts.map(({ memoryId }) => memoryId)])].map((memoryId) => {
    const reason = judged.get(memoryId)
    const explained = reason
      ? { reason, why: explainReason(reason) }
      : explainContradiction(known.get(memoryId)?.slots ?? [], draft.slots)
    return { id: deps.ids.next('con'), memoryId, ...explained }
  })
}
