import type { Slot } from '../core/entity.js'
import { explainContradiction } from '../ingest/explain-contradiction.js'
import type { Decision } from '../ingest/reconcile.js'
import type { NewContradiction } from '../storage/contradictions.js'
import type { KnownMemory } from '../storage/storage.js'
import type { Deps } from './deps.js'

/** What a new memory contradicts, with an id each and the reason. */
export function foundContradictions(
  deps: Deps,
  draft: { readonly slots: readonly Slot[] },
  decision: Decision,
  known: ReadonlyMap<string, KnownMemory>,
): NewContradiction[] {
  if (decision.kind !== 'update') return []
  return decision.supersedes.map((memoryId) => ({
    id: deps.ids.next('con'),
    memoryId,
    ...explainContradiction(known.get(memoryId)?.slots ?? [], draft.slots),
  }))
}
