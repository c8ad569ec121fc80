import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesMultiplyExactly } from './byte-products.js'
import { plainScore, plainVector, randomWeights } from './encoder.fixture.js'
import { type Arithmetic, type EncoderGraph, embedderGraph, rerankerGraph } from './encoder-graph.js'
import { type EncoderSession, openEncoderSession } from './encoder-session.js'
import type { LocalModel } from './model-files.js'
import type { Safetensors } from './safetensors.js'
import { type PlainWeights, writeInt8Weights } from './weights.fixture.js'

const rows = [
  { tokens: [1, 5, 9, 2], secondSegment: 2 },
  { tokens: [1, 7, 30, 31, 32, 33, 8, 2], secondSegment: 3 },
  { tokens: [1, 2], secondSegment: 1 },
]

const isExact = await bytesMultiplyExactly()

describe('the graph of an encoder', () => {
  let folder: string
  const open: EncoderSession[] = []
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keepsake-graph-'))
  })
  afterAll(async () => {
    for (const session of open) await session.close()
    await rm(folder, { recursive: true })
  })

  async function load(weights: PlainWeights, dimensions: number, graphOf: (weights: Safetensors) => EncoderGraph) {
    const path = join(folder, `${open.length}.safetensors`)
    const seen = await writeInt8Weights(path, weights)
    const file = { path, bytes: 0, sha256: '' }
    const model: LocalModel = { id: 'm', kind: 'embedder', dimensions, maxTokens: 16, weights: file, tokenizer: file }
    const session = await openEncoderSession(model, 1, graphOf)
    open.push(session)
    return { session, seen }
  }

  const loadReranker = (layers: number, arithmetic: Arithmetic) =>
    load(randomWeights(layers, 'encoder.'), 1, (weights) => rerankerGraph(weights, arithmetic))

  it('computes the same vectors as plain arithmetic over the stored numbers, with any padding', async () => {
    const { session, seen } = await load(randomWeights(2), 64, embedderGraph)
    const vectors = await session.run(rows)
    for (const [index, { tokens }] of rows.entries()) {
      for (const [at, value] of plainVector(seen, tokens).entries())
        expect(vectors[index * 64 + at]).toBeCloseTo(value, 5)
    }
  })

  it.each([1, 3])('computes the same scores as plain arithmetic for a file with %i layers', async (layers) => {
    const { session, seen } = await loadReranker(layers, 'float32')
    const scores = await session.run(rows)
    for (const [index, { tokens, secondSegment }] of rows.entries()) {
      expect(scores[index]).toBeCloseTo(plainScore(seen, tokens, secondSegment), 5)
    }
    // Otherwise the segments would have no effect.
    const [other] = await session.run([{ tokens: rows[0]?.tokens ?? [], secondSegment: 3 }])
    expect(other).not.toBeCloseTo(scores[0] ?? 0, 4)
  })

  // Processors without exact byte products use float32 instead (`byte-products.ts`).
  it.runIf(isExact)('scores nearly the same in int8, independent of the rest of the batch', async () => {
    const { session, seen } = await loadReranker(3, 'int8')
    const scores = await session.run(rows)
    for (const [index, row] of rows.entries()) {
      expect(Math.abs((scores[index] ?? 0) - plainScore(seen, row.tokens, row.secondSegment))).toBeLessThan(0.03)
      const [alone] = await session.run([row])
      expect(scores[index]).toBeCloseTo(alone ?? 0, 5)
    }
  })

  it('computes the same scores with the word table of another file', async () => {
    const whole = randomWeights(2, 'encoder.')
    const table = 'encoder.embeddings.word_embeddings.weight'
    const [own, words] = [join(folder, 'own', 'weights'), join(folder, 'other', 'weights')]
    await mkdir(join(folder, 'own'))
    await mkdir(join(folder, 'other'))
    const rest = await writeInt8Weights(own, new Map([...whole].filter(([name]) => name !== table)))
    const shared = whole.get(table)
    if (!shared) throw new Error('no word table')
    const seen = await writeInt8Weights(words, new Map([[table.replace('encoder.', ''), shared]]))
    const file = (path: string) => ({ path, bytes: 0, sha256: '' })
    const session = await openEncoderSession(
      {
        id: 'm',
        kind: 'reranker',
        dimensions: 1,
        maxTokens: 16,
        weights: file(own),
        tokenizer: file(own),
        words: file(words),
      },
      1,
      (weights) => rerankerGraph(weights, 'float32'),
    )
    open.push(session)
    const scores = await session.run(rows)
    const all = new Map([...rest, ...[...seen].map(([name, tensor]) => [`encoder.${name}`, tensor] as const)])
    for (const [index, { tokens, secondSegment }] of rows.entries()) {
      expect(scores[index]).toBeCloseTo(plainScore(all, tokens, secondSegment), 5)
    }
  })

  it('names the file and its missing tensor', async () => {
    const weights = new Map(randomWeights(2))
    weights.delete('encoder.layer.1.output.LayerNorm.bias')
    const loading = load(weights, 64, embedderGraph)
    await expect(loading).rejects.toThrow(
      /^The model file .*safetensors cannot be run \(.*layer\.1\.output\.LayerNorm\.bias/,
    )
    await expect(load(randomWeights(0), 64, embedderGraph)).rejects.toThrow(/do not form a MiniLM/)
    await expect(load(randomWeights(1), 32, embedderGraph)).rejects.toThrow(
      /returns 64 values, but model\.json says 32/,
    )
  })
})
