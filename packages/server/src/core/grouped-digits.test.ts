import { describe, expect, it } from 'vitest'
import { groupedDigits } from './grouped-digits.js'

describe('groupedDigits', () => {
  it.each([0, 7, 999, 1_000, 50_000, 999_999, 1_000_000, 12_345_678])('writes %i as English does', (number) => {
    expect(groupedDigits(number)).toBe(number.toLocaleString('en-US'))
  })
})
