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
