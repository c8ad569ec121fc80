/** Changing the embedding model of a service that has memories. */
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Embedder } from '../../src/models/models.js'
import type { RecallAnswer } from '../support/contract.js'
import { manualClock, startService, type TestService, temporaryDirectory } from '../support/harness.js'
import { killAll, post, type RunningService, runService } from '../support/running-service.js'

/** Words of one line mean the same, so that a text without a common word can still be found by meaning. */
const meanings = [
  ['dog', 'puppy', 'hound'],
  ['car', 'automobile', 'vehicle'],
  ['oslo', 'norway', 'capital'],
  ['cake', 'pastry', 'baking'],
]

/** `offset` moves the meanings to other dimensions, so that vectors of two models are incompatible. */
function meaningVector(text: string, dimensions: number, offset: number): number[] {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? []
  const vector = Array.from({ length: dimensions }, () => 0.01)
  for (const [place, synonyms] of meanings.entries()) {
    const count = words.filter((word) => synonyms.includes(word)).length
    vector[(place + offset) % dimensions] = 0.01 + count
  }
  const length = Math.hypot(...vector)
  return vector.map((component) => component / length)
}

interface GatedModel extends Embedder {
  open(): void
  /** Resolves when a stored text has reached the gate. */
  readonly asked: Promise<void>
}

/** Stored texts (sentences with a full stop) wait at the gate; queries pass. */
function gatedModel(modelId: string, dimensions: number, offset: number, isOpen = true): GatedModel {
  let open: () => void = () => undefined
  let ask: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const asked = new Promise<void>((resolve) => {
    ask = resolve
  })
  if (isOpen) open()
  return {
    modelId,
    dimensions,
    async embed(texts) {
      if (texts.some((text) => text.includes('kept.'))) {
        ask()
        await opened
      }
      return texts.map((text) => Float32Array.from(meaningVector(text, dimensions, offset)))
    },
    queueLength: () => 0,
    close: async () => undefined,
    open,
    asked,
  }
}

describe('a changed embedding model', () => {
  let dataDir: string
  const clock = manualClock()
  const running: TestService[] = []
  beforeEach(async () => {
    dataDir = await temporaryDirectory()
  })
  afterEach(async () => {
    for (const service of running.splice(0)) await service.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  async function serve(embedder: Embedder): Promise<TestService> {
    for (const service of running.splice(0)) await service.close()
    const service = await startService({ dataDir, embedder, clock })
    running.push(service)
    return service
  }
  const found = async (service: TestService, query: string, more: object = {}) =>
    (await service.recall({ user_id: 'ana', query, ...more })).memories.map(({ content }) => content)
  const byMeaning = (service: TestService, query: string, more: object = {}) =>
    found(service, query, { enable_hybrid: false, threshold: 0.5, ...more })
  async function outdated(service: TestService): Promise<number> {
    const { text } = await service.callRoot('GET', '/metrics')
    return Number(/^keepsake_outdated_vectors (\d+)$/m.exec(text)?.[1])
  }
  const models = async (service: TestService) =>
    (await service.ok<{ checks: Record<string, string> }>('GET', '/health')).checks.models
  const untilDone = (service: TestService) => expect.poll(() => outdated(service), { timeout: 20_000 }).toBe(0)

  async function fill(service: TestService): Promise<void> {
    const dog = await service.storeOne({ user_id: 'ana', content: 'A hound sleeps here, to be kept.' })
    await service.store({ user_id: 'ana', content: 'The automobile is blue, to be kept.' })
    await service.store({ user_id: 'bob', content: 'Bob bakes a cake, to be kept.' })
    clock.advance(1000)
    await service.ok('PUT', `/memories/${dog.id}`, { body: { content: 'No animal lives here any more, to be kept.' } })
    clock.advance(1000)
  }

  it('keeps recall working by words, and by meaning once memories and their history are re-embedded', async () => {
    const first = await serve(gatedModel('first', 6, 0))
    const beforeUpdate = new Date(clock.now() + 500).toISOString()
    await fill(first)
    expect(await byMeaning(first, 'vehicle')).toEqual(['The automobile is blue, to be kept.'])

    const model = gatedModel('second', 11, 3, false)
    const second = await serve(model)
    await model.asked
    // Found by words. A search by meaning finds nothing yet, and does not fail.
    expect((await found(second, 'Which automobile?'))[0]).toBe('The automobile is blue, to be kept.')
    expect(await byMeaning(second, 'vehicle')).toEqual([])
    expect(await outdated(second)).toBe(4)
    expect(await models(second)).toBe('ok; 4 versions of memories are being re-embedded')
    const health = await second.call<{ status: string }>('GET', '/health')
    expect([health.status, health.body.status]).toEqual([200, 'healthy'])
    // New memories use the new model at once.
    await second.store({ user_id: 'ana', content: 'We flew to Oslo' })
    expect(await byMeaning(second, 'norway')).toEqual(['We flew to Oslo'])

    model.open()
    await untilDone(second)
    expect(await models(second)).toBe('ok')
    expect(await byMeaning(second, 'vehicle')).toEqual(['The automobile is blue, to be kept.'])
    expect(await byMeaning(second, 'puppy')).toEqual([])
    expect(await byMeaning(second, 'puppy', { as_of: beforeUpdate })).toEqual(['A hound sleeps here, to be kept.'])
    expect(await byMeaning(second, 'pastry')).toEqual([])
    expect(await byMeaning(second, 'pastry', { user_id: 'bob' })).toEqual(['Bob bakes a cake, to be kept.'])
    expect(second.logLines.filter((line) => line.includes('embedded')).length).toBe(2)
  })

  it('can be changed back, and to fewer dimensions', async () => {
    await fill(await serve(gatedModel('first', 6, 0)))
    for (const model of [gatedModel('second', 11, 3), gatedModel('third', 5, 1), gatedModel('first', 6, 0)]) {
      const service = await serve(model)
      await untilDone(service)
      expect(await byMeaning(service, 'vehicle')).toEqual(['The automobile is blue, to be kept.'])
    }
  })

  it('does not restore memories that are deleted, or undo updates, during the re-embedding', async () => {
    const first = await serve(gatedModel('first', 6, 0))
    await fill(first)
    const { memories } = await first.list({ user_id: 'ana' })
    const [blue, house] = ['automobile', 'animal'].map((word) => memories.find(({ content }) => content.includes(word)))
    const model = gatedModel('second', 11, 3, false)
    const second = await serve(model)
    await model.asked
    await second.ok('DELETE', '/memories', { body: { memory_ids: [blue?.id] } })
    await second.ok('PUT', `/memories/${house?.id}`, { body: { metadata: { quiet: true } } })
    model.open()
    await untilDone(second)
    expect(await found(second, 'automobile', { include_history: true })).not.toContain(
      'The automobile is blue, to be kept.',
    )
    expect((await second.memory(house?.id ?? '')).metadata).toEqual({ quiet: true })
    await second.fails(404, 'GET', `/memories/${blue?.id}`)
  })

  it('lets the service stop while the model hangs, and continues at the next start', async () => {
    await fill(await serve(gatedModel('first', 6, 0)))
    const hanging = gatedModel('second', 11, 3, false)
    const stopped = await serve(hanging)
    await hanging.asked
    // Closes the previous service.
    const service = await serve(gatedModel('second', 11, 3))
    expect(stopped.logLines.at(-1)).toContain('re-embedding stops until the next start')
    await untilDone(service)
    expect(await byMeaning(service, 'vehicle')).toEqual(['The automobile is blue, to be kept.'])
  })
})

describe('a service that is killed while it re-embeds', () => {
  const facts = 100
  let dataDir: string
  /** The numbers of the facts that each model has embedded. */
  const embedded = new Map<string, number[]>()
  let holdAfter = Number.POSITIVE_INFINITY
  let onHold: () => void = () => undefined
  const dimensions = new Map([
    ['small', 8],
    ['large', 24],
  ])
  const stub = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    // The request of the service; `remote-embedder.test.ts` checks its shape.
    const { model, input } = JSON.parse(Buffer.concat(chunks).toString()) as { model: string; input: string[] }
    const numbers = input.flatMap((text) => /^Fact (\d+)/.exec(text)?.[1] ?? []).map(Number)
    const seen = embedded.get(model) ?? []
    if (numbers.length > 0 && seen.length >= holdAfter) return onHold()
    embedded.set(model, [...seen, ...numbers])
    const data = input.map((text, index) => ({ index, embedding: meaningVector(text, dimensions.get(model) ?? 4, 0) }))
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }))
  })
  beforeEach(async () => {
    dataDir = await temporaryDirectory()
    await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve))
  })
  afterEach(async () => {
    await killAll()
    stub.closeAllConnections()
    await new Promise((resolve) => stub.close(resolve))
    await rm(dataDir, { recursive: true, force: true })
  })

  function serve(model: string): Promise<RunningService> {
    // A server that listens on TCP has an address of this type.
    const { port } = stub.address() as AddressInfo
    return runService({
      SERVICE_DATA_DIR: dataDir,
      SERVICE_RATE_LIMIT_ENABLED: 'false',
      SERVICE_EMBEDDING_BASE_URL: `http://127.0.0.1:${port}/v1`,
      SERVICE_EMBEDDING_MODEL: model,
    })
  }
  const untilHeld = (count: number) =>
    new Promise<void>((resolve) => {
      holdAfter = count
      onHold = resolve
    })
  async function outdated(service: RunningService): Promise<number> {
    const text = await (await fetch(`${service.url}/metrics`)).text()
    return Number(/^keepsake_outdated_vectors (\d+)$/m.exec(text)?.[1])
  }

  it('continues where it stopped, and repeats at most one batch', async () => {
    const first = await serve('small')
    const messages = Array.from({ length: facts }, (_, i) => ({
      role: 'user',
      content: `Fact ${i} is that number ${i} ${i === 77 ? 'drives an automobile' : 'has no colour at all'}.`,
    }))
    const stored = await post(`${first.url}/api/v1/store`, { user_id: 'ana', messages })
    expect(stored.status).toBe(200)
    first.process.kill('SIGTERM')
    await first.finished

    const held = untilHeld(40)
    const second = await serve('large')
    await held
    expect(await outdated(second)).toBeGreaterThan(0)
    expect(await outdated(second)).toBeLessThan(facts)
    second.process.kill('SIGKILL')
    await second.finished
    const firstPart = embedded.get('large') ?? []
    expect(firstPart.length).toBeGreaterThanOrEqual(40)

    // A graceful stop does not wait for the model either.
    const heldAgain = untilHeld(firstPart.length)
    const third = await serve('large')
    await heldAgain
    third.process.kill('SIGTERM')
    expect((await third.finished).code).toBe(0)

    holdAfter = Number.POSITIVE_INFINITY
    const fourth = await serve('large')
    await expect.poll(() => outdated(fourth), { timeout: 60_000 }).toBe(0)
    const all = embedded.get('large') ?? []
    expect(new Set(all).size).toBe(facts)
    // At most the batch that was embedded and not yet written.
    expect(all.length).toBeLessThanOrEqual(facts + 32)
    const query = { user_id: 'ana', query: 'vehicle', enable_hybrid: false, threshold: 0.5 }
    const recalled = await post(`${fourth.url}/api/v1/recall`, query)
    // Other tests check this shape against the OpenAPI document.
    const contents = (recalled.body as RecallAnswer).memories.map(({ content }) => content)
    // Also the next turns, which are embedded together with the turns before them.
    expect(contents).toEqual([77, 78, 79].map((index) => messages[index]?.content))
  })
})
