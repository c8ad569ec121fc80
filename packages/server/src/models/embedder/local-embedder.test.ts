import { createHash } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, open, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Embedder } from '../models.js'
import { type LocalModel, readLocalModel } from '../runtime/model-files.js'
import { readHalfWeights, writeInt8Weights } from '../runtime/weights.fixture.js'
import { openLocalEmbedder } from './local-embedder.js'

function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  if (!a || !b) throw new Error('a vector is missing')
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
}

function lengthOf(vector: Float32Array): number {
  return Math.hypot(...vector)
}

describe('the local embedder', () => {
  let embedder: Embedder
  beforeAll(async () => {
    embedder = await openLocalEmbedder()
  })
  afterAll(() => embedder.close())

  async function embedOne(text: string): Promise<Float32Array> {
    const [vector] = await embedder.embed([text])
    if (!vector) throw new Error('a vector is missing')
    return vector
  }

  it('loads the model that ships with the service, with the first text', async () => {
    expect(embedder.loading?.state()).toBe('not loaded')
    const model = await readLocalModel('embedder', 'keepsake-embed')
    expect(embedder.modelId).toBe(model.id)
    expect(embedder.modelId).toMatch(/^keepsake-embed-\d+$/)
    expect(embedder.dimensions).toBe(384)
    expect(await embedOne('This is an example sentence')).toHaveLength(384)
    expect(embedder.loading?.state()).toBe('loaded')
  })

  it('gives sentences with the same meaning closer vectors than unrelated ones', async () => {
    const [job, sameJob, food] = await embedder.embed([
      'John works as an engineer at Acme Corp',
      'Acme Corp employs John in engineering',
      'I am allergic to peanuts',
    ])
    expect(cosine(job, sameJob)).toBeGreaterThan(cosine(job, food) + 0.4)
  })

  it('answers 100 concurrent requests of mixed sizes in order, with the same vectors as for single texts', async () => {
    const textOf = (request: number, index: number) =>
      `Request ${request} says ${'that the harbour is busy '.repeat((request * 7 + index * 3) % 9)}${index}`
    const requests = Array.from({ length: 100 }, (_, request) =>
      Array.from({ length: [1, 2, 1, 10][request % 10] ?? 1 }, (_, index) => textOf(request, index)),
    )
    const together = await Promise.all(requests.map((texts) => embedder.embed(texts)))
    expect(embedder.queueLength()).toBe(0)
    for (const request of [0, 1, 3, 33, 42, 99]) {
      for (const [index, text] of (requests[request] ?? []).entries()) {
        const alone = await embedOne(text)
        expect(cosine(together[request]?.[index], alone)).toBeGreaterThan(0.9999)
      }
    }
    expect(together.map((vectors) => vectors.length)).toEqual(requests.map((texts) => texts.length))
  })

  it('returns a unit vector for any text, however unusual', async () => {
    const odd = [
      '',
      ' ',
      '\ud800',
      'x\udc00\ud83d',
      '\0',
      '日本語のテキスト',
      '👩‍👩‍👧',
      'e\u0301'.repeat(6_000),
      '[SEP][PAD]',
      '1e400',
    ]
    const vectors = await embedder.embed(odd)
    expect(vectors).toHaveLength(odd.length)
    for (const vector of vectors) expect(lengthOf(vector)).toBeCloseTo(1, 4)
  })

  it('reads only the first 256 tokens of a long text', async () => {
    const start = 'The ferry to the island leaves at seven in the morning. '.repeat(30)
    const [long, longer, short] = await embedder.embed([
      start,
      `${start}${'Bananas are yellow. '.repeat(2_500)}`,
      'Bananas',
    ])
    expect(cosine(long, longer)).toBeGreaterThan(0.9999)
    expect(cosine(long, short)).toBeLessThan(0.5)
  })

  it('reads the words after pages of white space', async () => {
    const [padded, plain] = await embedder.embed([`${' \n'.repeat(25_000)}hello harbour`, 'hello harbour'])
    expect(cosine(padded, plain)).toBeGreaterThan(0.9999)
  })

  it('answers a query before a large request that arrived first', async () => {
    const finished: string[] = []
    const large = embedder.embed(Array.from({ length: 200 }, (_, i) => `Fact ${i}: the tide turns twice a day`))
    const query = embedder.embed(['When does the tide turn?'])
    await Promise.all([large.then(() => finished.push('large')), query.then(() => finished.push('query'))])
    expect(finished).toEqual(['query', 'large'])
  })

  it('returns no vectors for no texts', async () => {
    expect(await embedder.embed([])).toEqual([])
  })
})

describe('a local embedder at its limits', () => {
  it('rejects texts beyond its queue limit as unavailable and finishes accepted ones', async () => {
    const embedder = await openLocalEmbedder({ maxWaitingTexts: 3 })
    const taken = embedder.embed(['one', 'two', 'three'])
    expect(embedder.queueLength()).toBe(3)
    await expect(embedder.embed(['four'])).rejects.toMatchObject({ code: 'unavailable' })
    expect(await taken).toHaveLength(3)
    expect(await embedder.embed(['four'])).toHaveLength(1)
    await embedder.close()
  })

  it('finishes accepted work when closed, and rejects later calls', async () => {
    const embedder = await openLocalEmbedder()
    const taken = embedder.embed(['one', 'two'])
    const closed = embedder.close()
    await expect(embedder.embed(['late'])).rejects.toMatchObject({ code: 'unavailable', message: /closed/ })
    expect(await taken).toHaveLength(2)
    await closed
    await embedder.close()
  })
})

describe('the stock model', () => {
  const texts = [
    'This is an example sentence',
    'Caroline: I went to a support group yesterday and it was so powerful.',
    'When did Melanie paint a sunrise?',
    'x',
    'The ferry to the island leaves at seven in the morning. '.repeat(30),
  ]
  let stock: LocalModel
  let vectors: Float32Array[]
  beforeAll(async () => {
    stock = await readLocalModel('embedder', 'stock')
    const embedder = await openLocalEmbedder({ model: 'stock' })
    expect(embedder.modelId).toBe('all-MiniLM-L6-v2')
    vectors = await embedder.embed(texts)
    await embedder.close()
  })

  it('returns the published vector of all-MiniLM-L6-v2 for a known sentence', () => {
    const [vector = new Float32Array()] = vectors
    expect([...vector.slice(0, 3)].map((value) => value.toFixed(4))).toEqual(['0.0677', '0.0636', '0.0487'])
  })

  it('returns nearly the same vectors when its weights are stored in our format, in half the space', async () => {
    const root = await mkdtemp(join(tmpdir(), 'keepsake-int8-'))
    const directory = join(root, 'model')
    await mkdir(directory)
    await writeInt8Weights(join(directory, 'weights'), await readHalfWeights(stock.weights.path))
    await describeModel(directory, stock)
    const embedder = await openLocalEmbedder({ directory })
    const again = await embedder.embed(texts)
    for (const [index, vector] of vectors.entries()) expect(cosine(vector, again[index])).toBeGreaterThan(0.995)
    await embedder.close()
    await rm(root, { recursive: true })
  })
})

/** Writes the `model.json` for a folder that contains `weights`, with the stock model's tokenizer. */
async function describeModel(directory: string, { tokenizer }: LocalModel): Promise<void> {
  const handle = await open(join(directory, 'weights'))
  const bytes = await handle.readFile()
  await handle.close()
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const manifest = {
    id: 'test-1',
    kind: 'embedder',
    dimensions: 384,
    maxTokens: 256,
    weights: { file: 'weights', bytes: bytes.length, sha256 },
    tokenizer: { file: tokenizer.path, bytes: tokenizer.bytes, sha256: tokenizer.sha256 },
  }
  await writeFile(join(directory, 'model.json'), JSON.stringify(manifest))
}

describe('the files of the local embedder', () => {
  let root: string
  let ours: LocalModel
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'keepsake-model-'))
    ours = await readLocalModel('embedder', 'keepsake-embed')
  })
  afterAll(() => rm(root, { recursive: true }))

  /** A copy of our folder with links to the real files, except for those that the test provides. */
  async function folderLikeOurs(own: { readonly weights?: true; readonly tokenizer?: true }): Promise<string> {
    const parent = await mkdtemp(join(root, 'models-'))
    const directory = join(parent, 'keepsake-embed')
    await mkdir(directory)
    await copyFile(join(ours.weights.path, '..', 'model.json'), join(directory, 'model.json'))
    if (!own.weights) await symlink(ours.weights.path, join(directory, basename(ours.weights.path)))
    if (!own.tokenizer) await symlink(ours.tokenizer.path, join(parent, basename(ours.tokenizer.path)))
    return directory
  }

  it('may be links', async () => {
    const embedder = await openLocalEmbedder({ directory: await folderLikeOurs({}) })
    expect(await embedder.embed(['hello'])).toHaveLength(1)
    await embedder.close()
  })

  it('are named in one line with a remedy if one is missing', async () => {
    const nowhere = openLocalEmbedder({ directory: join(root, 'nowhere') })
    await expect(nowhere).rejects.toThrow(/nowhere\/model\.json is missing; "git checkout -- models" brings it back/)
    const noWeights = openLocalEmbedder({ directory: await folderLikeOurs({ weights: true }) })
    await expect(noWeights).rejects.toThrow(/^The model file \S+\.int8\.safetensors is missing; .+$/)
    await expect(noWeights).rejects.toMatchObject({ operatorMessage: true })
  })

  it('are named if one byte of the weights differs', async () => {
    const directory = await folderLikeOurs({ weights: true })
    const path = join(directory, basename(ours.weights.path))
    await copyFile(ours.weights.path, path)
    const file = await open(path, 'r+')
    const byte = Buffer.alloc(1)
    await file.read(byte, 0, 1, 20_000_001)
    await file.write(Buffer.of((byte[0] ?? 0) ^ 1), 0, 1, 20_000_001)
    await file.close()
    const embedder = await openLocalEmbedder({ directory })
    await expect(embedder.embed(['hello'])).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The embedding model cannot be loaded',
      cause: { message: /int8\.safetensors is damaged/ },
    })
    await expect(embedder.loading?.load()).rejects.toThrow(/int8\.safetensors is damaged/)
    expect(embedder.loading?.state()).toBe('failed')
    await embedder.close()
  })

  it('are named if the tokenizer is damaged', async () => {
    const directory = await folderLikeOurs({ tokenizer: true })
    await writeFile(join(directory, '..', basename(ours.tokenizer.path)), '{}')
    await expect(openLocalEmbedder({ directory })).rejects.toThrow(/tokenizer\S*\.json is damaged/)
  })
})
