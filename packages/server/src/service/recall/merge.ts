/** Merges what a recall found in several scopes. */
import type { Weighed } from '../../retrieval/rank/candidate.js'
import type { NotReturned } from './not-returned.js'

export interface Found {
  /** Highest score first. */
  readonly chosen: readonly Weighed[]
  /** The next ones, for the context only. */
  readonly further: readonly Weighed[]
  /** Only if the caller asks about memories. */
  readonly notReturned?: readonly NotReturned[]
}

interface Wanted {
  readonly limit: number
  readonly mostInContext: number
  readonly explainMemoryIds?: readonly string[]
}

/**
 * By score. Among equals, the scope that was named first comes first.
 * @param withinSize - leaves out the last of them if the answer would be too large: each search alone was small enough.
 */
export function merge(
  searches: readonly Found[],
  { limit, mostInContext, explainMemoryIds }: Wanted,
  withinSize: (chosen: readonly Weighed[]) => readonly Weighed[],
): Found {
  const [only] = searches
  if (only && searches.length === 1) return only
  const all = searches.flatMap(({ chosen }) => chosen).sort((a, b) => b.score - a.score)
  const chosen = withinSize(all.slice(0, limit))
  const rest = searches.flatMap(({ further }) => further)
  const next = [...all.slice(limit), ...rest].sort((a, b) => b.score - a.score)
  const further = next.slice(0, Math.max(0, mostInContext - limit))
  if (explainMemoryIds === undefined) return { chosen, further }
  const returned = new Set(chosen.map(({ memory }) => memory.id))
  const notReturned = [...new Set(explainMemoryIds)].flatMap((id): NotReturned[] => {
    if (returned.has(id)) return []
    const place = all.findIndex(({ memory }) => memory.id === id)
    const cut = all[place]
    if (cut) return [{ id, reason: 'beyond_limit', scored: { memory: cut, rank: place + 1 } }]
    const reasons = searches.flatMap((search) => search.notReturned?.filter((each) => each.id === id) ?? [])
    return [reasons.find(({ reason }) => reason !== 'not_found') ?? { id, reason: 'not_found' }]
  })
  return { chosen, further, notReturned }
}
