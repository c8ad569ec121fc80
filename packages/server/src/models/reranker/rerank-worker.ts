/** The thread of the reranker: checks the files, loads the model, scores pairs. */
import { bytesMultiplyExactly } from '../runtime/byte-products.js'
import { rerankerGraph } from '../runtime/encoder-graph.js'
import { openEncoderSession, type TokenRow } from '../runtime/encoder-session.js'
import { checkModelFiles } from '../runtime/model-files.js'
import { serveModel, type WorkItem } from '../runtime/serve-model.js'
import { openWordPieces } from '../runtime/word-pieces.js'
import { pairQueue, type RerankAsk } from './rerank-batches.js'

serveModel<RerankAsk, TokenRow & WorkItem>(async ({ model, intraOpThreads }) => {
  await checkModelFiles(model)
  const arithmetic = (await bytesMultiplyExactly()) ? 'int8' : 'float32'
  const session = await openEncoderSession(model, intraOpThreads, (weights) => rerankerGraph(weights, arithmetic))
  const pieces = await openWordPieces(model.tokenizer.path, model.maxTokens)
  return {
    queue: pairQueue(pieces.pairsOf),
    width: model.dimensions,
    run: (batch) => session.run(batch),
    close: () => session.close(),
  }
})
