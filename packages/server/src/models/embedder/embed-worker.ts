/** The thread of the local embedder: checks the files, loads the model, embeds. */

import { embedderGraph } from '../runtime/encoder-graph.js'
import { openEncoderSession } from '../runtime/encoder-session.js'
import { checkModelFiles } from '../runtime/model-files.js'
import { serveModel } from '../runtime/serve-model.js'
import { openWordPieces } from '../runtime/word-pieces.js'
import { arabicReader } from './arabic-words.js'
import { BatchQueue, type Ready } from './embed-batches.js'

serveModel<readonly string[], Ready>(async ({ model, intraOpThreads }) => {
  await checkModelFiles(model)
  const session = await openEncoderSession(model, intraOpThreads, embedderGraph)
  const pieces = await openWordPieces(model.tokenizer.path, model.maxTokens)
  // The first run allocates memory; do that now rather than during the first query.
  await session.run([{ tokens: pieces.text('') }])
  const readable = arabicReader(pieces.has)
  return {
    queue: new BatchQueue((text) => pieces.text(readable(text))),
    width: model.dimensions,
    run: (batch) => session.run(batch),
    close: () => session.close(),
  }
})
