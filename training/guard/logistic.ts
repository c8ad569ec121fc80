/**
 * Logistic regression over hashed features with AdaGrad. An attack is a bag of windows of which some give the order: each round teaches
 * the windows that the round before found most suspicious (multiple-instance learning), an ordinary text teaches all of its windows.
 */
import type { Random } from '../../bench/random.js'
import { featureBuckets, pooledScore } from '../../packages/server/src/guard/features.js'

export interface Bag {
  /** Different features of each window. */
  readonly windows: readonly Uint32Array[]
  readonly attack: boolean
  readonly weight: number
}

export interface Linear {
  readonly weights: Float32Array
  bias: number
}

export function windowScore({ weights, bias }: Linear, features: Uint32Array): number {
  let sum = 0
  for (const feature of features) sum += weights[feature] ?? 0
  return bias + sum / Math.sqrt(features.length || 1)
}

export function bagScore(model: Linear, { windows }: Pick<Bag, 'windows'>): number {
  return windows.length === 0 ? -20 : pooledScore(windows.map((window) => windowScore(model, window)))
}

interface Settings {
  readonly epochs: number
  readonly rate: number
  readonly decay: number
}

export function learn(bags: readonly Bag[], next: Random, { epochs, rate, decay }: Settings): Linear {
  const model: Linear = { weights: new Float32Array(featureBuckets), bias: -3 }
  const seen = new Float32Array(featureBuckets).fill(1e-3)
  let biasSeen = 1e-3
  const order = bags.map((_, index) => index)
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    shuffle(order, next)
    for (const index of order) {
      const bag = bags[index]
      if (!bag) continue
      for (const window of taught(model, bag, epoch, next)) {
        const error = (bag.attack ? 1 : 0) - 1 / (1 + Math.exp(-windowScore(model, window)))
        const step = error * bag.weight
        if (Math.abs(step) < 1e-4) continue
        const gradient = step / Math.sqrt(window.length || 1)
        for (const feature of window) {
          const weight = model.weights[feature] ?? 0
          const slope = gradient - decay * weight
          const sum = (seen[feature] ?? 0) + slope * slope
          seen[feature] = sum
          model.weights[feature] = weight + (rate * slope) / Math.sqrt(sum)
        }
        biasSeen += step * step
        model.bias += (rate * step) / Math.sqrt(biasSeen)
      }
    }
  }
  return model
}

function taught(model: Linear, bag: Bag, epoch: number, next: Random): readonly Uint32Array[] {
  const { windows } = bag
  if (windows.length <= 1) return windows
  if (!bag.attack) {
    // The most suspicious one always, of the others some.
    const most = windows.length <= 4 ? 1 : 4 / windows.length
    const worst = windows.reduce((best, window) =>
      windowScore(model, window) > windowScore(model, best) ? window : best,
    )
    return [worst, ...windows.filter((window) => window !== worst && next() < most)]
  }
  if (epoch === 0) return windows.slice(0, 3)
  return [...windows]
    .sort((left, right) => windowScore(model, right) - windowScore(model, left))
    .slice(0, Math.max(1, Math.min(3, windows.length >> 1)))
}

function shuffle(order: number[], next: Random): void {
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = Math.floor(next() * (at + 1))
    const held = order[at] ?? 0
    order[at] = order[other] ?? 0
    order[other] = held
  }
}
