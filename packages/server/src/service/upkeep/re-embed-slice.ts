/** Embeds versions anew. A text that the model refuses must not hold up the others; a model that fails must. */
import { retoldTurn } from '../../ingest/divide.js'
import { embeddingText } from '../../ingest/embedding-text.js'
import type { Embedder } from '../../models/models.js'
import type { OutdatedVersion, ReplacedVector } from '../../storage/ports/vector-upkeep.js'

/** Nobody's text: a model that embeds it works, so what it did not embed was the text's fault. */
const probe = 'Is the model there?'

type Model = Pick<Embedder, 'embed' | 'dimensions'>

/** Versions without a vector were refused. Throws when the model fails for everything. */
export async function embedSlice(model: Model, versions: readonly OutdatedVersion[]): Promise<ReplacedVector[]> {
  const texts = versions.map(textOf)
  try {
    return replacements(versions, await embedAll(model, texts))
  } catch {
    // Whatever it was: either the model fails now, too, or one of the texts is to blame.
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

function textOf({ content, turnBefore }: OutdatedVersion): string {
  return embeddingText(content, turnBefore && retoldTurn(turnBefore))
}

async function embedAll(model: Model, texts: readonly string[]): Promise<Float32Array[]> {
  const vectors = await model.embed(texts)
  const usable = vectors.filter((vector) => vector.length === model.dimensions && vector.every(Number.isFinite))
  if (usable.length !== texts.length)
    throw new Error('a model answered with something else than a vector for each text')
  return usable
}

function replacements(versions: readonly OutdatedVersion[], vectors: readonly Float32Array[]): ReplacedVector[] {
  return versions.flatMap(({ userId, row, modelId, checksum }, index) => {
    const vector = vectors[index]
    return vector ? [{ userId, row, modelId, checksum, vector }] : []
  })
}
