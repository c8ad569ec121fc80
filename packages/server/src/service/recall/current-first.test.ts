import { describe, expect, it } from 'vitest'
import type { BareMemory } from '../../core/memory.js'
import type { Weighed } from '../../retrieval/rank/candidate.js'
import type { Contested } from '../../storage/ports/memory-reads.js'
import { inOrder } from './current-first.js'

/** The order needs ids and scores only. */
const weighed = (scores: Record<string, number>): Weighed[] =>
  Object.entries(scores).map(([id, score]) => ({ memory: { id } as BareMemory, score }) as Weighed)
const order = (scores: Record<string, number>, ...contested: Contested[]) =>
  Object.fromEntries(inOrder(weighed(scores), contested).map(({ memory, score }) => [memory.id, score]))
const ids = (scores: Record<string, number>, ...contested: Contested[]) => Object.keys(order(scores, ...contested))
const contest = (oldId: string, newId: string, isPart = false): Contested => ({ oldId, newId, isPart })

describe('the newer of two contested memories', () => {
  it('moves directly before the older one, with its score', () => {
    const result = order({ top: 1, old: 0.8, other: 0.6, fresh: 0.1 }, contest('old', 'fresh'))
    expect(Object.entries(result)).toEqual([
      ['top', 1],
      ['fresh', 0.8],
      ['old', 0.8],
      ['other', 0.6],
    ])
  })

  it('stays if it is already before the older one', () => {
    expect(order({ fresh: 0.9, old: 0.8 }, contest('old', 'fresh'))).toEqual({ fresh: 0.9, old: 0.8 })
  })

  it('moves for a part of the older one only if it matches at least half as well', () => {
    expect(ids({ old: 0.8, fresh: 0.4 }, contest('old', 'fresh', true))).toEqual(['fresh', 'old'])
    expect(ids({ old: 0.8, fresh: 0.39 }, contest('old', 'fresh', true))).toEqual(['old', 'fresh'])
  })

  it('moves up a chain of changes', () => {
    const scores = { first: 0.9, second: 0.8, third: 0.7 }
    expect(ids(scores, contest('first', 'second'), contest('second', 'third'))).toEqual(['third', 'second', 'first'])
  })

  it('is ignored if one of the two was not found', () => {
    expect(ids({ old: 0.8, other: 0.4 }, contest('old', 'fresh'), contest('gone', 'other'))).toEqual(['old', 'other'])
    expect(ids({})).toEqual([])
  })

  it('neither adds nor loses a memory', () => {
    const before = weighed({ a: 0.9, b: 0.8, c: 0.7, d: 0.6 })
    const after = inOrder(before, [contest('a', 'd'), contest('d', 'a'), contest('b', 'c'), contest('a', 'a')])
    expect(after.map(({ memory }) => memory.id).sort()).toEqual(['a', 'b', 'c', 'd'])
    expect(before.map(({ memory }) => memory.id)).toEqual(['a', 'b', 'c', 'd'])
  })
})
