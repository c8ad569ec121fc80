import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BatchQueue } from './embed-batches.js'

/** A text of n letters counts as n tokens. */
const queueOf = () => new BatchQueue((text) => Array.from(text, () => 1))

describe('the queue of texts to embed', () => {
  it('hands out every text exactly once, in batches of bounded size and padding', () => {
    const requests = fc.array(fc.array(fc.integer({ min: 1, max: 256 }), { minLength: 1, maxLength: 40 }), {
      maxLength: 20,
    })
    fc.assert(
      fc.property(requests, (sizes) => {
        const queue = queueOf()
        for (const [requestId, lengths] of sizes.entries()) {
          queue.add(
            requestId,
            lengths.map((length) => 'x'.repeat(length)),
          )
        }
        const seen: string[] = []
        while (queue.size > 0) {
          const batch = queue.next()
          const lengths = batch.map((item) => item.tokens.length)
          const [longest, shortest] = [Math.max(...lengths), Math.min(...lengths)]
          expect(batch.length).toBeGreaterThan(0)
          expect(batch.length).toBeLessThanOrEqual(32)
          if (batch.length > 1) expect(longest * batch.length).toBeLessThanOrEqual(256)
          expect(longest).toBeLessThanOrEqual((shortest * 1.5 + 8) * 1.5 + 8)
          for (const item of batch) {
            expect(item.tokens).toHaveLength(sizes[item.requestId]?.[item.index] ?? -1)
            seen.push(`${item.requestId}:${item.index}`)
          }
        }
        const expected = sizes.flatMap((lengths, requestId) => lengths.map((_, index) => `${requestId}:${index}`))
        expect(seen.sort()).toEqual(expected.sort())
      }),
    )
  })

  it('serves a single text before a large request that arrived earlier', () => {
    const queue = queueOf()
    queue.add(
      1,
      Array.from({ length: 200 }, () => 'long text'),
    )
    queue.add(2, ['query'])
    expect(queue.next().map((item) => item.requestId)).toEqual([2])
    expect(queue.next().every((item) => item.requestId === 1)).toBe(true)
  })

  it('puts a query into no batch with other texts, and keeps their batches short', () => {
    const queue = queueOf()
    queue.add(
      1,
      Array.from({ length: 6 }, () => 'x'.repeat(40)),
    )
    queue.add(2, ['x'.repeat(40)])
    queue.add(3, ['x'.repeat(40)])
    expect(queue.next().map((item) => item.requestId)).toEqual([2, 3])
    expect(queue.next()).toHaveLength(3)
  })

  it('serves a large request even under a constant stream of single texts', () => {
    const queue = queueOf()
    queue.add(
      0,
      Array.from({ length: 50 }, () => 'a fact'),
    )
    const served = new Set<number>()
    for (let turn = 1; turn <= 12; turn += 1) {
      queue.add(turn, ['query'])
      for (const item of queue.next()) if (item.requestId === 0) served.add(item.index)
    }
    expect(served.size).toBe(50)
  })

  it('returns an empty batch when no text waits', () => {
    expect(queueOf().next()).toEqual([])
  })
})
