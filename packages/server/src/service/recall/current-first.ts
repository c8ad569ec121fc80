/**
 * Of two memories of which one changes the other, the newer one comes first: while nobody has decided between them, and where only
 * a part of the older one is outdated.
 */

import type { UserScope } from '../../core/scope.js'
import { maySupersede } from '../../core/trust.js'
import type { Weighed } from '../../retrieval/rank/candidate.js'
import type { Contested } from '../../storage/ports/memory-reads.js'
import type { Deps } from '../deps.js'

/** Further down, the order no longer matters to a reader. */
const mostLookedAt = 40
/**
 * Where the newer memory concerns only a part of the older one, the question may be about another part. It then matches the newer
 * memory much less.
 */
const leastShare = 0.5

export async function currentFirst(deps: Deps, scope: UserScope, weighed: readonly Weighed[]): Promise<Weighed[]> {
  const looked = weighed.slice(0, mostLookedAt)
  const ids = looked.map(({ memory }) => memory.id)
  const outdated = looked.flatMap(({ memory }) =>
    memory.outdated.flatMap(({ by }) => (by === null ? [] : [{ oldId: memory.id, newId: by, isPart: true }])),
  )
  return inOrder(weighed, [...outdated, ...(await deps.storage.contested(scope, ids))])
}

/** The newer memory moves up to the place of the older one, with its score. */
export function inOrder(weighed: readonly Weighed[], contested: readonly Contested[]): Weighed[] {
  const result = [...weighed]
  for (const { oldId, newId, isPart } of contested) {
    const older = result.findIndex(({ memory }) => memory.id === oldId)
    const newer = result.findIndex(({ memory }) => memory.id === newId)
    const [before, moved] = [result[older], result[newer]]
    if (!before || !moved || newer < older || !maySupersede(moved.memory.trustScore, before.memory.trustScore)) continue
    if (isPart && moved.score < leastShare * before.score) continue
    result.splice(newer, 1)
    result.splice(older, 0, { ...moved, score: before.score })
  }
  return result
}
