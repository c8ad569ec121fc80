import { describe, expect, it } from 'vitest'
import { fakeEmbedder } from './fake-embedder.js'

describe('the fake embedder', () => {
  it('returns unit vectors that are equal for equal words and closer for shared words', async () => {
    const embedder = fakeEmbedder()
    const vectors = await embedder.embed([
      'John works at Acme',
      'john WORKS at acme!',
      'Acme employs John',
      'peanuts',
      '',
    ])
    const similarity = (a: number, b: number) =>
      vectors[a]?.reduce((sum, value, index) => sum + value * (vectors[b]?.[index] ?? 0), 0) ?? 0
    for (const vector of vectors) {
      expect(vector).toHaveLength(embedder.dimensions)
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
    }
    expect(similarity(0, 1)).toBeCloseTo(1, 5)
    expect(similarity(0, 2)).toBeGreaterThan(0.4)
    expect(Math.abs(similarity(0, 3))).toBeLessThan(0.2)
  })
})
