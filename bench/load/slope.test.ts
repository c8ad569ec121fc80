import { describe, expect, it } from 'vitest'
import { random } from '../random.js'
import { medians, theilSen } from './slope.js'

const noisy = (slope: number, seed: number) => {
  const next = random(seed)
  return Array.from({ length: 60 }, (_, x) => ({ x, y: slope * x + 10 * (next() - 0.5) + (x % 17 === 0 ? 500 : 0) }))
}

describe('the slope of noisy points', () => {
  it('lies within its interval despite a few outliers', () => {
    for (const slope of [-3, 0, 0.5, 2]) {
      const found = theilSen(noisy(slope, 5))
      expect(found.low).toBeLessThanOrEqual(slope)
      expect(found.high).toBeGreaterThanOrEqual(slope)
      expect(Math.abs(found.slope - slope)).toBeLessThan(0.2)
    }
  })

  it('has an interval that grows with the noise', () => {
    const width = (scale: number) => {
      const { low, high } = theilSen(noisy(0, 7).map(({ x, y }) => ({ x, y: y * scale })))
      return high - low
    }
    expect(width(10)).toBeGreaterThan(5 * width(1))
  })

  it('is NaN if there is nothing to compare', () => {
    expect(theilSen([]).slope).toBeNaN()
    expect(theilSen([{ x: 1, y: 1 }]).slope).toBeNaN()
  })
})

it('returns the median of each stretch, and omits an incomplete one', () => {
  const points = [5, 1, 9, 2, 2, 8, 7].map((y, x) => ({ x, y }))
  expect(medians(points, 3)).toEqual([
    { x: 1, y: 5 },
    { x: 4, y: 2 },
  ])
})
