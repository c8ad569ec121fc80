import { expect, it } from 'vitest'
import { matchOf } from './match.js'

it.each([
  [1, 'strong'],
  [0.5, 'strong'],
  [0.499, 'possible'],
  [0.15, 'possible'],
  [0.149, 'weak'],
  [0.05, 'weak'],
  [0.049, 'none'],
  [0, 'none'],
])('the match of a score of %s is %s', (score, match) => {
  expect(matchOf(score)).toBe(match)
})
