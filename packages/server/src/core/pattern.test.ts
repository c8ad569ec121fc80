import { expect, it } from 'vitest'
import { pattern } from './pattern.js'

it('joins the lines and keeps spaces, backslashes and embedded values', () => {
  const value = 'two\n  lines'
  expect(pattern`
    ^(?:one| two
    |\p{L}+ \\) ${value}
  `).toBe('^(?:one| two|\\p{L}+ \\\\) two\n  lines')
})
