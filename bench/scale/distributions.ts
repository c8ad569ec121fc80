/** Random values with a known mean, from a seeded source. */
import type { Random } from '../random.js'

export function exponential(next: Random, mean: number): number {
  return -mean * Math.log(1 - next())
}

/** A gamma distribution of this mean and coefficient of variation (0: constant; 1: exponential). */
export function gammaWithSpread(next: Random, mean: number, spread: number): number {
  if (spread <= 0 || mean <= 0) return mean
  const shape = 1 / (spread * spread)
  return (mean / shape) * gamma(next, shape)
}

/** Marsaglia and Tsang's method; a shape below 1 is lifted above it first. */
function gamma(next: Random, shape: number): number {
  if (shape < 1) return gamma(next, shape + 1) * (1 - next()) ** (1 / shape)
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = normal(next)
    const v = (1 + c * x) ** 3
    if (v > 0 && Math.log(1 - next()) < 0.5 * x * x + d * (1 - v + Math.log(v))) return d * v
  }
}

function normal(next: Random): number {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
}

/**
 * Ranks 0 to `count` - 1, rank r with a probability in proportion to 1 / (r + 1) ^ exponent, without a table:
 * rejection-inversion (Hörmann and Derflinger 1996). It takes the same time for ten users as for a billion.
 */
export function zipf(count: number, exponent: number): (next: Random) => number {
  if (!Number.isInteger(count) || count < 1) throw new Error(`the number of ranks must be at least 1, not ${count}`)
  if (!(exponent >= 0)) throw new Error(`the exponent must not be negative, not ${exponent}`)
  const isHarmonic = Math.abs(1 - exponent) < 1e-9
  const area = (x: number) => (isHarmonic ? Math.log(x) : x ** (1 - exponent) / (1 - exponent))
  const areaInverse = (y: number) => (isHarmonic ? Math.exp(y) : ((1 - exponent) * y) ** (1 / (1 - exponent)))
  const height = (x: number) => x ** -exponent
  const lowest = area(1.5) - 1
  const highest = area(count + 0.5)
  return (next) => {
    for (;;) {
      const y = lowest + next() * (highest - lowest)
      const rank = Math.min(count, Math.max(1, Math.round(areaInverse(y))))
      if (y >= area(rank + 0.5) - height(rank)) return rank - 1
    }
  }
}
