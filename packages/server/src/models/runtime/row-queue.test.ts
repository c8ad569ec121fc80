import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pairQueue } from '../reranker/rerank-batches.js'

/** A text of n letters makes a pair of n tokens. */
const queueOf = () => pairQueue(() => (text) => ({ tokens: Array.from(text, () => 1), secondSegment: 1 }))
const askOf = (lengths: readonly number[]) => ({ query: 'q', texts: lengths.map((length) => 'x'.repeat(length)) })

describe('the queue of pairs to score', () => {
  it('returns every pair exactly once, request by request, in batches of bounded size with little padding', () => {
    const requests = fc.array(fc.array(fc.integer({ min: 3, max: 128 }), { minLength: 1, maxLength: 40 }), {
      maxLength: 6,
    })
    fc.assert(
      fc.property(requests, (sizes) => {
        const queue = queueOf()
        for (const [requestId, lengths] of sizes.entries())
          expect(queue.add(requestId, askOf(lengths))).toBe(lengths.length)
        const seen: string[] = []
        let current = 0
        let longestSoFar = 0
        while (queue.size > 0) {
          const batch = queue.next()
          const [requestId = -1, ...others] = new Set(batch.map((pair) => pair.requestId))
          expect(others).toEqual([])
          expect(requestId).toBeGreaterThanOrEqual(current)
          if (requestId !== current) longestSoFar = 0
          current = requestId
          const lengths = batch.map((pair) => pair.tokens.length)
          if (batch.length > 1) expect(Math.max(...lengths) * batch.length).toBeLessThanOrEqual(256)
          expect(Math.min(...lengths)).toBeGreaterThanOrEqual(longestSoFar)
          longestSoFar = Math.max(...lengths)
          for (const pair of batch) {
            expect(pair.tokens).toHaveLength(sizes[requestId]?.[pair.index] ?? -1)
            seen.push(`${pair.requestId} ${pair.index}`)
          }
        }
        const all = sizes.flatMap((lengths, requestId) => lengths.map((_, index) => `${requestId} ${index}`))
        expect(seen.sort()).toEqual(all.sort())
        expect(queue.next()).toEqual([])
      }),
    )
  })
})
