import { describe, expect, it, test } from 'vitest'
import { contextOf, embeddingText } from './embedding-text.js'

describe('embeddingText', () => {
  test('is the memory itself if there is no previous turn', () => {
    expect(embeddingText('Ann: yes', null)).toBe('Ann: yes')
    expect(embeddingText('Ann: yes', ' \n')).toBe('Ann: yes')
  })

  test('appends the previous turn', () => {
    expect(embeddingText('Ann: yes', 'Bo: Do you ski?')).toBe('Ann: yes (after Bo: Do you ski?)')
  })

  test('truncates a long previous turn, never inside a character', () => {
    expect(embeddingText('a', 'b'.repeat(1_000))).toBe(`a (after ${'b'.repeat(240)})`)
    expect(embeddingText('a', `${'b'.repeat(239)}😀`)).toBe(`a (after ${'b'.repeat(239)})`)
  })

  test('omits inserted dates, and nothing else in brackets', () => {
    const dates = ['7 May 2023', 'about 2020', 'week of 2 May 2023', '12 and 13 July 2025', '31 May and 1 June 2025']
    for (const date of [...dates, 'December 2026', '2027', 'summer 2025', 'winter of 2024 to 2025'])
      expect(embeddingText(`I ran then (${date}) a lot.`, null)).toBe('I ran then a lot.')
    const other = 'She (Anna) paid (in cash) for it (the 2020 model) in Rome (Italy).'
    expect(embeddingText(other, null)).toBe(other)
  })
})

describe('contextOf', () => {
  it('is the turn before, and also the one before that if the nearest is short', () => {
    expect(contextOf([])).toBeNull()
    expect(contextOf(['Bo: Why?'])).toBe('Bo: Why?')
    expect(contextOf(['Bo: Why?', 'Ann: I sold the boat.'])).toBe('Bo: Why? after Ann: I sold the boat.')
    expect(contextOf(['x'.repeat(121), 'Ann: I sold the boat.'])).toBe('x'.repeat(121))
  })
})
