import { expect, it } from 'vitest'
import { titleOf } from './title.ts'

it('names the fact, without its values', () => {
  expect(titleOf('john works at: "acme" before, "globex" now.')).toBe('John works at')
  expect(titleOf('élise’s town: "a: \\"b\\" before" before, "c" now.')).toBe('Élise’s town')
})

it('keeps any other reason as it is', () => {
  expect(titleOf('Both say the same in other words.')).toBe('Both say the same in other words.')
  expect(titleOf('')).toBe('')
})
