import { type UserScope, userScope } from '../../core/scope.js'
import type { Weighed } from '../../retrieval/rank/candidate.js'
import type { Deps } from '../deps.js'

/**
 * With history, an earlier version may represent a memory. It shows the parts that are outdated by now: a reader must not take an old
 * value for current.
 */
export async function withCurrentMarks(
  { storage }: Pick<Deps, 'storage'>,
  scope: UserScope,
  chosen: readonly Weighed[],
): Promise<readonly Weighed[]> {
  const own = userScope(scope.userId)
  const ids = chosen.map(({ memory }) => memory.id)
  // Oldest first, so that the last one stays.
  const latest = new Map((await storage.versionsOf(own, ids)).map(({ memoryId, row }) => [memoryId, row]))
  const rows = chosen.flatMap(({ row, memory }) => {
    const newest = latest.get(memory.id)
    return newest === undefined || newest === row ? [] : [newest]
  })
  if (rows.length === 0) return chosen
  const versions = await storage.hydrate(own, rows, { vectors: false })
  const byId = new Map(versions.map(({ memory }) => [memory.id, memory]))
  return chosen.map((candidate) => {
    const { memory } = candidate
    const newest = byId.get(memory.id)
    if (newest?.content !== memory.content) return candidate
    return { ...candidate, memory: { ...memory, outdated: newest.outdated } }
  })
}
