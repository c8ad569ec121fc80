import { expect, it } from 'vitest'
import { binsOf } from './bins.ts'

const first = Date.parse('2026-01-01T00:00:00Z') / 86_400_000

it('divides the days into equal parts, and loses none', () => {
  const days = [
    { day: '2026-01-01', created: 2 },
    { day: '2026-01-02', created: 1 },
    { day: '2026-01-10', created: 5 },
  ]
  expect(binsOf(days, first, first + 9, 5)).toEqual([3, 0, 0, 0, 5])
  // The local and the universal day may differ by one.
  expect(binsOf(days, first + 1, first + 8, 2)).toEqual([3, 5])
})

it('works with a single day and without any', () => {
  expect(binsOf([{ day: '2026-01-01', created: 4 }], first, first, 3)).toEqual([4, 0, 0])
  expect(binsOf([], first, first, 3)).toEqual([0, 0, 0])
})
