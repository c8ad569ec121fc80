import { expect, it } from 'vitest'
import { strengthOf } from './strength.ts'

it.each([
  [1, 'strong'],
  [0.5, 'strong'],
  [0.499, 'possible'],
  [0.352, 'possible'],
  [0.15, 'possible'],
  [0.149, 'weak'],
  [0, 'weak'],
])('a score of %d is %s', (score, strength) => {
  expect(strengthOf(score)).toBe(strength)
})
