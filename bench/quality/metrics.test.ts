import { describe, expect, it } from 'vitest'
import {
  abstentionArea,
  areaUnderCurve,
  byCategory,
  type Outcome,
  recallCurve,
  shareInterval,
  spearman,
  summarize,
} from './metrics.js'

function outcome(ranks: readonly number[], goldCount: number, more: Partial<Outcome> = {}): Outcome {
  return { id: 'q', category: 'all', answerable: true, goldCount, ranks, topScore: 0, ...more }
}

describe('the figures of a set of questions', () => {
  it('counts a question for any@k from the rank of its first evidence on', () => {
    const metrics = summarize([outcome([5, 12], 2), outcome([], 1)])?.metrics
    expect(metrics).toMatchObject({ 'any@1': 0, 'any@5': 0.5, 'any@10': 0.5, 'any@20': 0.5 })
  })

  it('counts a question for all@k only if every piece of evidence was found', () => {
    expect(summarize([outcome([1, 5], 2)])?.metrics).toMatchObject({ 'all@5': 1, 'all@10': 1 })
    expect(summarize([outcome([1, 6], 2)])?.metrics).toMatchObject({ 'all@5': 0, 'all@10': 1 })
    expect(summarize([outcome([1, 2], 3)])?.metrics).toMatchObject({ 'all@5': 0, 'all@10': 0 })
  })

  it('computes NDCG@10 against the best possible order', () => {
    expect(summarize([outcome([1, 2], 2)])?.metrics['NDCG@10']).toBeCloseTo(1, 10)
    // 1/log2(3) + 1/log2(5), of 1 + 1/log2(3)
    expect(summarize([outcome([2, 4], 2)])?.metrics['NDCG@10']).toBeCloseTo(0.65092, 5)
    expect(summarize([outcome([11], 1)])?.metrics['NDCG@10']).toBe(0)
    // With more than ten pieces of evidence, ten are the best possible.
    expect(summarize([outcome([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 14)])?.metrics['NDCG@10']).toBeCloseTo(1, 10)
  })

  it('computes MRR as the mean reciprocal of the first rank', () => {
    expect(summarize([outcome([2, 3], 2), outcome([4], 1), outcome([], 1)])?.metrics.MRR).toBeCloseTo(0.25, 10)
  })

  it('omits questions without an answer, and has no figures if there are no others', () => {
    const unanswerable = outcome([], 0, { answerable: false })
    expect(summarize([outcome([1], 1), unanswerable])).toMatchObject({ questions: 1, metrics: { 'any@1': 1 } })
    expect(summarize([unanswerable])).toBeUndefined()
    expect(recallCurve([unanswerable], 2)).toEqual([0, 0])
  })

  it('computes recall for every k', () => {
    expect(recallCurve([outcome([1], 1), outcome([3], 1), outcome([], 1), outcome([4], 1)], 4)).toEqual([
      0.25, 0.25, 0.5, 0.75,
    ])
  })

  it('computes the figures of each category separately', () => {
    const found = byCategory([outcome([1], 1, { category: 'b' }), outcome([2], 1, { category: 'a' })])
    expect(Object.keys(found)).toEqual(['a', 'b'])
    expect(found.a?.metrics['any@1']).toBe(0)
    expect(found.b?.metrics['any@1']).toBe(1)
  })
})

describe('abstention', () => {
  const scored = (answerable: boolean, topScore: number) => outcome([], 1, { answerable, topScore })

  it('is the share of pairs in which the question with an answer scores higher, ties counting half', () => {
    expect(areaUnderCurve([3, 2], [1, 0])).toBe(1)
    expect(areaUnderCurve([0, 1], [3, 2])).toBe(0)
    expect(areaUnderCurve([1, 1], [1, 1, 1])).toBe(0.5)
    // Pairs: 3>1, 3>2, 2>1, 2=2.
    expect(areaUnderCurve([3, 2], [1, 2])).toBe(0.875)
  })

  it('agrees with counting the pairs one by one', () => {
    const high = [0.3, 0.5, 0.5, 0.9, 0.1]
    const low = [0.5, 0.2, 0.9, 0.4]
    let wins = 0
    for (const a of high) for (const b of low) wins += a > b ? 1 : a === b ? 0.5 : 0
    expect(areaUnderCurve(high, low)).toBeCloseTo(wins / 20, 12)
  })

  it('is undefined if either kind of question is missing', () => {
    expect(abstentionArea([scored(true, 1), scored(false, 0)])).toBe(1)
    expect(abstentionArea([scored(true, 1)])).toBeUndefined()
    expect(abstentionArea([scored(false, 1)])).toBeUndefined()
  })
})

describe('spearman', () => {
  it('depends only on the order', () => {
    expect(spearman([1, 2, 3], [10, 200, 3000])).toBeCloseTo(1, 12)
    expect(spearman([1, 2, 3], [3, 2, 1])).toBeCloseTo(-1, 12)
  })

  it('gives equal values the mean of their ranks', () => {
    // Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4.
    expect(spearman([1, 5, 5, 9], [1, 2, 3, 4])).toBeCloseTo(0.948683, 6)
  })
})

describe('the interval of a share', () => {
  it.each([
    [0.8, 10, 0.49, 0.943],
    [0, 10, 0, 0.278],
    [1, 76, 0.952, 1],
    [0.861, 760, 0.835, 0.884],
  ])('%d of %d questions is from %d to %d', (share, questions, from, to) => {
    const [low, high] = shareInterval(share, questions)
    expect(low).toBeCloseTo(from, 3)
    expect(high).toBeCloseTo(to, 3)
  })
})
