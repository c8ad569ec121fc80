import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultWeights, fuse, relevanceOf } from './fuse.js'
import { candidateWith } from './ranked.fixture.js'

const share = fc.double({ min: 0, max: 1, noNaN: true })

describe('fuse', () => {
  it('keeps relevance within 0 and 1, whatever the signals say', () => {
    fc.assert(
      fc.property(fc.option(share), fc.option(share), share, (semantic, keyword, graph) => {
        const relevance = relevanceOf({ semantic, keyword, graph }, defaultWeights)
        expect(relevance).toBeGreaterThanOrEqual(0)
        expect(relevance).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('never lets a better signal lower the relevance', () => {
    fc.assert(
      fc.property(share, share, share, share, (semantic, keyword, graph, more) => {
        const before = relevanceOf({ semantic, keyword, graph }, defaultWeights)
        const better = (value: number) => Math.max(value, more)
        const after = relevanceOf(
          { semantic: better(semantic), keyword: better(keyword), graph: better(graph) },
          defaultWeights,
        )
        expect(after).toBeGreaterThanOrEqual(before - 1e-12)
      }),
    )
  })

  it('is the semantic score alone when nothing else was asked', () => {
    expect(relevanceOf({ semantic: 0.42, keyword: null, graph: 0 }, defaultWeights)).toBeCloseTo(0.42, 12)
  })

  it('orders by relevance, then newest, then id', () => {
    const order = fuse(
      [
        candidateWith({ id: 'mem_b', createdAt: 1 }, { semantic: 0.5 }),
        candidateWith({ id: 'mem_a', createdAt: 1 }, { semantic: 0.5 }),
        candidateWith({ id: 'mem_c', createdAt: 2 }, { semantic: 0.5 }),
        candidateWith({ id: 'mem_d', createdAt: 0 }, { semantic: 0.6 }),
      ],
      defaultWeights,
    )
    expect(order.map(({ memory }) => memory.id)).toEqual(['mem_d', 'mem_c', 'mem_a', 'mem_b'])
  })
})
