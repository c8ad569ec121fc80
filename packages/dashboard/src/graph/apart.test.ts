import { expect, it } from 'vitest'
import { type Disc, moveApart } from './apart.js'

const distance = (a: Disc | undefined, b: Disc | undefined) =>
  Math.hypot((a?.x ?? 0) - (b?.x ?? 0), (a?.y ?? 0) - (b?.y ?? 0))

it('separates nodes that cover each other, also at the same place, and leaves others alone', () => {
  const discs: Disc[] = [
    { x: 0, y: 0, radius: 2 },
    { x: 1, y: 0, radius: 2 },
    { x: 1, y: 0, radius: 1 },
    { x: 50, y: 50, radius: 2 },
  ]
  expect(moveApart(discs)).toBe(true)
  expect(distance(discs[0], discs[1])).toBeGreaterThanOrEqual(4 - 1e-6)
  expect(distance(discs[0], discs[2])).toBeGreaterThanOrEqual(3 - 1e-6)
  expect(distance(discs[1], discs[2])).toBeGreaterThanOrEqual(3 - 1e-6)
  expect(discs[3]).toEqual({ x: 50, y: 50, radius: 2 })
})

it('ends for thousands of nodes at one place', () => {
  const discs = Array.from({ length: 2000 }, () => ({ x: 0, y: 0, radius: 1 }))
  moveApart(discs)
  expect(discs.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))).toBe(true)
})
