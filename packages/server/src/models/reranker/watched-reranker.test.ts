import { expect, it } from 'vitest'
import type { Reranker } from '../models.js'
import { watchReranker } from './watched-reranker.js'

it('counts waiting texts, and remembers a failure until a call succeeds', async () => {
  const calls: { resolve(scores: number[]): void; reject(error: Error): void }[] = []
  const inner: Reranker = {
    modelId: 'm',
    score: () => new Promise((resolve, reject) => calls.push({ resolve, reject })),
    close: () => Promise.resolve(),
  }
  const watched = watchReranker(inner)
  const first = watched.score('q', ['a', 'b'])
  const second = watched.score('q', ['c'])
  expect(watched.queueLength()).toBe(3)
  calls[0]?.reject(new Error('no memory'))
  await expect(first).rejects.toThrow('no memory')
  expect(watched.queueLength()).toBe(1)
  expect(watched.lastCallFailed()).toBe(true)
  calls[1]?.resolve([0.5])
  expect(await second).toEqual([0.5])
  expect(watched.queueLength()).toBe(0)
  expect(watched.lastCallFailed()).toBe(false)
})
