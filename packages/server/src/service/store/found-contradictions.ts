import type { ContradictionReason } from '../../core/contradiction.js'
import type { Slot } from '../../core/entity.js'
import type { PartRange } from '../../core/outdated.js'
import { explainContradiction, explainReason } from '../../facts/explain-contradiction.js'
import { partStating } from '../../ingest/outdated-part.js'
import type { NewContradiction } from '../../storage/ports/contradictions.js'
import type { KnownMemory } from '../../storage/ports/memory-reads.js'
import type { Deps } from '../deps.js'
import type { FreshDecision } from './decide.js'

/** The contradictions of a new memory, one per known memory, with the reason where reconciling gave one. */
export function foundContradictions(
  deps: Deps,
  slots: readonly Slot[],
  decision: FreshDecision,
  known: ReadonlyMap<string, KnownMemory>,
): NewContradiction[] {
  const supersedes: readonly string[] = decision.kind === 'update' ? decision.supersedes : []
  const reasons = decision.kind === 'update' ? decision.reasons : []
  const { conflicts } = decision
  const judged = new Map<string, ContradictionReason>()
  const partOf = new Map<string, PartRange>()
  for (const { memoryId, slot, oldValue, newValue, rule, parts } of [...reasons, ...conflicts]) {
    if (!judged.has(memoryId)) judged.set(memoryId, { slot, oldValue, newValue, rule })
    const old = known.get(memoryId)?.memory
    const [part] = parts ?? (old && partStating(old.content, oldValue, old.outdated)) ?? []
    if (part && !supersedes.includes(memoryId)) partOf.set(memoryId, part)
  }
  return [...new Set([...supersedes, ...conflicts.map(({ memoryId }) => memoryId)])].map((memoryId) => {
    const reason = judged.get(memoryId)
    const explained = reason
      ? { reason, why: explainReason(reason) }
      : explainContradiction(known.get(memoryId)?.slots ?? [], slots)
    return { id: deps.ids.next('con'), memoryId, part: partOf.get(memoryId) ?? null, ...explained }
  })
}
