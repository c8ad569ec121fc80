import { expect, it } from 'vitest'
import { startOf } from './start-of.js'

it('never ends within a character', () => {
  expect(startOf('ab😀c', 3)).toBe('ab')
  expect(startOf('ab😀c', 4)).toBe('ab😀')
  expect(startOf('abc', 2)).toBe('ab')
  expect(startOf('', 2)).toBe('')
})
