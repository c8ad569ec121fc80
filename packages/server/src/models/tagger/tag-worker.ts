/** The thread of the tagger: checks the files, loads the model, reads sentences. */
import { readFile } from 'node:fs/promises'
import { BatchQueue, type Ready } from '../embedder/embed-batches.js'
import { bytesMultiplyExactly } from '../runtime/byte-products.js'
import { taggerGraph } from '../runtime/encoder-graph.js'
import { openEncoderSession } from '../runtime/encoder-session.js'
import { checkModelFiles } from '../runtime/model-files.js'
import { readSafetensors } from '../runtime/safetensors.js'
import { priority, serveModel } from '../runtime/serve-model.js'
import { readMatrices } from '../runtime/tensor-values.js'
import { labelCount } from './tag-decode.js'
import { readingWidth, writeReading } from './tag-reading.js'
import { RelationHead } from './tag-relation-head.js'
import { sentenceReader } from './tag-sentences.js'
import { lookCount, wordCutter } from './tag-words.js'

serveModel<readonly string[], Ready>(async ({ model, intraOpThreads }) => {
  await checkModelFiles(model)
  const cutter = wordCutter(JSON.parse(await readFile(model.tokenizer.path, 'utf8')))
  const head = new RelationHead(await readMatrices(await readSafetensors(model.weights.path), 'relation.'))
  const arithmetic = (await bytesMultiplyExactly()) ? 'int8' : 'float32'
  const session = await openEncoderSession(model, intraOpThreads, (weights) =>
    taggerGraph(weights, arithmetic, { looks: lookCount, labels: labelCount }),
  )
  const reader = sentenceReader(cutter, head, session, model.maxTokens)
  return {
    queue: new BatchQueue((text) => reader.rowOf(text).tokens),
    width: readingWidth,
    async run(batch) {
      const values = new Float32Array(batch.length * readingWidth)
      const readings = await reader.read(batch.map(({ text }) => text))
      for (const [at, reading] of readings.entries()) writeReading(reading, values, at * readingWidth)
      return values
    },
    close: () => session.close(),
  }
}, priority.ofStore)
