/** A second, slower look at the best candidates, blended with the first stage: alone a reranker does worse. */
import type { Reranker } from '../models/models.js'
import type { Ranked } from './candidate.js'
import { byFused, type FusionSettings, relevanceOf } from './fuse.js'

/** How many candidates are looked at again. */
export const rerankDepth = 30

export async function rerank(
  reranker: Reranker,
  query: string,
  ranked: readonly Ranked[],
  { rerankShare, scales }: FusionSettings,
): Promise<readonly Ranked[]> {
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
    const fused = (1 - rerankShare) * candidate.fused + rerankShare * score
    return {
      ...candidate,
      rerank: { score, rank: ranks.get(index) ?? null },
      fused,
      relevance: relevanceOf(fused, scales.rerank),
    }
  })
  // The tail keeps its place after what was looked at twice, and is never the better for it.
  const lowest = again.reduce((least, candidate) => Math.min(least, candidate.fused), Infinity)
  const tail = ranked.slice(rerankDepth).map((candidate) => {
    const fused = Math.min(candidate.fused, lowest)
    return { ...candidate, fused, relevance: relevanceOf(fused, scales.rerank) }
  })
  return [...again, ...tail].sort(byFused)
}
