import { copyFile, mkdir, mkdtemp, open, rm, symlink, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Reranker } from '../models.js'
import { type LocalModel, readLocalModel } from '../runtime/model-files.js'
import { openCrossEncoder } from './cross-encoder.js'

describe('the cross-encoder', () => {
  let reranker: Reranker
  beforeAll(async () => {
    reranker = await openCrossEncoder()
  })
  afterAll(() => reranker.close())

  it('loads the model that ships with the service', () => {
    expect(reranker.modelId).toMatch(/^keepsake-rerank-\d+$/)
  })

  it('ranks the answer above texts that only share words or a subject with the question', async () => {
    const texts = [
      'Melanie: John asked me where I would like to work one day.',
      'John: I started my new job as an engineer at Acme Corp last Monday!',
      'John: My sister visited us over the weekend, we went hiking.',
      'Melanie: I am allergic to peanuts.',
    ]
    const scores = await reranker.score('Which company does John work for?', texts)
    expect(scores).toHaveLength(4)
    expect(scores.indexOf(Math.max(...scores))).toBe(1)
    for (const score of scores) {
      expect(score).toBeGreaterThanOrEqual(0)
      expect(score).toBeLessThanOrEqual(1)
    }
  })

  it('gives a text the same score alone and in any batch', async () => {
    const question = 'When does the ferry leave?'
    const texts = Array.from(
      { length: 40 },
      (_, i) => `Boat ${i}: ${'it is a long way to the harbour '.repeat(i % 9)}at ${i}`,
    )
    const together = await reranker.score(question, texts)
    for (const index of [0, 7, 22, 39]) {
      const [alone] = await reranker.score(question, [texts[index] ?? ''])
      // Bytes round a little differently in a batch of another shape.
      expect(Math.abs((together[index] ?? 1) - (alone ?? 0))).toBeLessThan(0.002)
    }
  })

  it('answers concurrent requests, each with scores in the order of its texts', async () => {
    const ask = (name: string) => reranker.score(`What does ${name} like?`, [`${name} likes plums`, 'It rains'])
    const names = Array.from({ length: 20 }, (_, index) => `Person ${index}`)
    const together = await Promise.all(names.map(ask))
    const [first, last] = [await ask('Person 0'), await ask('Person 19')]
    expect(together[0]?.[0]).toBeCloseTo(first[0] ?? 0, 4)
    expect(together[19]?.[1]).toBeCloseTo(last[1] ?? 0, 4)
  })

  it('scores unusual and very long texts and questions', async () => {
    const odd = ['', ' ', '\ud800', '\0', '日本語', 'e\u0301'.repeat(9_000), '[SEP][CLS]', `${' '.repeat(50_000)}plums`]
    for (const question of ['', 'plums?', 'why '.repeat(20_000)]) {
      const scores = await reranker.score(question, odd)
      expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true)
      expect(scores).toHaveLength(odd.length)
    }
  })

  it('returns no scores for no texts', async () => {
    expect(await reranker.score('anything?', [])).toEqual([])
  })
})

describe('the files of the cross-encoder', () => {
  let root: string
  let ours: LocalModel
  let weights: string
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'keepsake-rerank-'))
    ours = await readLocalModel('reranker', 'keepsake-rerank')
    await symlink(ours.tokenizer.path, join(root, basename(ours.tokenizer.path)))
    await symlink(join(ours.weights.path, '..', '..', 'keepsake-embed'), join(root, 'keepsake-embed'))
    await mkdir(join(root, 'model'))
    weights = join(root, 'model', basename(ours.weights.path))
    await copyFile(join(ours.weights.path, '..', 'model.json'), join(root, 'model', 'model.json'))
  })
  afterAll(() => rm(root, { recursive: true }))

  it('have their size checked at the start and their checksum on request, and a bad one is named', async () => {
    const directory = join(root, 'model')
    await expect(openCrossEncoder({ directory })).rejects.toThrow(/^The model file \S+safetensors is missing; .+$/)
    await copyFile(ours.weights.path, weights)
    const file = await open(weights, 'r+')
    await file.write(Buffer.from('harm'), 0, 4, 9_000_000)
    await file.close()
    await expect((await openCrossEncoder({ directory })).loading?.verify()).rejects.toThrow(/is damaged \(its SHA-256/)
    await truncate(weights, 1_000)
    await expect(openCrossEncoder({ directory })).rejects.toThrow(/is damaged \(it has 1000 bytes/)
  })

  it('are verified again when the model loads: a file damaged since startup makes it unavailable', async () => {
    await copyFile(ours.weights.path, weights)
    const reranker = await openCrossEncoder({ directory: join(root, 'model') })
    await truncate(weights, 1_000)
    for (const _ of [1, 2]) {
      await expect(reranker.score('q', ['a'])).rejects.toMatchObject({
        code: 'unavailable',
        message: 'The reranking model cannot be loaded',
        cause: { message: /is damaged \(it has 1000 bytes/ },
      })
    }
    await reranker.close()
  })
})

describe('the thread of the cross-encoder', () => {
  /** Scores every text with 0.5, and crashes on the query "die". */
  const mortal = new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from 'node:worker_threads'
      parentPort.on('message', (message) => {
        if (message.kind === 'close') return parentPort.close()
        if (message.ask.query === 'die') throw new Error('a bug')
        const values = new Float32Array(message.ask.texts.length).fill(0.5)
        parentPort.postMessage({ kind: 'answer', requestId: message.requestId, values })
      })
      parentPort.postMessage({ kind: 'ready' })`)}`,
  )

  it('starts with the first query, and restarts after a crash', async () => {
    const reranker = await openCrossEncoder({ script: mortal })
    await expect(reranker.score('die', ['a'])).rejects.toMatchObject({ code: 'unavailable' })
    expect(await reranker.score('q', ['a', 'b'])).toEqual([0.5, 0.5])
    await reranker.close()
  })

  it('rejects pairs beyond the queue limit', async () => {
    const reranker = await openCrossEncoder({ script: mortal, maxWaitingPairs: 2 })
    await expect(reranker.score('q', ['a', 'b', 'c'])).rejects.toMatchObject({
      code: 'unavailable',
      message: /at most 2/,
    })
    expect(await reranker.score('q', ['a', 'b'])).toHaveLength(2)
    await reranker.close()
  })

  it('is not started by close, nor after it', async () => {
    const reranker = await openCrossEncoder({ script: new URL('data:text/javascript,throw new Error("started")') })
    await reranker.close()
    await expect(reranker.score('q', ['a'])).rejects.toMatchObject({ code: 'unavailable', message: /closed/ })
  })
})
