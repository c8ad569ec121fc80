/** Linear models over hashed features, trained with AdaGrad: one for worth (logistic), one for the topic (softmax). */
import type { Random } from '../../bench/random.js'
import { topics } from '../../packages/server/src/core/fact.js'
import { topicBuckets, worthBuckets } from '../../packages/server/src/facts/statements/features.js'

export interface Example {
  readonly features: Uint32Array
  readonly target: number
  readonly weight: number
}

export interface Weights {
  readonly weights: Float32Array
  readonly bias: Float32Array
}

interface Settings {
  readonly epochs: number
  readonly rate: number
  readonly decay: number
}

/** `target` of an example: the chance that it is a lasting fact. */
export function learnWorth(examples: readonly Example[], next: Random, settings: Settings): Weights {
  return learn(examples, next, settings, 1, worthBuckets, ([score = 0], target) => [
    target - 1 / (1 + Math.exp(-score)),
  ])
}

/** `target` of an example: the number of its topic. */
export function learnTopics(examples: readonly Example[], next: Random, settings: Settings): Weights {
  return learn(examples, next, settings, topics.length, topicBuckets, (scores, target) => {
    const most = Math.max(...scores)
    const raised = scores.map((score) => Math.exp(score - most))
    const sum = raised.reduce((total, each) => total + each, 0)
    return raised.map((each, topic) => (topic === target ? 1 : 0) - each / sum)
  })
}

function learn(
  examples: readonly Example[],
  next: Random,
  { epochs, rate, decay }: Settings,
  outputs: number,
  buckets: number,
  errorsOf: (scores: readonly number[], target: number) => readonly number[],
): Weights {
  const weights = new Float32Array(outputs * buckets)
  const seen = new Float32Array(outputs * buckets).fill(1e-2)
  const bias = new Float32Array(outputs)
  const biasSeen = new Float32Array(outputs).fill(1e-2)
  const order = examples.map((_, index) => index)
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    shuffle(order, next)
    for (const index of order) {
      const { features, target, weight } = examples[index] as Example
      const places = Array.from(features, (hash) => hash & (buckets - 1))
      const norm = Math.sqrt(places.length || 1)
      const errors = errorsOf(scoresOf({ weights, bias }, places, buckets, outputs), target)
      for (let output = 0; output < outputs; output += 1) {
        const step = (errors[output] ?? 0) * weight
        if (Math.abs(step) < 1e-4) continue
        for (const place of places) {
          const at = output * buckets + place
          const slope = step / norm - decay * (weights[at] ?? 0)
          seen[at] = (seen[at] ?? 0) + slope * slope
          weights[at] = (weights[at] ?? 0) + (rate * slope) / Math.sqrt(seen[at] ?? 1)
        }
        biasSeen[output] = (biasSeen[output] ?? 0) + step * step
        bias[output] = (bias[output] ?? 0) + (rate * step) / Math.sqrt(biasSeen[output] ?? 1)
      }
    }
  }
  return { weights, bias }
}

export function scoresOf(
  { weights, bias }: Weights,
  places: readonly number[],
  buckets: number,
  outputs: number,
): number[] {
  const norm = Math.sqrt(places.length || 1)
  return Array.from({ length: outputs }, (_, output) => {
    let sum = 0
    for (const place of places) sum += weights[output * buckets + place] ?? 0
    return (bias[output] ?? 0) + sum / norm
  })
}

function shuffle(order: number[], next: Random): void {
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = Math.floor(next() * (at + 1))
    const held = order[at] ?? 0
    order[at] = order[other] ?? 0
    order[other] = held
  }
}
