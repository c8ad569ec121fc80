import { describe, expect, it } from 'vitest'
import type { Reranker } from '../models/models.js'
import { defaultFusion, fuse } from './fuse.js'
import { candidateWith } from './ranked.fixture.js'
import { rerank, rerankDepth } from './rerank.js'

const byLength: Reranker = {
  modelId: 'by-length',
  score: (_query, texts) => Promise.resolve(texts.map((text) => Math.min(1, text.length / 10))),
  close: () => Promise.resolve(),
}

function ranked(count: number) {
  const candidates = Array.from({ length: count }, (_, index) =>
    candidateWith({ id: `mem_${index}`, content: 'x'.repeat(index % 10) }, { semantic: 1 - index / 100 }),
  )
  return fuse(candidates, defaultFusion, false)
}

describe('rerank', () => {
  it('lifts what the second look prefers among near equals, and tells its score and rank', async () => {
    const [first, second] = await rerank(byLength, 'q', ranked(2), defaultFusion)
    expect(first?.memory.id).toBe('mem_1')
    expect(first?.rerank).toEqual({ score: 0.1, rank: 1 })
    expect(second?.rerank).toEqual({ score: 0, rank: 2 })
  })

  it('keeps every candidate, relevance within 0 and 1 and in order', async () => {
    const again = await rerank(byLength, 'q', ranked(50), defaultFusion)
    expect(again).toHaveLength(50)
    const relevances = again.map(({ relevance }) => relevance)
    expect(relevances).toEqual([...relevances].sort((a, b) => b - a))
    expect(Math.max(...relevances)).toBeLessThanOrEqual(1)
  })

  it('lets nothing beyond its depth overtake what it looked at', async () => {
    const again = await rerank(byLength, 'q', ranked(50), defaultFusion)
    const unseen = again.findIndex((candidate) => candidate.rerank === null)
    expect(unseen).toBeGreaterThanOrEqual(rerankDepth)
  })

  it('asks nothing of the model when there is nothing to rank', async () => {
    const never: Reranker = { ...byLength, score: () => Promise.reject(new Error('asked')) }
    expect(await rerank(never, 'q', [], defaultFusion)).toEqual([])
  })
})
