import { expect, it } from 'vitest'
import { isLowTrust, maySupersede, trustFactor } from './trust.js'

it('leaves ordinary memories unchanged and lowers others in proportion to their trust', () => {
  expect([1, 0.9, 0.8].map(trustFactor)).toEqual([1, 1, 1])
  expect(trustFactor(0.6)).toBeCloseTo(0.75, 9)
  expect(trustFactor(0.4)).toBeLessThan(trustFactor(0.6))
  expect(trustFactor(0)).toBe(0)
})

it('lets a doubtful memory supersede only what is not trusted more', () => {
  expect(maySupersede(1, 1)).toBe(true)
  expect(maySupersede(0.85, 1)).toBe(true)
  expect(maySupersede(0.6, 1)).toBe(false)
  expect(maySupersede(0.6, 0.7)).toBe(false)
  expect(maySupersede(0.6, 0.55)).toBe(true)
  expect([0.79, 0.8].map(isLowTrust)).toEqual([true, false])
})
