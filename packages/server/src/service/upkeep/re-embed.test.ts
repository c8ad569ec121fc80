import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unavailable } from '../../core/errors.js'
import { everyoneScope, type UserScope } from '../../core/scope.js'
import type { Embedder } from '../../models/models.js'
import { alice, allRows, bob, Notebook, start } from '../../storage/contract/notebook.js'
import { turnBreak } from '../../storage/ports/memory-writes.js'
import type { Storage } from '../../storage/ports/storage.js'
import { keptThreads } from '../../storage/sqlite/kept-threads.fixture.js'
import { openSqliteStorage } from '../../storage/sqlite/sqlite-storage.js'
import { type ReEmbedding, type ReEmbeddingDeps, reEmbedding } from './re-embed.js'

let dataDir = ''
let storage: Storage
let notebook: Notebook
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'keepsake-re-embed-'))
  storage = await openSqliteStorage({ dataDir, startWorker: keptThreads })
  notebook = new Notebook(storage)
})
afterEach(async () => {
  await storage.close()
  await rm(dataDir, { recursive: true })
})

/** Returns the length of the text as its vector, and records its calls. */
class TestModel implements Embedder {
  readonly modelId: string
  readonly dimensions = 5
  readonly calls: (readonly string[])[] = []
  /** Runs during a call, before it returns. */
  onCall: (texts: readonly string[], call: number) => unknown = () => undefined
  queue = 0

  constructor(modelId = 'young-model') {
    this.modelId = modelId
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    this.calls.push(texts)
    await this.onCall(texts, this.calls.length)
    return texts.map((text) => Float32Array.of(text.length, 1, 0, 0, 0))
  }

  queueLength = () => this.queue
  close = async () => undefined
  get texts(): string[] {
    return this.calls.flat()
  }
}

function runner(model: Embedder, over: Partial<ReEmbeddingDeps> = {}) {
  const lines: { level: string; fields: Record<string, unknown>; message: string }[] = []
  const waits: number[] = []
  let now = start
  const log = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields: { ...fields }, message })
  const reEmbed = reEmbedding({
    storage,
    embedder: model,
    log: { info: log('info'), warn: log('warn'), error: log('error') },
    clock: { now: () => now },
    wait: async (ms, signal) => {
      signal.throwIfAborted()
      waits.push(ms)
      now += ms
    },
    ...over,
  })
  return { reEmbed, lines, waits, messages: () => lines.map(({ level, message }) => `${level}: ${message}`) }
}

async function finish(reEmbed: ReEmbedding): Promise<void> {
  await reEmbed.start()
  await reEmbed.finished()
}

const facts = (count: number, word = 'fact') => Array.from({ length: count }, (_, i) => ({ content: `${word} ${i}` }))
const modelsOf = async (scope: UserScope) =>
  Object.fromEntries((await allRows(storage, scope)).map(({ content, modelId }) => [content, modelId]))
const left = (modelId = 'young-model') => storage.countOutdated(everyoneScope(), modelId)

describe('re-embedding', () => {
  it('gives every version of every user a vector of the model, including history, and logs its start and end', async () => {
    const [first = ''] = await notebook.store(alice, ...facts(70))
    await storage.update(alice, first, { now: start + 1, content: notebook.draft({ content: 'rewritten' }) })
    await notebook.store(bob, ...facts(3))
    const model = new TestModel()
    const { reEmbed, lines } = runner(model)
    await Promise.all([reEmbed.start(), reEmbed.start()])
    await reEmbed.finished()
    expect(await left()).toBe(0)
    const rows = await allRows(storage, alice)
    expect(rows).toHaveLength(71)
    for (const { quantized, scale, content } of rows) expect((quantized[0] ?? 0) * scale).toBeCloseTo(content.length, 1)
    expect(model.texts).toHaveLength(74)
    // History comes last.
    expect(model.texts.at(-1)).toBe('fact 0')
    expect(lines.map(({ level, fields }) => [level, fields])).toEqual([
      ['info', { versions: 74, model: 'young-model' }],
      ['info', { versions: 74, seconds: 0 }],
    ])
    expect([reEmbed.left(), reEmbed.isRunning()]).toEqual([0, false])
    await reEmbed.close()
  })

  it('does and logs nothing when every vector is of the model', async () => {
    await notebook.store(alice, ...facts(3))
    const model = new TestModel('test-model')
    const { reEmbed, lines } = runner(model)
    await finish(reEmbed)
    expect([model.calls, lines]).toEqual([[], []])
  })

  it('embeds a turn of a dialogue together with the previous turn, like a store', async () => {
    const document = { id: notebook.id('doc'), segments: ['Do you ski?', turnBreak, 'Yes, in May!'], source: 'api' }
    const memories = [
      notebook.memory({ content: 'Bo: Do you ski?', segments: [0, 0] }),
      notebook.memory({ content: 'Ann: Yes, in May!', segments: [2, 2] }),
    ]
    await notebook.commit(alice, { document, memories })
    const model = new TestModel()
    await finish(runner(model).reEmbed)
    expect(model.texts).toEqual(['Bo: Do you ski?', 'Ann: Yes, in May! (after Bo: Do you ski?)'])
  })

  it('logs its progress every five thousand versions', async () => {
    for (let i = 0; i < 11; i++) await notebook.store(alice, ...facts(500, `batch ${i}`))
    const { reEmbed, lines } = runner(new TestModel())
    await finish(reEmbed)
    expect(lines).toHaveLength(3)
    expect(lines[1]?.fields).toEqual({ done: 5024, left: 476 })
  })
})

describe('while it runs, re-embedding', () => {
  it('reports how many are left', async () => {
    await notebook.store(alice, ...facts(40))
    const model = new TestModel()
    const { reEmbed } = runner(model)
    const seen: unknown[] = []
    model.onCall = () => seen.push([reEmbed.isRunning(), reEmbed.left()])
    await finish(reEmbed)
    expect(seen).toEqual([
      [true, 40],
      [true, 8],
    ])
  })

  it('never undoes concurrent changes: forgotten memories stay forgotten, updates stay, and vectors they kept are replaced too', async () => {
    // Of a model that sorts first: the vector that an update keeps is behind the current slice.
    const moving = { content: 'moving', modelId: 'a-model' }
    const [gone = '', said = '', moved = ''] = await notebook.store(alice, ...facts(2), moving)
    const model = new TestModel()
    model.onCall = async (_, call) => {
      if (call > 1) return
      await storage.forget(alice, { memoryIds: [gone] })
      await storage.update(alice, moved, { now: start + 1, project: 'p' })
      const content = notebook.draft({
        content: 'rewritten',
        modelId: model.modelId,
        vector: Float32Array.of(9, 9, 9, 9, 9),
      })
      await storage.update(alice, said, { now: start + 1, content })
    }
    await finish(runner(model).reEmbed)
    expect(await left()).toBe(0)
    expect(await storage.find(alice, gone, { now: start + 2 })).toBeNull()
    expect(await storage.find(alice, moved, { now: start + 2 })).toMatchObject({ project: 'p', version: 2 })
    const rows = await allRows(storage, alice)
    const rewritten = rows.filter(({ content }) => content === 'rewritten').map(({ row }) => row)
    expect((await storage.hydrate(alice, rewritten, { vectors: true }))[0]?.vector).toEqual(
      Float32Array.of(9, 9, 9, 9, 9),
    )
    expect(rows).toHaveLength(4)
  })

  it('prefers users who search, the latest first', async () => {
    await notebook.store(alice, ...facts(100, 'alice'))
    await notebook.store(bob, ...facts(15, 'bob'))
    const model = new TestModel()
    const { reEmbed } = runner(model)
    model.onCall = (_, call) => {
      if (call === 1) for (const user of ['nobody', 'alice', 'bob']) reEmbed.prefer(user)
    }
    await finish(reEmbed)
    const users = model.calls.map(([text = '']) => text.split(' ')[0])
    expect(users.slice(0, 4)).toEqual(['alice', 'bob', 'bob', 'alice'])
    expect(model.texts).toHaveLength(115)
  })

  it('uses smaller slices and pauses while people search', async () => {
    await notebook.store(alice, ...facts(100))
    const model = new TestModel()
    const { reEmbed, waits } = runner(model)
    model.onCall = (_, call) => {
      if (call === 2) reEmbed.prefer('alice')
    }
    await finish(reEmbed)
    expect(model.calls.map(({ length }) => length)).toEqual([32, 32, 10, 10, 10, 6])
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(5)
  })

  it('waits while the model has other work, but not forever', async () => {
    await notebook.store(alice, ...facts(40))
    const model = new TestModel()
    model.queue = 1
    model.onCall = () => {
      model.queue = 0
    }
    const { reEmbed, waits } = runner(model)
    await finish(reEmbed)
    expect(waits.filter((ms) => ms === 20)).toHaveLength(100)
    expect(await left()).toBe(0)
  })

  it('is harmless when two runs overlap', async () => {
    await notebook.store(alice, ...facts(100))
    const models = [new TestModel(), new TestModel()]
    await Promise.all(models.map((model) => finish(runner(model).reEmbed)))
    expect(await left()).toBe(0)
    for (const model of models) expect(model.texts.length).toBeLessThanOrEqual(100)
  })

  it('ends even if two instances have different models', async () => {
    await notebook.store(alice, ...facts(100))
    const models = [new TestModel('one'), new TestModel('two')]
    await Promise.all(models.map((model) => finish(runner(model).reEmbed)))
    // Three passes; the first may find a version twice: with the old model's vector, then with the other instance's.
    for (const model of models) expect(model.texts.length).toBeLessThanOrEqual(400)
    expect(new Set(Object.values(await modelsOf(alice)))).not.toContain('test-model')
  })
})

describe('when the model fails, re-embedding', () => {
  const content = 'a text that no model takes'

  it('retries with growing pauses, warns once, and continues when the model works', async () => {
    await notebook.store(alice, ...facts(3))
    const model = new TestModel()
    model.onCall = (_, call) => {
      if (call <= 24) throw unavailable('no connection')
    }
    const { reEmbed, waits, lines } = runner(model)
    await finish(reEmbed)
    expect(await left()).toBe(0)
    // Two calls per attempt: the texts, then the probe.
    expect(waits.slice(0, 12)).toEqual(
      [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].map((seconds) => seconds * 1000),
    )
    const warnings = lines.filter(({ level }) => level === 'warn')
    expect(warnings.length).toBeLessThanOrEqual(3)
    expect(lines.at(-2)?.message).toBe('re-embedding continues')
    expect(lines.at(-2)?.fields).toEqual({ failures: 12 })
  })

  it('does not flood the log when calls fail now and then', async () => {
    await notebook.store(alice, ...facts(320))
    const model = new TestModel()
    model.onCall = (_, call) => {
      if (call % 3 !== 0) throw unavailable('no connection')
    }
    const { reEmbed, lines } = runner(model)
    await finish(reEmbed)
    expect(await left()).toBe(0)
    expect(lines).toHaveLength(4)
  })

  it('skips a rejected text, leaves it to keyword search, and logs it', async () => {
    await notebook.store(alice, ...facts(20), { content }, ...facts(20, 'more'))
    const model = new TestModel()
    model.onCall = (texts) => {
      if (texts.some((text) => text.includes(content))) throw unavailable('it answered 400')
    }
    const { reEmbed, lines } = runner(model)
    await finish(reEmbed)
    const models = await modelsOf(alice)
    expect(models[content]).toBe('test-model')
    expect(Object.values(models).filter((modelId) => modelId === 'young-model')).toHaveLength(40)
    expect([reEmbed.left(), reEmbed.isRunning()]).toEqual([1, false])
    expect(lines.at(-1)).toMatchObject({ level: 'warn', fields: { left: 1, versions: 40 } })
    expect(JSON.stringify(lines)).not.toContain(content)
    expect(model.calls.length).toBeLessThan(60)
  })

  it('does not retry a rejected text at every search of its user', async () => {
    await notebook.store(alice, { content }, ...facts(200))
    await notebook.store(bob, ...facts(300))
    const model = new TestModel()
    const { reEmbed } = runner(model)
    model.onCall = (texts) => {
      reEmbed.prefer('alice')
      if (texts.includes(content)) throw unavailable('it answered 400')
    }
    await finish(reEmbed)
    expect(model.texts.filter((text) => text === content).length).toBeLessThanOrEqual(4)
    expect(reEmbed.left()).toBe(1)
  })

  it.each([
    ['too short', Float32Array.of(1)],
    ['no number', Float32Array.of(1, Number.NaN, 0, 0, 0)],
  ])('rejects a vector that is %s', async (_, vector) => {
    await notebook.store(alice, { content: 'odd' }, ...facts(3))
    const model = new TestModel()
    const odd: Embedder = {
      ...model,
      modelId: model.modelId,
      queueLength: () => 0,
      close: async () => undefined,
      embed: async (texts) => {
        const vectors = await model.embed(texts)
        return vectors.map((given, i) => (texts[i] === 'odd' ? vector : given))
      },
    }
    await finish(runner(odd).reEmbed)
    expect((await modelsOf(alice)).odd).toBe('test-model')
    expect(await left()).toBe(1)
  })

  it('writes its vectors once the store works again, without embedding twice', async () => {
    await notebook.store(alice, ...facts(3))
    const model = new TestModel()
    let failures = 2
    let counts = 0
    const failing: ReEmbeddingDeps['storage'] = {
      countOutdated: async (...args) => {
        counts += 1
        if (counts === 1) throw unavailable('the disk failed')
        return storage.countOutdated(...args)
      },
      outdated: (...args) => storage.outdated(...args),
      replaceVectors: async (...args) => {
        if (failures-- > 0) throw unavailable('the disk is full')
        return storage.replaceVectors(...args)
      },
    }
    const { reEmbed, messages } = runner(model, { storage: failing })
    await finish(reEmbed)
    expect(await left()).toBe(0)
    expect(model.calls).toHaveLength(1)
    expect(messages().filter((message) => message.startsWith('warn'))).toEqual([
      'warn: vectors of other models could not be counted; the count is retried',
      'warn: re-embedding failed and is retried',
    ])
  })
})

describe('close', () => {
  it('does not wait for a model that hangs, writes nothing afterwards, and lets the next run continue', async () => {
    await notebook.store(alice, ...facts(50))
    const model = new TestModel()
    const { reEmbed, messages } = runner(model)
    const hangs = new Promise<void>((resolve) => {
      model.onCall = (_, call) => {
        if (call < 2) return undefined
        resolve()
        return new Promise(() => undefined)
      }
    })
    await reEmbed.start()
    await hangs
    await reEmbed.close()
    expect(await left()).toBe(18)
    expect(messages().at(-1)).toBe('info: re-embedding stops until the next start')
    expect(reEmbed.isRunning()).toBe(false)
    const next = new TestModel()
    await finish(runner(next).reEmbed)
    expect([await left(), next.texts.length]).toEqual([0, 18])
  })

  it('ends a pause at once', async () => {
    await notebook.store(alice, ...facts(2))
    const model = new TestModel()
    model.onCall = () => Promise.reject(unavailable('down'))
    let waiting: () => void = () => undefined
    const waits = new Promise<void>((resolve) => {
      waiting = resolve
    })
    const { reEmbed, messages } = runner(model, {
      wait: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
          waiting()
        }),
    })
    await reEmbed.start()
    await waits
    await reEmbed.close()
    expect(messages().at(-1)).toBe('info: re-embedding stops until the next start')
  })

  it('ignores a model that fails afterwards', async () => {
    await notebook.store(alice, ...facts(2))
    const model = new TestModel()
    let fail: (error: Error) => void = () => undefined
    const asked = new Promise<void>((resolve) => {
      model.onCall = () => {
        resolve()
        return new Promise((_, reject) => {
          fail = reject
        })
      }
    })
    const { reEmbed, lines } = runner(model)
    await reEmbed.start()
    await asked
    await reEmbed.close()
    fail(new Error('the model was closed'))
    expect(lines.map(({ level }) => level)).toEqual(['info', 'info'])
  })

  it('may be called before the start', async () => {
    await notebook.store(alice, ...facts(2))
    const model = new TestModel()
    const { reEmbed } = runner(model)
    await reEmbed.close()
    await finish(reEmbed)
    expect(model.calls).toEqual([])
  })
})
