import { describe, expect, it } from 'vitest'
import { askedOf, between } from './asked-of.js'

describe('what a query asks', () => {
  it('is the query, if it is no dialogue', () => {
    for (const query of [
      'Where do I live?',
      'Name: Ann',
      'First line\nsecond line',
      'Error: no such file\nat line 3',
      '',
    ])
      expect(askedOf(query)).toBe(query)
  })

  it('is the last turn of a dialogue, without the name', () => {
    expect(
      askedOf('Ann: I will perform at the party!\nBen: That is great.\nAnn: By the way, what should I wear?'),
    ).toBe('By the way, what should I wear?')
  })

  it('is what the person said before the assistant', () => {
    expect(askedOf('User: What should I cook?\nAssistant: Do you like rice?')).toBe('What should I cook?')
  })

  it('is what was said last, if the last turn is empty', () => {
    expect(askedOf('User: Where did I park?\nAssistant: Hi! How can I help you?\nUser: ')).toBe('Where did I park?')
  })

  it('is the whole of a very long text', () => {
    const query = 'Ann: I was here.\nBen: So was I.\n'.repeat(2_000)
    expect(askedOf(query)).toBe(query)
  })
})

it('a vector between two is as long as one', () => {
  const middle = between(Float32Array.of(1, 0), Float32Array.of(0, 1))
  expect([...middle].map((value) => value.toFixed(3))).toEqual(['0.707', '0.707'])
  expect([...between(Float32Array.of(1, 0), Float32Array.of(-1, 0))]).toEqual([1, 0])
})
