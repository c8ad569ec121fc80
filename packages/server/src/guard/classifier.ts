/**
 * Finds attacks that no rule describes: a linear classifier over hashed words and letters (`guard-features.ts`),
 * trained on attacks and on ordinary text (`training/guard`). It judges windows of a text; the most suspicious window
 * dominates the score.
 */
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isForeign } from '../language/words/is-foreign.js'
import { checkModelFile, ModelFileError, readGuardModel, type WeightsModel } from '../models/runtime/model-files.js'
import { readSafetensors } from '../models/runtime/safetensors.js'
import { featureBuckets, featuresOf, pooledScore, tokensOf, windowsOf } from './features.js'
import type { View } from './view.js'

interface Suspicion {
  /** 0 to 1; from 0.5 on the text counts as an attack. */
  readonly weight: number
  /** Half-open range in the view: the words that contribute most. */
  readonly start: number
  readonly end: number
}

export interface GuardClassifier {
  readonly modelId: string
  /** Null for a text of too few words. */
  judge(view: View): Suspicion | null
}

export interface ClassifierWeights {
  /** One per bucket. */
  readonly weights: Int8Array
  readonly scale: number
  /** Added to every score, so that 0 is the threshold for an attack. */
  readonly bias: number
}

/**
 * Rejects with a one-line message that names the file if the weights can't be read. Another classifier reads texts that are not
 * English: one for both flags more ordinary English notes. `directory`: only this one.
 */
export async function openGuardClassifier(directory?: string): Promise<GuardClassifier> {
  const english = await openClassifier(await readGuardModel(directory))
  if (directory !== undefined) return english
  const others = await openClassifier(await readGuardModel(undefined, 'keepsake-guard-languages'))
  return {
    modelId: `${english.modelId}, ${others.modelId}`,
    judge: (view) => (isForeign(view.text) ? others : english).judge(view),
  }
}

async function openClassifier({ id, weights }: WeightsModel): Promise<GuardClassifier> {
  await checkModelFile(weights)
  return classifierOf(id, await readWeights(weights.path, ''))
}

/**
 * For measurements: one classifier per part of the training texts, each trained on all other parts. Stored next to the
 * weights.
 */
export async function openCrossValidation(directory?: string): Promise<GuardClassifier[]> {
  const { id, weights } = await readGuardModel(directory)
  const path = join(dirname(weights.path), 'cross-validation.int8.safetensors')
  return Promise.all([0, 1, 2, 3, 4].map(async (part) => classifierOf(id, await readWeights(path, `.${part}`))))
}

async function readWeights(path: string, suffix: string): Promise<ClassifierWeights> {
  try {
    const { tensors } = await readSafetensors(path)
    const bytes = await readFile(path)
    const read = (name: string, type: string, size: number) => {
      const tensor = tensors.get(name)
      if (tensor?.type !== type || tensor.byteLength !== size)
        throw new Error(`it has no tensor ${name} of ${size} bytes`)
      return bytes.subarray(tensor.offset, tensor.offset + size)
    }
    const numbers = read(`scale_and_bias${suffix}`, 'F32', 8)
    // A smaller table folds the buckets.
    const size = tensors.get(`weights${suffix}`)?.byteLength === smallTable ? smallTable : featureBuckets
    return {
      weights: new Int8Array(read(`weights${suffix}`, 'I8', size)),
      scale: numbers.readFloatLE(0),
      bias: numbers.readFloatLE(4),
    }
  } catch (error) {
    throw new ModelFileError(path, `is damaged (${error instanceof Error ? error.message : String(error)})`)
  }
}

const smallTable = featureBuckets / 2

/** A name or a key is not an instruction, whatever its words. */
const fewestTokens = 4
/** Neither is a repeated word; features in so few buckets are noise. */
const fewestFeatures = 24

export function classifierOf(modelId: string, { weights, scale, bias }: ClassifierWeights): GuardClassifier {
  // The last window that counted each bucket: a feature counts once per window.
  const counted = new Uint32Array(weights.length)
  const mask = weights.length - 1
  let windowNumber = 0
  return {
    modelId,
    judge(view) {
      const tokens = tokensOf(view.text)
      if (tokens.count < fewestTokens) return null
      const { buckets, from } = featuresOf(view.text, tokens)
      const windows = windowsOf(tokens.count)
      const scores = windows.map((window) => {
        windowNumber = windowNumber === 0xffffffff ? 1 : windowNumber + 1
        if (windowNumber === 1) counted.fill(0)
        let sum = 0
        let different = 0
        for (let at = from[window[0]] ?? 0; at < (from[window[1]] ?? 0); at += 1) {
          const bucket = (buckets[at] ?? 0) & mask
          if (counted[bucket] === windowNumber) continue
          counted[bucket] = windowNumber
          different += 1
          sum += weights[bucket] ?? 0
        }
        if (different < fewestFeatures) return bias
        return bias + (scale * sum) / Math.sqrt(different)
      })
      const worst = windows[scores.indexOf(Math.max(...scores))] ?? [0, tokens.count]
      const [first, last] = strongestTokens(weights, buckets, from, worst)
      return {
        weight: 1 / (1 + Math.exp(-pooledScore(scores))),
        start: tokens.starts[first] ?? 0,
        end: tokens.ends[last] ?? 0,
      }
    },
  }
}

/** The consecutive tokens with the largest sum of weights (Kadane's algorithm). */
function strongestTokens(
  weights: Int8Array,
  buckets: Uint32Array,
  from: Uint32Array,
  [start, end]: readonly [number, number],
) {
  let strongest: [number, number] = [start, end - 1]
  let most = Number.NEGATIVE_INFINITY
  let sum = 0
  let first = start
  for (let token = start; token < end; token += 1) {
    if (sum <= 0) {
      sum = 0
      first = token
    }
    for (let at = from[token] ?? 0; at < (from[token + 1] ?? 0); at += 1)
      sum += weights[(buckets[at] ?? 0) & (weights.length - 1)] ?? 0
    if (sum > most) {
      most = sum
      strongest = [first, token]
    }
  }
  return strongest
}
