import { describe, expect, it } from 'vitest'
import type { Tagged } from '../models/models.js'
import { divide } from './divide.js'
import { factsApart } from './facts-apart.js'

const tags = (...slots: string[]): Tagged => ({
  entities: [],
  relationships: [],
  slots: slots.map((slot) => ({ slot, value: 'x' })),
})

describe('factsApart', () => {
  const { memories } = divide(
    { messages: [{ role: 'user', content: 'Hi! I live in Berlin. My garden is full of roses. Thanks!' }] },
    0,
  )

  it('keeps a turn whole if it states nothing that may change', () => {
    const told = factsApart(memories, [tags('HOLDS|LIKES|a|b')]).map(({ content }) => content)
    expect(told).toEqual(['Hi! I live in Berlin. My garden is full of roses. Thanks!'])
  })

  it('makes a memory of each statement if one may change, over the same segments', () => {
    const parts = factsApart(memories, [tags('LIVES_IN|a')])
    expect(parts.map(({ content }) => content)).toEqual([
      'Hi! I live in Berlin.',
      'My garden is full of roses. Thanks!',
    ])
    expect([parts[0]?.segments[0], parts.at(-1)?.segments[1]]).toEqual(memories[0]?.segments)
  })

  it('names in each part the person it is about', () => {
    const turn = { role: 'user', content: 'My boss Frank lives in Graz. He likes tea a lot.' } as const
    const { memories: whole } = divide({ messages: [turn] }, 0)
    expect(whole.map(({ content }) => content)).toEqual([turn.content])
    expect(factsApart(whole, [tags('LIVES_IN|frank')]).map(({ content, meant }) => [content, meant])).toEqual([
      ['My boss Frank lives in Graz.', 'My boss Frank lives in Graz.'],
      ['He (Frank) likes tea a lot.', 'Frank likes tea a lot.'],
    ])
  })
})
