import { describe, expect, it } from 'vitest'
import type { LocalModel } from './model-files.js'
import { ModelThread, type ModelThreadOptions } from './model-thread.js'

/** Speaks the thread's protocol: answers with a one per letter, crashes on "die" and never answers "wait". */
const mortal = scriptOf(`
  parentPort.on('message', (message) => {
    if (message.kind === 'close') return parentPort.close()
    if (message.ask === 'die') throw new Error('a bug')
    if (message.ask === 'wait') return
    if (message.ask === 'fail') return parentPort.postMessage({ kind: 'failed', requestId: message.requestId, message: 'no' })
    const values = new Float32Array(message.ask.length).fill(1)
    parentPort.postMessage({ kind: 'answer', requestId: message.requestId, values })
  })
  parentPort.postMessage({ kind: 'ready' })`)

function scriptOf(body: string): URL {
  const program = `import { parentPort, workerData } from 'node:worker_threads'\n${body}`
  return new URL(`data:text/javascript,${encodeURIComponent(program)}`)
}

const file = { path: '/nowhere', bytes: 1, sha256: '' }
const model: LocalModel = { id: 'm', kind: 'embedder', dimensions: 1, maxTokens: 1, weights: file, tokenizer: file }

function threadOf(options: Partial<ModelThreadOptions> = {}): ModelThread<string> {
  return new ModelThread({ purpose: 'guessing', script: mortal, model, maxWaiting: 100, ...options })
}

describe('a thread that serves a model', () => {
  it('answers, and reports how many items wait', async () => {
    const thread = threadOf()
    await thread.start()
    const answer = thread.ask('abc', 3)
    expect(thread.waiting()).toBe(3)
    expect(await answer).toEqual(Float32Array.of(1, 1, 1))
    expect(thread.waiting()).toBe(0)
    await thread.close()
  })

  it('accepts questions while it loads', async () => {
    const thread = threadOf()
    const started = thread.start()
    expect(await thread.ask('a', 1)).toHaveLength(1)
    await started
    await thread.close()
  })

  it('rejects items beyond the queue limit as unavailable, and finishes accepted ones', async () => {
    const thread = threadOf({ maxWaiting: 3 })
    await thread.start()
    const taken = thread.ask('abc', 3)
    await expect(thread.ask('d', 1)).rejects.toMatchObject({ code: 'unavailable', message: /at most 3/ })
    expect(await taken).toHaveLength(3)
    expect(await thread.ask('d', 1)).toHaveLength(1)
    await thread.close()
  })

  it('reports a failed request without the reason, which is for the log only', async () => {
    const thread = threadOf()
    await thread.start()
    const failing = thread.ask('fail', 1)
    await expect(failing).rejects.toMatchObject({ code: 'unavailable', message: 'The guessing model failed' })
    await expect(failing).rejects.toMatchObject({ cause: new Error('no') })
    expect(thread.waiting()).toBe(0)
    await thread.close()
  })

  it('fails to start if the model cannot be loaded, with a one-line reason', async () => {
    const thread = threadOf({
      script: scriptOf(`parentPort.postMessage({ kind: 'cannot-load', message: 'no file x' })`),
    })
    await expect(thread.start()).rejects.toMatchObject({ message: 'no file x', operatorMessage: true })
    await expect(thread.ask('a', 1)).rejects.toMatchObject({ code: 'unavailable', message: /must be restarted/ })
    await thread.close()
  })

  it('receives the model and at most two threads for it', async () => {
    const thread = threadOf({
      script: scriptOf(`
        const { model, intraOpThreads } = workerData
        if (model.id !== 'm' || ![1, 2].includes(intraOpThreads)) throw new Error('wrong data')
        parentPort.on('message', () => parentPort.close())
        parentPort.postMessage({ kind: 'ready' })`),
    })
    await thread.start()
    await thread.close()
  })
})

describe('a thread that crashes', () => {
  it('rejects all waiting requests as unavailable, and serves again', async () => {
    const thread = threadOf()
    await thread.start()
    const outcomes = await Promise.allSettled([thread.ask('wait', 2), thread.ask('die', 1)])
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } })
    }
    expect(thread.waiting()).toBe(0)
    expect(await thread.ask('a', 1)).toEqual(Float32Array.of(1))
    // An answer in between allows another restart.
    await expect(thread.ask('die', 1)).rejects.toMatchObject({ code: 'unavailable' })
    expect(await thread.ask('a', 1)).toHaveLength(1)
    await thread.close()
  })

  it('gives up after two crashes without an answer in between, and says so', async () => {
    const thread = threadOf()
    await thread.start()
    await expect(thread.ask('die', 1)).rejects.toMatchObject({ code: 'unavailable' })
    await expect(thread.ask('die', 1)).rejects.toMatchObject({ code: 'unavailable' })
    await expect(thread.ask('a', 1)).rejects.toThrow(/must be restarted/)
    await thread.close()
  })
})

describe('closing a thread', () => {
  it('finishes accepted work, and rejects later calls', async () => {
    const thread = threadOf()
    await thread.start()
    const taken = thread.ask('ab', 2)
    const closed = thread.close()
    await expect(thread.ask('late', 1)).rejects.toMatchObject({ code: 'unavailable', message: /closed/ })
    expect(await taken).toHaveLength(2)
    await closed
    await thread.close()
  })

  it('completes even if the thread crashes while it finishes its work', async () => {
    const thread = threadOf()
    await thread.start()
    const [lost, fatal] = [thread.ask('wait', 1), thread.ask('die', 1)]
    const closed = thread.close()
    await expect(lost).rejects.toMatchObject({ code: 'unavailable' })
    await expect(fatal).rejects.toMatchObject({ code: 'unavailable' })
    await closed
  })

  it('ends a thread that is still loading, and works without a thread', async () => {
    const loading = threadOf()
    const started = loading.start()
    await loading.close()
    await started
    await threadOf().close()
  })
})
