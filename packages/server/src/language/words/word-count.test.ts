import { describe, expect, it } from 'vitest'
import { countWords } from './word-count.js'

describe('the number of words that say something', () => {
  it('leaves out articles', () => {
    expect(countWords('The dentist moved to a house in York')).toBe(4)
  })

  it('counts two characters as a word where there are no spaces', () => {
    expect(countWords('捷达卖了，新提了一辆比亚迪。')).toBe(6)
    expect(countWords('はい')).toBe(1)
  })

  it('counts a text of both kinds', () => {
    expect(countWords('我在 Acme 工作')).toBe(3)
  })

  it('is 0 for an empty text', () => {
    expect(countWords('')).toBe(0)
  })
})
