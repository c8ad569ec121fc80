import { createHash } from 'node:crypto'
import { appendFile, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Embedder } from '../../packages/server/src/models/models.js'
import { importVectors } from './import-vectors.js'
import { cachedEmbedder, dot } from './vector-cache.js'

const dimensions = 8
const quiet = () => undefined
let directory = ''
let asked: string[] = []

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vector-cache-'))
  asked = []
})

afterEach(() => rm(directory, { recursive: true, force: true }))

/** Another `salt` simulates another model. */
function vectorOf(text: string, salt = ''): Float32Array {
  const digest = createHash('sha256')
    .update(salt + text)
    .digest()
  const raw = Float32Array.from({ length: dimensions }, (_, index) => digest.readInt16LE(2 * index))
  const length = Math.sqrt(dot(raw, raw))
  return raw.map((value) => value / length)
}

function model(salt = ''): Embedder {
  return {
    modelId: 'a model/1',
    dimensions,
    async embed(texts) {
      asked.push(...texts)
      return texts.map((text) => vectorOf(text, salt))
    },
    queueLength: () => 0,
    close: async () => undefined,
  }
}

const open = (salt?: string) => cachedEmbedder(model(salt), directory, quiet)

async function theFile(): Promise<string> {
  const [name = ''] = await readdir(directory)
  return join(directory, name)
}

describe('cachedEmbedder', () => {
  it('embeds a text once, even across restarts', async () => {
    const first = await open()
    const [a, again] = await first.embed(['a', 'a'])
    expect(again).toEqual(a)
    expect(first.newlyEmbedded()).toBe(3) // two probes and one text
    const second = await open()
    asked = []
    const [kept, fresh] = await second.embed(['a', 'b'])
    expect(kept).toEqual(vectorOf('a'))
    expect(fresh).toEqual(vectorOf('b'))
    expect(asked).toEqual(['b'])
    expect(second.newlyEmbedded()).toBe(1)
  })

  it('returns vectors with their own buffers, because one that is transferred to a thread takes its buffer along', async () => {
    await (await open()).embed(['a', 'b', 'c'])
    const [vector] = await (await open()).embed(['b'])
    expect(vector?.buffer.byteLength).toBe(dimensions * 4)
  })

  it('recovers from a run that was killed in the middle of a record', async () => {
    await (await open()).embed(['a'])
    await appendFile(await theFile(), Buffer.alloc(17))
    const [b] = await (await open()).embed(['b'])
    expect(b).toEqual(vectorOf('b'))
    asked = []
    const third = await open()
    expect(await third.embed(['a', 'b'])).toEqual([vectorOf('a'), vectorOf('b')])
    expect(third.newlyEmbedded()).toBe(0)
  })

  it('discards the cache of a model that now returns different vectors', async () => {
    await (await open()).embed(['a'])
    const other = await open('retrained')
    expect(await other.embed(['a'])).toEqual([vectorOf('a', 'retrained')])
    expect(await (await open('retrained')).embed(['a'])).toEqual([vectorOf('a', 'retrained')])
  })

  it('embeds a text once for concurrent calls', async () => {
    const cache = await open()
    asked = []
    await Promise.all([cache.embed(['a', 'b']), cache.embed(['b', 'a'])])
    expect(asked.sort()).toEqual(['a', 'b'])
  })

  it('is usable after a failure of the model', async () => {
    let fails = false
    const inner = model()
    const flaky: Embedder = {
      ...inner,
      embed: (texts) => (fails ? Promise.reject(new Error('no')) : inner.embed(texts)),
    }
    const cache = await cachedEmbedder(flaky, directory, quiet)
    fails = true
    await expect(cache.embed(['a'])).rejects.toThrow('no')
    fails = false
    expect(await cache.embed(['a'])).toEqual([vectorOf('a')])
  })
})

describe('importVectors', () => {
  const texts = Array.from({ length: 5_000 }, (_, index) => `text ${index}`)
  const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex')

  async function files(
    vectors: Uint8Array,
    lines = texts.map((text) => JSON.stringify({ sha256: sha256(text), text })),
  ) {
    const files = { texts: join(directory, 'texts.jsonl.gz'), vectors: join(directory, 'vectors.bin') }
    await writeFile(files.texts, gzipSync(`${lines.join('\n')}\n`))
    await writeFile(files.vectors, vectors)
    return files
  }

  const float32 = (salt = '') => Buffer.concat(texts.map((text) => Buffer.from(vectorOf(text, salt).buffer)))

  it('imports float32 vectors, so that their texts are not embedded again', async () => {
    const { texts: lines, vectors } = await files(float32())
    const cache = await open()
    const known = cache.known()
    expect(await importVectors(cache, lines, vectors, 1)).toMatchObject({ texts: 5_000, added: 5_000 })
    expect(cache.known()).toBe(known + 5_000)
    const second = await open()
    const found = await second.embed(texts)
    expect(second.newlyEmbedded()).toBe(0)
    for (const [index, vector] of found.entries()) expect(dot(vector, vectorOf(`text ${index}`))).toBeCloseTo(1, 5)
  })

  it('reads float16', async () => {
    const halves = Buffer.alloc(texts.length * dimensions * 2)
    for (const [row, text] of texts.entries()) {
      for (const [index, value] of vectorOf(text).entries()) {
        halves.writeUInt16LE(toHalf(value), (row * dimensions + index) * 2)
      }
    }
    const { texts: lines, vectors } = await files(halves)
    const cache = await open()
    expect(await importVectors(cache, lines, vectors, 1)).toMatchObject({ added: 5_000 })
    const [vector] = await cache.embed(['text 4711'])
    expect(dot(vector ?? new Float32Array(), vectorOf('text 4711'))).toBeGreaterThan(0.999)
  })

  it('keeps existing vectors, and adds none twice', async () => {
    const { texts: lines, vectors } = await files(float32())
    const cache = await open()
    await cache.embed(['text 7'])
    expect(await importVectors(cache, lines, vectors, 1)).toMatchObject({ added: 4_999 })
    expect(await importVectors(cache, lines, vectors, 2)).toMatchObject({ added: 0 })
  })

  it('rejects all vectors of another model', async () => {
    const { texts: lines, vectors } = await files(float32('other weights'))
    const cache = await open()
    const before = (await stat(join(directory, 'a_model_1-8.vectors'))).size
    await expect(importVectors(cache, lines, vectors, 1)).rejects.toThrow(
      /was not made by a model\/1.*nothing was stored/s,
    )
    expect((await stat(join(directory, 'a_model_1-8.vectors'))).size).toBe(before)
  })

  it('rejects vectors that are shifted by one line', async () => {
    const bytes = float32()
    const { texts: lines, vectors } = await files(
      Buffer.concat([bytes.subarray(dimensions * 4), bytes.subarray(0, dimensions * 4)]),
    )
    await expect(importVectors(await open(), lines, vectors, 1)).rejects.toThrow(/nothing was stored/)
  })

  it('rejects a file of the wrong size, zero vectors, and invalid lines', async () => {
    const short = await files(float32().subarray(4))
    await expect(importVectors(await open(), short.texts, short.vectors, 1)).rejects.toThrow(
      /5000 vectors of 8 numbers/,
    )
    const zeros = await files(new Uint8Array(texts.length * dimensions * 4))
    await expect(importVectors(await open(), zeros.texts, zeros.vectors, 1)).rejects.toThrow(/nothing was stored/)
    const broken = await files(float32(), ['{"sha256":"abc","text":"text 0"}'])
    await expect(importVectors(await open(), broken.texts, broken.vectors, 1)).rejects.toThrow(/line 1/)
  })
})

/** For numbers from -1 to 1; subnormal values become zero. */
function toHalf(value: number): number {
  const size = Math.abs(value)
  if (size < 2 ** -14) return 0
  const exponent = Math.min(0, Math.floor(Math.log2(size)))
  const fraction = Math.min(1023, Math.round((size / 2 ** exponent - 1) * 1024))
  return (value < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | fraction
}
