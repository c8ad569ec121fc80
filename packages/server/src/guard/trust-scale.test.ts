import { describe, expect, it } from 'vitest'
import { doubtfulScore, trustScoreOf } from './trust-scale.js'

describe('the scale of trust scores', () => {
  it('rises with the product from 0 to 1', () => {
    const scores = Array.from({ length: 1001 }, (_, step) => trustScoreOf(step / 1000))
    expect(scores[0]).toBe(0)
    expect(scores[1000]).toBe(1)
    expect(scores.every((score, at) => at === 0 || score >= (scores[at - 1] ?? 0))).toBe(true)
  })

  it('puts one blunt override below the threshold for rejection, and any other single finding above it', () => {
    expect(trustScoreOf(1 - 0.75)).toBeLessThan(0.5)
    expect(trustScoreOf(1 - 0.7)).toBeGreaterThan(0.5)
    expect(trustScoreOf(1 - 0.35)).toBeLessThan(doubtfulScore)
  })

  it('keeps one reported attack at ordinary trust, and two of them unflagged', () => {
    expect(trustScoreOf(0.9)).toBeGreaterThanOrEqual(0.8)
    expect(trustScoreOf(0.81)).toBeGreaterThanOrEqual(doubtfulScore)
  })
})
