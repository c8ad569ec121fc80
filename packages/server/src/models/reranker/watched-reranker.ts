/** A reranker that remembers how its last call ended and how many texts wait, for health and metrics. */
import type { Reranker } from '../models.js'

export interface WatchedReranker extends Reranker {
  lastCallFailed(): boolean
  /** Number of texts that wait or are being scored. */
  queueLength(): number
}

export function watchReranker(reranker: Reranker): WatchedReranker {
  let failed = false
  let waiting = 0
  return {
    modelId: reranker.modelId,
    ...(reranker.loading && { loading: reranker.loading }),
    async score(query, texts) {
      waiting += texts.length
      try {
        const scores = await reranker.score(query, texts)
        failed = false
        return scores
      } catch (error) {
        failed = true
        throw error
      } finally {
        waiting -= texts.length
      }
    },
    close: () => reranker.close(),
    lastCallFailed: () => failed,
    queueLength: () => waiting,
  }
}
