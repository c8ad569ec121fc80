import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, it } from 'vitest'
import { LanguageModelFailure, type Question } from './llm.js'
import {
  endless,
  hangs,
  hangsUp,
  type LlmStub,
  type StubAnswer,
  says,
  saysJson,
  startLlmStub,
  status,
} from './llm-stub.fixture.js'
import { openRemoteLanguageModel, type RemoteLanguageModelOptions } from './remote-llm.js'
import { watchLanguageModel } from './watched-llm.js'

const apiKey = 'sk-very-secret'
const question: Question = {
  name: 'memories',
  instructions: 'Read.',
  data: '{"sentences":[]}',
  schema: { type: 'object' },
}
const memories = { memories: [] }

describe('the remote language model', () => {
  const stubs: LlmStub[] = []
  afterEach(async () => {
    for (const stub of stubs.splice(0)) await stub.close()
  })

  async function open(answers: StubAnswer[], more: Partial<RemoteLanguageModelOptions> = {}) {
    const stub = await startLlmStub(...answers)
    stubs.push(stub)
    const waits: number[] = []
    const wait = async (ms: number) => waits.push(ms)
    const model = openRemoteLanguageModel({ baseUrl: `${stub.baseUrl}/`, model: 'stub', apiKey, wait, ...more })
    return { stub, waits, model, ask: (budgetMs = 20_000) => model.complete(question, budgetMs) }
  }

  it('gives up in time although garbage is collected meanwhile', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const { ask } = await open([hangs])
    const collecting = setInterval(collect, 10)
    try {
      await expect(ask(200)).rejects.toThrow(LanguageModelFailure)
    } finally {
      clearInterval(collecting)
    }
  })

  it('sends model, key, schema and temperature 0, and returns the answer', async () => {
    const { stub, ask, model } = await open([saysJson(memories)])
    expect(await ask()).toEqual(memories)
    expect(stub.asked).toMatchObject([
      {
        path: '/v1/chat/completions',
        authorization: `Bearer ${apiKey}`,
        model: 'stub',
        format: 'json_schema',
        temperature: 0,
        system: 'Read.',
        data: { sentences: [] },
      },
    ])
    expect(model.queueLength()).toBe(0)
  })

  it('extracts JSON from a code fence and surrounding text', async () => {
    const { ask } = await open([says('Sure! Here it is:\n```json\n{"memories": []}\n```\nAnything else?')])
    expect(await ask()).toEqual(memories)
  })

  it('falls back to a simpler request if the service does not support schemas, and remembers it', async () => {
    const { stub, ask } = await open([status(400), status(422), saysJson(memories)])
    expect(await ask()).toEqual(memories)
    expect(await ask()).toEqual(memories)
    expect(stub.asked.map(({ format }) => format)).toEqual(['json_schema', 'json_object', undefined, undefined])
    expect(stub.asked[2]?.system).toContain('{"type":"object"}')
  })

  it('omits the temperature if the service accepts only its default', async () => {
    const { stub, ask } = await open([status(400), status(400), status(400), saysJson(memories)])
    expect(await ask()).toEqual(memories)
    expect(stub.asked.map(({ temperature }) => temperature)).toEqual([0, 0, 0, undefined])
  })

  it('retries after 429, 500 and a dropped connection, and honours Retry-After', async () => {
    const { stub, waits, ask } = await open([status(429, { 'retry-after': '3' }), hangsUp, saysJson(memories)])
    expect(await ask()).toEqual(memories)
    expect(waits).toEqual([3_000, 500])
    expect(stub.asked).toHaveLength(3)
  })

  it('does not wait beyond its budget', async () => {
    const { stub, waits, ask } = await open([status(429, { 'retry-after': '30' }), saysJson(memories)])
    await expect(ask(5_000)).rejects.toThrow(/answered 429/)
    expect([waits.length, stub.asked.length]).toEqual([0, 1])
  })

  it.each<[string, StubAnswer, RegExp, number]>([
    ['500 for ever', status(500), /answered 500/, 3],
    ['a refused key', status(401), /answered 401/, 1],
    ['400 to everything', status(400), /answered 400/, 4],
    ['a redirect', status(307, { location: 'http://127.0.0.1:1/' }), /redirect/, 1],
    ['words instead of JSON', says('I cannot do that.'), /not JSON/, 1],
    ['broken JSON', says('{"memories": [{"text": "cut'), /not JSON/, 1],
    ['a list', says('[1, 2]'), /not JSON/, 1],
    ['no choices', (_, response) => response.end('{"choices":[]}'), /not a chat completion/, 1],
    ['another shape', (_, response) => response.end('{"choices":[{"message":{"content":7}}]}'), /not a chat/, 1],
    ['an endless body', endless, /too large/, 1],
    ['a truncated body', hangsUp, /no connection/, 3],
  ])('fails with a reason, and does not reveal its key: %s', async (_, answer, message, calls) => {
    const { stub, model, ask } = await open([answer])
    const error: unknown = await ask().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(LanguageModelFailure)
    expect(String(error)).toMatch(message)
    expect(JSON.stringify([error, String(error), (error as Error).stack, (error as Error).cause])).not.toContain(apiKey)
    expect(stub.asked).toHaveLength(calls)
    expect(model.queueLength()).toBe(0)
  })

  it('gives up at the end of its budget: before an answer, during it, or while queued', async () => {
    const hangsWithin: StubAnswer = (_, response) => response.writeHead(200).write('{"choices":')
    for (const answer of [hangs, hangsWithin]) {
      const { stub, model, ask } = await open([answer])
      const outcomes = await Promise.allSettled([400, 400, 400, 400, 100, 100].map(ask))
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { message: expect.stringMatching(/in time/) } })
      }
      // Four run at once; the other two never started.
      expect(stub.asked).toHaveLength(4)
      expect(model.queueLength()).toBe(0)
    }
  })

  it('serves queued calls as others finish, and rejects calls beyond its limit', async () => {
    const { stub, ask } = await open([saysJson(memories)], { maxWaiting: 2 })
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => ask()))
    expect(outcomes.filter(({ status: outcome }) => outcome === 'fulfilled')).toHaveLength(6)
    expect(outcomes.at(-1)).toMatchObject({ reason: { message: expect.stringMatching(/questions are waiting/) } })
    expect(stub.asked).toHaveLength(6)
  })

  it('aborts calls in flight when it is closed', async () => {
    const { stub, model, ask } = await open([hangs])
    const asking = ask()
    await stub.askedTimes(1)
    await model.close()
    await expect(asking).rejects.toThrow(/stopping/)
    await expect(ask()).rejects.toThrow(LanguageModelFailure)
  })

  it('does not reveal a key that is not a valid header value', async () => {
    const { ask } = await open([saysJson(memories)], { apiKey: `${apiKey}\nx` })
    const error: unknown = await ask().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(LanguageModelFailure)
    expect(`${String(error)} ${(error as Error).stack}`).not.toContain(apiKey)
  })
})

describe('a language model that keeps failing', () => {
  it('is paused for a while, then tried again', async () => {
    let [now, calls, works] = [0, 0, false]
    const model = watchLanguageModel(
      {
        modelId: 'm',
        queueLength: () => 0,
        close: async () => undefined,
        async complete() {
          calls += 1
          if (!works) throw new LanguageModelFailure('no')
          return memories
        },
      },
      () => now,
    )
    expect(model.state()).toBe('ok')
    for (let call = 0; call < 8; call++) await expect(model.complete(question, 1)).rejects.toThrow(LanguageModelFailure)
    expect([calls, model.state()]).toEqual([5, expect.stringContaining('left alone')])
    now += 30_000
    expect(model.state()).toBe('failed at its last call')
    await expect(model.complete(question, 1)).rejects.toThrow()
    await expect(model.complete(question, 1)).rejects.toThrow()
    expect(calls).toBe(6)
    now += 30_000
    works = true
    expect(await model.complete(question, 1)).toEqual(memories)
    expect([calls, model.state()]).toEqual([7, 'ok'])
  })
})
