/**
 * Tells lasting facts about a person or project from talk, and names their topic: two linear models over hashed words
 * (`features.ts`), trained on conversations and hand-labelled messages (`training/profile`).
 */
import { readFile } from 'node:fs/promises'
import { type Topic, topics } from '../../core/fact.js'
import { checkModelFile, ModelFileError, readWeightsModel } from '../../models/runtime/model-files.js'
import { readSafetensors } from '../../models/runtime/safetensors.js'
import { featuresOf, topicBuckets, worthBuckets } from './features.js'
import type { Statement } from './split.js'

interface Judged {
  /** 0 to 1: how sure it is a lasting fact. */
  readonly confidence: number
  readonly topic: Topic
}

export interface StatementModel {
  /** Stored with each user: statements of another model are judged again. */
  readonly modelId: string
  judge(content: string, statement: Statement): Judged
}

interface Linear {
  readonly weights: Int8Array
  readonly scale: number
  readonly bias: readonly number[]
}

/** Rejects with a one-line message that names the file if the weights can't be read. */
export async function openStatementModel(directory?: string): Promise<StatementModel> {
  const { id, weights } = await readWeightsModel('keepsake-profile', 'profile', directory)
  await checkModelFile(weights)
  const path = weights.path
  try {
    const { tensors } = await readSafetensors(path)
    const bytes = await readFile(path)
    const read = (name: string, outputs: number, buckets: number): Linear => {
      const [values, numbers] = [tensors.get(`${name}.weights`), tensors.get(`${name}.scale_and_bias`)]
      const size = outputs * buckets
      if (values?.type !== 'I8' || values.byteLength !== size) throw new Error(`it has no ${size} weights for ${name}`)
      if (numbers?.type !== 'F32' || numbers.byteLength !== 4 * (outputs + 1))
        throw new Error(`it has no bias for ${name}`)
      const float = (index: number) => bytes.readFloatLE(numbers.offset + 4 * index)
      return {
        weights: new Int8Array(bytes.subarray(values.offset, values.offset + size)),
        scale: float(0),
        bias: Array.from({ length: outputs }, (_, output) => float(output + 1)),
      }
    }
    return modelOf(id, read('worth', 1, worthBuckets), read('topic', topics.length, topicBuckets))
  } catch (error) {
    throw new ModelFileError(path, `is damaged (${error instanceof Error ? error.message : String(error)})`)
  }
}

function modelOf(modelId: string, worth: Linear, topic: Linear): StatementModel {
  return {
    modelId,
    judge(content, statement) {
      const features = featuresOf(content, statement)
      const confidence = statement.asks ? 0 : 1 / (1 + Math.exp(-scoreOf(worth, features, worthBuckets, 0)))
      let best = 0
      let highest = Number.NEGATIVE_INFINITY
      for (let output = 0; output < topics.length; output += 1) {
        const score = scoreOf(topic, features, topicBuckets, output)
        if (score > highest) [best, highest] = [output, score]
      }
      return { confidence, topic: topics[best] ?? 'other' }
    },
  }
}

function scoreOf({ weights, scale, bias }: Linear, features: Uint32Array, buckets: number, output: number): number {
  let sum = 0
  for (const hash of features) sum += weights[output * buckets + (hash & (buckets - 1))] ?? 0
  return (bias[output] ?? 0) + (scale * sum) / Math.sqrt(features.length || 1)
}
