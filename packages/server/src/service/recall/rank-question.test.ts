import { describe, expect, it } from 'vitest'
import type { Ranked } from '../../retrieval/rank/candidate.js'
import { type RankedFor, together } from './rank-question.js'

/** The merge needs ids, relevances and chances only. */
const ranking = (relevance: number, asChange?: Record<string, number>) =>
  ({
    ranked: [{ memory: { id: 'new' }, relevance, ...(asChange && { asChange: new Map(Object.entries(asChange)) }) }],
    changes: [],
  }) as unknown as RankedFor

describe('several questions in one', () => {
  it('keep the best reading of a change, and the score of the question that it answers best', () => {
    const orders: RankedFor[][] = [
      [ranking(0.9, { old: 0.02 }), ranking(0.1, { old: 0.8, other: 0.3 })],
      [ranking(0.1, { old: 0.8, other: 0.3 }), ranking(0.9, { old: 0.02 })],
      [ranking(0.9), ranking(0.1, { old: 0.8, other: 0.3 })],
    ]
    for (const questions of orders) {
      const [only, ...others] = together(questions).ranked as Ranked[]
      expect(others).toEqual([])
      expect(only?.relevance).toBe(0.9)
      expect(Object.fromEntries(only?.asChange ?? [])).toEqual({ old: 0.8, other: 0.3 })
    }
  })

  it('have no reading if none was read', () => {
    expect(together([ranking(0.9), ranking(0.1)]).ranked[0]?.asChange).toBeUndefined()
  })
})
