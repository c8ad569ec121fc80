import { expect, it } from 'vitest'
import { counted } from './counted.js'

it('uses the plural for every number but one', () => {
  expect([0, 1, 2].map((count) => counted(count, 'memory', 'memories'))).toEqual([
    '0 memories',
    '1 memory',
    '2 memories',
  ])
  expect(counted(1, 'relationship')).toBe('1 relationship')
  expect(counted(5, 'relationship')).toBe('5 relationships')
})
