/** An embedder that remembers how its last call ended, so that health can report it without calling the model. */
import type { Embedder } from '../models.js'

export interface WatchedEmbedder extends Embedder {
  lastCallFailed(): boolean
}

export function watchEmbedder(embedder: Embedder): WatchedEmbedder {
  let failed = false
  return {
    modelId: embedder.modelId,
    ...(embedder.loading && { loading: embedder.loading }),
    dimensions: embedder.dimensions,
    async embed(texts) {
      try {
        const vectors = await embedder.embed(texts)
        failed = false
        return vectors
      } catch (error) {
        failed = true
        throw error
      }
    },
    queueLength: () => embedder.queueLength(),
    close: () => embedder.close(),
    lastCallFailed: () => failed,
  }
}
