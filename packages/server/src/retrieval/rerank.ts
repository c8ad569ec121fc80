/** A second, slower look at the best candidates, blended with the first stage: alone a reranker does worse. */
import type { Reranker } from '../models/models.js'
import type { Ranked } from './candidate.js'
import { byRelevance } from './fuse.js'

/** How many candidates are looked at again. */
export const rerankDepth = 30
const share = 0.3

export async function rerank(reranker: Reranker, query: string, ranked: readonly Ranked[]): Promise<Ranked[]> {
  const head = ranked.slice(0, rerankDepth)
  if (head.length === 0) return []
  const scores = await reranker.score(
    query,
    head.map((candidate) => candidate.memory.content),
  )
  const order = head.map((_, index) => index).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
  const ranks = new Map(order.map((index, position) => [index, position + 1]))
  const again = head.map((candidate, index) => {
    const score = scores[index] ?? 0
    return {
      ...candidate,
      rerank: { score, rank: ranks.get(index) ?? null },
      relevance: (1 - share) * candidate.relevance + share * score,
    }
  })
  // The tail keeps its relevance but not a place above what was looked at twice.
  const lowest = again.reduce((least, candidate) => Math.min(least, candidate.relevance), 1)
  const tail = ranked
    .slice(rerankDepth)
    .map((candidate) => ({ ...candidate, relevance: Math.min(candidate.relevance, lowest) }))
  return [...again, ...tail].sort(byRelevance)
}
