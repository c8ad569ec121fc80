import { describe, expect, it } from 'vitest'
import { areOfDifferentThings } from './attribute-of.js'

describe('areOfDifferentThings', () => {
  it('is true for the same attribute of things with other names', () => {
    expect(areOfDifferentThings('明月茶社品茶会的规模是七百人。', '清风书院读书会的规模是五百人。')).toBe(true)
    expect(areOfDifferentThings('港まつり花火大会の会場は埠頭', '桜通り商店街の会場は公園')).toBe(true)
  })

  it('is true for different attributes of one thing', () => {
    expect(areOfDifferentThings('清风书院读书会的地点是三楼。', '清风书院读书会的规模是五百人。')).toBe(true)
  })

  it('is false for a new value, a shorter name, a person, and any other form', () => {
    expect(areOfDifferentThings('清风书院读书会的规模是六百人。', '清风书院读书会的规模是五百人。')).toBe(false)
    expect(areOfDifferentThings('读书会的规模现在是六百人。', '清风书院读书会的规模是五百人。')).toBe(false)
    expect(areOfDifferentThings('我老婆的手机是139。', '我妻子的手机是138。')).toBe(false)
    expect(areOfDifferentThings('读书会改到四楼了', '清风书院读书会的地点是三楼。')).toBe(false)
    expect(areOfDifferentThings('The venue of the fair is the park', 'The venue of the feast is the hall')).toBe(false)
  })
})
