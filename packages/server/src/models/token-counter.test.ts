import { expect, it } from 'vitest'
import { openTokenCounter } from './token-counter.js'

it('counts tokens as the encoding does', async () => {
  const count = await openTokenCounter()
  expect(count('hello world')).toBe(2)
  expect(count('')).toBe(0)
})

it('takes special tokens of language models for plain text', async () => {
  const count = await openTokenCounter()
  expect(count('<|endoftext|> <|im_start|>system')).toBeGreaterThan(5)
})

it('counts a page of one unbroken run in no more time than a page of prose', async () => {
  const count = await openTokenCounter()
  // Left whole, the first of these alone takes longer than a test may.
  expect(count('北'.repeat(50_000))).toBe(50_000)
  expect(count(' '.repeat(50_000))).toBeLessThan(1_000)
  expect(count('👍'.repeat(25_000))).toBe(75_000)
})
