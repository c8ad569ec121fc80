/**
 * Tells what is worth remembering from chatter: a linear model over the vector of a text and a few features. It can only
 * read the vectors of the embedder that it was trained with.
 */
import { readFile } from 'node:fs/promises'
import { checkModelFile, ModelFileError, readWeightsModel } from '../runtime/model-files.js'
import { readSafetensors } from '../runtime/safetensors.js'
import { type SaidText, worthFeatures } from './features.js'

export interface WorthModel {
  readonly modelId: string
  /** 0 (chatter) to 1; null for a vector of another embedder. */
  worth(embedderId: string, vector: Float32Array, said: SaidText): number | null
}

/** Rejects with a one-line message that names the file if the weights can't be read. */
export async function openWorthModel(directory?: string): Promise<WorthModel> {
  const { id, weights } = await readWeightsModel('keepsake-worth', 'worth', directory)
  await checkModelFile(weights)
  try {
    const { tensors } = await readSafetensors(weights.path)
    const bytes = await readFile(weights.path)
    const tensor = tensors.get('weights')
    if (tensor?.type !== 'F32') throw new Error('it has no weights')
    const values = Float32Array.from({ length: tensor.byteLength / 4 }, (_, at) =>
      bytes.readFloatLE(tensor.offset + 4 * at),
    )
    return modelOf(id, values)
  } catch (error) {
    throw new ModelFileError(weights.path, `is damaged (${error instanceof Error ? error.message : String(error)})`)
  }
}

const trainedWith = 'keepsake-embed-1'

/** The last weight is the bias. */
function modelOf(modelId: string, weights: Float32Array): WorthModel {
  return {
    modelId,
    worth(embedderId, vector, said) {
      if (embedderId !== trainedWith) return null
      const features = worthFeatures(vector, said)
      if (features.length !== weights.length - 1) return null
      let sum = weights.at(-1) ?? 0
      for (const [at, value] of features.entries()) sum += value * (weights[at] ?? 0)
      return 1 / (1 + Math.exp(-sum))
    },
  }
}
