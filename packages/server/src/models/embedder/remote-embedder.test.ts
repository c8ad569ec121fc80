import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { openRemoteEmbedder, type RemoteEmbedderOptions } from './remote-embedder.js'

interface Asked {
  readonly input: string[]
  readonly model: string
  readonly authorization: string | undefined
}

type Answer = (asked: Asked, response: ServerResponse, call: number) => void

const apiKey = 'sk-very-secret'

/** Three numbers that distinguish texts; not of unit length. */
const vectorOf = (text: string) => [text.length, text.charCodeAt(0) || 1, 2]
const good: Answer = ({ input }, response) => {
  const data = input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }))
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ object: 'list', data }))
}
const status = (code: number, headers: Record<string, string> = {}): Answer => {
  return (_, response) => response.writeHead(code, headers).end('{"error":{"message":"no"}}')
}
const body = (text: string): Answer => {
  return (_, response) => response.setHeader('content-type', 'application/json').end(text)
}
const embeddings = (...data: unknown[]): Answer => body(JSON.stringify({ data }))

describe('the remote embedder', () => {
  const servers: Server[] = []
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })

  /** The first answer is for the probe; the last one is repeated. */
  async function stub(...answers: Answer[]) {
    const asked: Asked[] = []
    const state = { running: 0, mostRunning: 0 }
    const server = createServer(async (request, response) => {
      const { input, model } = JSON.parse(await textOf(request))
      const call = asked.push({ input, model, authorization: request.headers.authorization })
      state.running += 1
      state.mostRunning = Math.max(state.mostRunning, state.running)
      response.on('close', () => {
        state.running -= 1
      })
      // Deferred, so that requests sent together overlap here.
      setImmediate(() =>
        (answers[Math.min(call, answers.length) - 1] ?? good)(asked[call - 1] as Asked, response, call),
      )
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    // A TCP server's address is never a string.
    const { port } = server.address() as AddressInfo
    const waits: number[] = []
    const options: RemoteEmbedderOptions = {
      baseUrl: `http://127.0.0.1:${port}/v1/`,
      model: 'stub-model',
      apiKey,
      wait: async (ms) => {
        waits.push(ms)
      },
    }
    return { asked, waits, state, options, open: (more = {}) => openRemoteEmbedder({ ...options, ...more }) }
  }

  it('sends model and key, learns the dimensions, and returns unit vectors in order', async () => {
    const { asked, open } = await stub(good)
    const embedder = await open()
    expect(embedder).toMatchObject({ modelId: 'stub-model', dimensions: 3 })
    const vectors = await embedder.embed(['a', 'bcd', ''])
    expect(asked.at(-1)).toEqual({ input: ['a', 'bcd', ''], model: 'stub-model', authorization: `Bearer ${apiKey}` })
    expect(vectors).toHaveLength(3)
    for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
    expect((vectors[1]?.[0] ?? 0) / (vectors[1]?.[2] ?? 1)).toBeCloseTo(1.5, 5)
    expect(await embedder.embed([])).toEqual([])
    await embedder.close()
    await expect(embedder.embed(['late'])).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('splits a large call into requests of at most 64 texts, four at a time, and joins them in order', async () => {
    const { asked, state, open } = await stub(good)
    const embedder = await open()
    const texts = Array.from({ length: 450 }, (_, index) => 'x'.repeat(index + 1))
    const vectors = await embedder.embed(texts)
    expect(
      asked
        .slice(1)
        .map(({ input }) => input.length)
        .sort((a, b) => b - a),
    ).toEqual([64, 64, 64, 64, 64, 64, 64, 2])
    expect(state.mostRunning).toBeLessThanOrEqual(4)
    for (const [index, vector] of vectors.entries()) {
      expect((vector[0] ?? 0) / (vector[2] ?? 1)).toBeCloseTo((index + 1) / 2, 3)
    }
    expect(embedder.queueLength()).toBe(0)
  })

  it('puts shuffled vectors back in order', async () => {
    const { open } = await stub(
      good,
      embeddings({ index: 1, embedding: [0, 1, 0] }, { index: 0, embedding: [1, 0, 0] }),
    )
    const vectors = await (await open()).embed(['first', 'second'])
    expect(vectors).toEqual([Float32Array.of(1, 0, 0), Float32Array.of(0, 1, 0)])
  })

  it('retries after a 500 and a reset connection, with growing waits', async () => {
    const reset: Answer = (_, response) => response.socket?.resetAndDestroy()
    const { asked, waits, open } = await stub(good, status(500), reset, good)
    expect(await (await open()).embed(['text'])).toHaveLength(1)
    expect(asked).toHaveLength(4)
    expect(waits).toEqual([250, 500])
  })

  it('honours Retry-After, but never waits for minutes', async () => {
    const { waits, open } = await stub(
      good,
      status(429, { 'retry-after': '3' }),
      status(503, { 'retry-after': '3600' }),
      good,
    )
    expect(await (await open()).embed(['text'])).toHaveLength(1)
    expect(waits).toEqual([3_000, 10_000])
  })

  it.each<[string, Answer, RegExp, number]>([
    ['500 for ever', status(500), /answered 500/, 3],
    ['a refused key', status(401), /answered 401/, 1],
    ['broken JSON', body('{"data":['), /not a list of embeddings/, 1],
    ['another shape', body('{"data":{"0":[1]}}'), /not a list of embeddings/, 1],
    ['too few vectors', embeddings(), /0 vectors for 1 texts/, 1],
    ['a wrong index', embeddings({ index: 1, embedding: [1, 2, 3] }), /indexes/, 1],
    ['other dimensions', embeddings({ index: 0, embedding: [1, 2] }), /2 dimensions instead of 3/, 1],
    ['NaN', body('{"data":[{"index":0,"embedding":[1,NaN,2]}]}'), /not a list/, 1],
    ['null for a number', body('{"data":[{"index":0,"embedding":[1,null,2]}]}'), /not a list/, 1],
    [
      'a number that overflows',
      body('{"data":[{"index":0,"embedding":[1,1e400,2]}]}'),
      /not a list|zero or infinite/,
      1,
    ],
    ['only zeros', embeddings({ index: 0, embedding: [0, 0, 0] }), /zero or infinite/, 1],
    ['a redirect', status(307, { location: 'http://127.0.0.1:1/' }), /redirect/, 1],
    ['a huge body', body(`{"data":[${' '.repeat(33_000_000)}]}`), /too large/, 1],
    [
      'a truncated body',
      (_, response) => {
        response.writeHead(200, { 'content-length': '1000' }).write('{"data":[')
        response.socket?.end()
      },
      /no connection/,
      3,
    ],
  ])('is unavailable and does not reveal its key: %s', async (_, answer, message, tries) => {
    const { asked, open } = await stub(good, answer)
    const embedder = await open()
    const error: unknown = await embedder.embed(['text']).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'unavailable', message })
    expect(JSON.stringify([error, String(error), (error as Error).stack, (error as Error).cause])).not.toContain(apiKey)
    expect(asked).toHaveLength(1 + tries)
    expect(embedder.queueLength()).toBe(0)
  })

  it('times out on a service that hangs, before or during its answer', async () => {
    const hang: Answer = () => undefined
    const hangWithin: Answer = (_, response) => response.writeHead(200).write('{"data":')
    for (const answer of [hang, hangWithin]) {
      const { asked, open } = await stub((request, response, call) => {
        const hangs = request.input[0] === 'text'
        return (hangs ? answer : good)(request, response, call)
      })
      const embedder = await open({ timeoutMs: 200 })
      await expect(embedder.embed(['text'])).rejects.toMatchObject({ code: 'unavailable', message: /in time/ })
      expect(asked.filter(({ input }) => input[0] === 'text')).toHaveLength(3)
    }
  })

  it('does not request the rest of a failed call', async () => {
    const { asked, open } = await stub(good, status(400))
    const embedder = await open()
    await expect(embedder.embed(Array.from({ length: 64 * 20 }, String))).rejects.toMatchObject({ code: 'unavailable' })
    // The next call waits its turn behind the rest.
    await expect(embedder.embed(['after'])).rejects.toMatchObject({ code: 'unavailable' })
    expect(asked.length).toBeLessThan(12)
  })

  it('rejects texts beyond its queue limit', async () => {
    const { open } = await stub(good)
    const embedder = await open({ maxWaitingTexts: 2 })
    await expect(embedder.embed(['1', '2', '3'])).rejects.toMatchObject({ code: 'unavailable', message: /Too many/ })
    expect(await embedder.embed(['1', '2'])).toHaveLength(2)
  })

  it('cannot be opened while the service fails or is unreachable', async () => {
    const { open, options } = await stub(status(500))
    await expect(open()).rejects.toMatchObject({ code: 'unavailable' })
    const nobody = openRemoteEmbedder({ ...options, baseUrl: 'http://127.0.0.1:1' })
    await expect(nobody).rejects.toMatchObject({ code: 'unavailable', message: /no connection/ })
  })

  it('does not reveal a key that is not a valid header value', async () => {
    const { open } = await stub(good)
    const error: unknown = await open({ apiKey: `${apiKey}\nx` }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'unavailable' })
    expect(`${String(error)} ${(error as Error).stack}`).not.toContain(apiKey)
  })
})

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
