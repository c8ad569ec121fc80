/** Asks the language model how new memories relate to the user's most similar ones. */
import { contentKey } from '../../core/memory.js'
import { type UserScope, userScope } from '../../core/scope.js'
import { type Advice, askForAdvice, mostAsked } from '../../ingest/llm/reconcile.js'
import type { SearchHit } from '../../retrieval/index/search.js'
import type { KnownMemory } from '../../storage/ports/memory-reads.js'
import type { Deps } from '../deps.js'
import type { Consultation } from './consultation.js'
import type { PreparedMemory } from './prepared-memory.js'

const mostCandidates = 10
/** Below this, two memories are rarely about the same thing. */
const leastCosine = 0.29

/** Called without the user's lock: a model may take seconds. Advice about a memory that changes in the meantime is void. */
export async function advise(
  deps: Deps,
  scope: UserScope,
  consultation: Consultation | null,
  drafts: readonly PreparedMemory[],
  now: number,
): Promise<readonly Advice[]> {
  // A model that has just failed is not asked again for the same request.
  if (consultation === null || consultation.hasFailed || drafts.length === 0) return []
  const reply = await consultation.ask('advise', async (model, budgetMs) => {
    const known = await candidates(deps, scope, drafts, now)
    return askForAdvice(model, drafts, known, budgetMs)
  })
  if (!reply) return []
  if (reply.refused > 0) consultation.doneWithout({ refused: reply.refused }, 'it names memories that it was not shown')
  return reply.advice
}

/** Of exactly this project: memories with the same slots first, then the nearest. */
async function candidates(
  deps: Deps,
  scope: UserScope,
  drafts: readonly PreparedMemory[],
  now: number,
): Promise<KnownMemory[]> {
  const nearest = await nearestContents(deps, scope, drafts.slice(0, mostAsked), now)
  const { sameContent, sameSlot } = await deps.storage.recognise(userScope(scope.userId), {
    now,
    project: scope.project ?? null,
    contentKeys: nearest.map(contentKey),
    slots: drafts.flatMap(({ slots }) => slots.map(({ slot }) => slot)),
  })
  const repeated = new Set(drafts.map((draft) => draft.contentKey))
  const found = new Map<string, KnownMemory>()
  for (const item of [...sameSlot, ...sameContent]) {
    if (!item.memory.flagged && !repeated.has(item.contentKey)) found.set(item.memory.id, item)
  }
  return [...found.values()].slice(0, mostCandidates)
}

async function nearestContents(
  deps: Deps,
  scope: UserScope,
  drafts: readonly PreparedMemory[],
  now: number,
): Promise<string[]> {
  const searches = await Promise.all(
    drafts.map(({ vector }) =>
      deps.indexes.search(scope, {
        vector,
        text: null,
        moment: { kind: 'now', now },
        includeHistory: false,
        includeFlagged: false,
        limit: mostCandidates,
      }),
    ),
  )
  const best = new Map<number, number>()
  for (const { row, cosine } of searches.flatMap(({ hits }): SearchHit[] => hits)) {
    if (cosine !== null && cosine >= leastCosine) best.set(row, Math.max(cosine, best.get(row) ?? -1))
  }
  const rows = [...best].sort(([, a], [, b]) => b - a).slice(0, mostCandidates)
  const versions = await deps.storage.hydrate(
    userScope(scope.userId),
    rows.map(([row]) => row),
    { vectors: false },
  )
  const contentOf = new Map(versions.map(({ row, memory }) => [row, memory.content]))
  return rows.flatMap(([row]) => contentOf.get(row) ?? [])
}
