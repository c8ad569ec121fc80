/** Re-embeds versions. A text that the model rejects must not hold up the others; a failing model must. */

import { contextOf, embeddingText } from '../../ingest/embedding-text.js'
import { retoldTurn } from '../../ingest/turns.js'
import type { Embedder } from '../../models/models.js'
import type { OutdatedVersion, ReplacedVector } from '../../storage/ports/vector-upkeep.js'

/** Not a user's text: if the model embeds it, the model works, and the other text was at fault. */
const probe = 'Is the model there?'

type Model = Pick<Embedder, 'embed' | 'dimensions'>

/** Versions without a vector in the result were rejected. Throws if the model fails on every text. */
export async function embedSlice(model: Model, versions: readonly OutdatedVersion[]): Promise<ReplacedVector[]> {
  const texts = versions.map(textOf)
  try {
    return replacements(versions, await embedAll(model, texts))
  } catch {
    // Either the model fails on the probe too, or one of the texts is at fault.
    await embedAll(model, [probe])
  }
  const embedded: ReplacedVector[] = []
  for (const [index, version] of versions.entries()) {
    try {
      embedded.push(...replacements([version], await embedAll(model, texts.slice(index, index + 1))))
    } catch {
      await embedAll(model, [probe])
    }
  }
  return embedded
}

function textOf({ content, turnsBefore }: OutdatedVersion): string {
  return embeddingText(content, contextOf(turnsBefore.map(retoldTurn)))
}

async function embedAll(model: Model, texts: readonly string[]): Promise<Float32Array[]> {
  const vectors = await model.embed(texts)
  const usable = vectors.filter((vector) => vector.length === model.dimensions && vector.every(Number.isFinite))
  if (usable.length !== texts.length) throw new Error('a model did not return one vector per text')
  return usable
}

function replacements(versions: readonly OutdatedVersion[], vectors: readonly Float32Array[]): ReplacedVector[] {
  return versions.flatMap(({ userId, row, modelId, checksum }, index) => {
    const vector = vectors[index]
    return vector ? [{ userId, row, modelId, checksum, vector }] : []
  })
}
