import { describe, expect, it } from 'vitest'
import { random } from '../random.js'
import { quantile, tellTale, welch, welchBelow } from './welch.js'

/** Sums of uniform numbers are close enough to a normal distribution. */
function times(seed: number, count: number, mean: number): number[] {
  const next = random(seed)
  return Array.from({ length: count }, () => mean + Array.from({ length: 12 }, next).reduce((sum, x) => sum + x, -6))
}

describe("Welch's t", () => {
  it('matches the textbook example', () => {
    // 27.5, 21.0, 19.0, … and 27.1, 22.0, 20.8, …: the example in Wikipedia, t = -2.46.
    const left = [27.5, 21, 19, 23.6, 17, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19, 21.7, 21.4]
    const right = [27.1, 22, 20.8, 23.4, 23.4, 23.5, 25.8, 22, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5, 24.4]
    expect(welch(left, right)).toBeCloseTo(-2.8557, 2)
  })

  it('does not separate equal distributions, and detects a shift of a tenth of their spread at 5,000 samples', () => {
    expect(Math.abs(welch(times(1, 5000, 10), times(2, 5000, 10)))).toBeLessThan(tellTale)
    expect(Math.abs(welch(times(1, 5000, 10), times(2, 5000, 10.1)))).toBeGreaterThan(tellTale)
  })

  it('finds a difference that pauses hide, once they are cut off', () => {
    const paused = (values: readonly number[]) => values.map((each, index) => (index % 20 === 0 ? each + 1000 : each))
    const [left, right] = [paused(times(1, 5000, 10)), paused(times(2, 5000, 10.2))]
    expect(Math.abs(welch(left, right))).toBeLessThan(tellTale)
    expect(Math.abs(welchBelow(0.9, left, right))).toBeGreaterThan(tellTale)
  })

  it('is 0 for equal constants and infinite for different ones', () => {
    expect(welch([1, 1], [1, 1])).toBe(0)
    expect(welch([1, 1], [2, 2])).toBe(Number.POSITIVE_INFINITY)
  })
})

it('computes quantiles of unsorted values', () => {
  expect(quantile([3, 1, 2, 4], 0.5)).toBe(3)
  expect(quantile([3, 1, 2, 4], 1)).toBe(4)
})
