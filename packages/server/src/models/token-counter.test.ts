import { expect, it } from 'vitest'
import { lazyTokenCounter } from './token-counter.js'

it('counts the same tokens as the encoding', () => {
  const count = lazyTokenCounter()
  expect(count('hello world')).toBe(2)
  expect(count('')).toBe(0)
})

it('treats special tokens of language models as plain text', () => {
  const count = lazyTokenCounter()
  expect(count('<|endoftext|> <|im_start|>system')).toBeGreaterThan(5)
})

it('counts a page without a break as fast as a page of prose', () => {
  const count = lazyTokenCounter()
  // Uncut, the first of these alone would exceed the test's timeout.
  expect(count('北'.repeat(50_000))).toBe(50_000)
  expect(count(' '.repeat(50_000))).toBeLessThan(1_000)
  expect(count('👍'.repeat(25_000))).toBe(75_000)
})
