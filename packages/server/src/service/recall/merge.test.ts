import { describe, expect, it } from 'vitest'
import type { Weighed } from '../../retrieval/rank/candidate.js'
import { merge } from './merge.js'

/** Only the id and the score matter here. */
function found(id: string, score: number): Weighed {
  return { memory: { id }, score } as Weighed
}

const all = (chosen: readonly Weighed[]) => chosen
const ids = (chosen: readonly Weighed[]) => chosen.map(({ memory }) => memory.id)

describe('results of several scopes', () => {
  const searches = [
    {
      chosen: [found('a', 0.9), found('b', 0.4)],
      further: [found('e', 0.3)],
      notReturned: [{ id: 'z', reason: 'not_found' as const }],
    },
    { chosen: [found('c', 0.9), found('d', 0.6)], further: [], notReturned: [{ id: 'z', reason: 'expired' as const }] },
  ]

  it('are ordered by score, and by scope among equals', () => {
    expect(ids(merge(searches, { limit: 10, mostInContext: 0 }, all).chosen)).toEqual(['a', 'c', 'd', 'b'])
    expect(ids(merge(searches, { limit: 2, mostInContext: 0 }, all).chosen)).toEqual(['a', 'c'])
  })

  it('go on in the context, as far as it may go', () => {
    expect(ids(merge(searches, { limit: 2, mostInContext: 10 }, all).further)).toEqual(['d', 'b', 'e'])
    expect(ids(merge(searches, { limit: 2, mostInContext: 3 }, all).further)).toEqual(['d'])
    expect(merge(searches, { limit: 2, mostInContext: 0 }, all).further).toEqual([])
  })

  it('are bounded in size together, and explain what was left out', () => {
    const firstOnly = (chosen: readonly Weighed[]) => chosen.slice(0, 1)
    const merged = merge(searches, { limit: 3, mostInContext: 0, explainMemoryIds: ['d', 'a', 'z', 'c'] }, firstOnly)
    expect(ids(merged.chosen)).toEqual(['a'])
    expect(merged.notReturned).toMatchObject([
      { id: 'd', reason: 'beyond_limit', scored: { rank: 3 } },
      { id: 'z', reason: 'expired' },
      { id: 'c', reason: 'beyond_limit', scored: { rank: 2 } },
    ])
  })
})
