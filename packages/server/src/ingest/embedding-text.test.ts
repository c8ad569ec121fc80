import { describe, expect, test } from 'vitest'
import { embeddingText } from './embedding-text.js'

describe('embeddingText', () => {
  test('is the memory itself where nothing came before', () => {
    expect(embeddingText('Ann: yes', null)).toBe('Ann: yes')
    expect(embeddingText('Ann: yes', ' \n')).toBe('Ann: yes')
  })

  test('puts the turn before behind it', () => {
    expect(embeddingText('Ann: yes', 'Bo: Do you ski?')).toBe('Ann: yes (after Bo: Do you ski?)')
  })

  test('cuts a long turn before, never inside a character', () => {
    expect(embeddingText('a', 'b'.repeat(1_000))).toBe(`a (after ${'b'.repeat(240)})`)
    expect(embeddingText('a', `${'b'.repeat(239)}😀`)).toBe(`a (after ${'b'.repeat(239)})`)
  })
})
