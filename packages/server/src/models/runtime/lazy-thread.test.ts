import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LazyThread } from './lazy-thread.js'
import { checkModelSizes, type LocalModel } from './model-files.js'

const serving = `
  parentPort.on('message', (message) => {
    if (message.kind === 'close') return parentPort.close()
    parentPort.postMessage({ kind: 'answer', requestId: message.requestId, values: Float32Array.of(message.ask.length) })
  })
  parentPort.postMessage({ kind: 'ready' })`
/** Loads only when the test says so. */
const slow = `
  const gate = new BroadcastChannel(workerData.model.id)
  gate.onmessage = () => { gate.close(); ${serving} }
  gate.postMessage('waiting')`

let root: string
let model: LocalModel
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'keepsake-lazy-'))
  const path = join(root, 'weights')
  await writeFile(path, 'abc')
  const sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
  const file = { path, bytes: 3, sha256 }
  model = { id: 'm', kind: 'embedder', dimensions: 1, maxTokens: 1, weights: file, tokenizer: file }
})
afterAll(() => rm(root, { recursive: true }))

function threadOf(body: string, of: LocalModel = model): LazyThread<string> {
  const program = `import { parentPort, workerData } from 'node:worker_threads'\n${body}`
  const script = new URL(`data:text/javascript,${encodeURIComponent(program)}`)
  return new LazyThread({ purpose: 'guessing', script, model: of, maxWaiting: 3 })
}

describe('a thread that loads its model when it is needed', () => {
  it('answers questions that arrive before and during loading', async () => {
    const id = `gate-${process.pid}-${Math.random()}`
    const gate = new BroadcastChannel(id)
    const isWaiting = new Promise((resolve) => {
      gate.onmessage = resolve
    })
    const thread = threadOf(slow, { ...model, id })
    expect(thread.state()).toBe('not loaded')
    const first = thread.ask('a', 1)
    expect(thread.state()).toBe('loading')
    await isWaiting
    const second = thread.ask('bb', 2)
    expect(thread.waiting()).toBe(3)
    await expect(thread.ask('c', 1)).rejects.toMatchObject({ code: 'unavailable', message: /at most 3/ })
    gate.postMessage('load')
    expect([...(await first), ...(await second)]).toEqual([1, 2])
    expect(thread.state()).toBe('loaded')
    await thread.close()
    gate.close()
  })

  it('starts one thread for two first questions that arrive together', async () => {
    const id = `starts-${process.pid}-${Math.random()}`
    const starts = new BroadcastChannel(id)
    let count = 0
    starts.onmessage = () => {
      count += 1
    }
    const telling = `const told = new BroadcastChannel(workerData.model.id); told.postMessage('started'); told.close()`
    const thread = threadOf(`${telling}\n${serving}`, { ...model, id })
    const answers = await Promise.all([thread.ask('a', 1), thread.ask('bb', 1)])
    expect(answers.flatMap((values) => [...values])).toEqual([1, 2])
    expect([...(await thread.ask('ccc', 1))]).toEqual([3])
    await expect.poll(() => count).toBe(1)
    await thread.close()
    starts.close()
    expect(count).toBe(1)
  })

  it('tells the next thread which files are intact', async () => {
    const path = join(root, `known-${Math.random()}`)
    const first = threadOf(serving.replace("kind: 'ready'", `kind: 'ready', verified: [${JSON.stringify(path)}]`))
    await first.load()
    const next = threadOf(
      serving.replace('message.ask.length', `workerData.verified.includes(${JSON.stringify(path)}) ? 1 : 0`),
    )
    expect([...(await next.ask('a', 1))]).toEqual([1])
    await Promise.all([first.close(), next.close()])
  })

  it('loads once, however often it is asked to', async () => {
    const thread = threadOf(serving)
    await Promise.all([thread.load(), thread.load(), thread.ask('a', 1)])
    await thread.load()
    expect(thread.state()).toBe('loaded')
    await thread.close()
    await thread.load()
  })

  it('rejects waiting and later questions if the model cannot be loaded, with the reason for the log', async () => {
    const thread = threadOf(`parentPort.postMessage({ kind: 'cannot-load', message: 'no file x' })`)
    const refusal = {
      code: 'unavailable',
      message: 'The guessing model cannot be loaded',
      cause: { message: 'no file x' },
    }
    await expect(thread.ask('a', 1)).rejects.toMatchObject(refusal)
    expect(thread.state()).toBe('failed')
    await expect(thread.ask('a', 1)).rejects.toMatchObject(refusal)
    await expect(thread.load()).rejects.toMatchObject({ message: 'no file x', operatorMessage: true })
    await thread.close()
  })

  it('verifies files without loading the model', async () => {
    const thread = threadOf('throw new Error("started")')
    await thread.verify()
    expect(thread.state()).toBe('not loaded')
    const damaged = threadOf(serving, { ...model, tokenizer: { ...model.tokenizer, sha256: '0'.repeat(64) } })
    await expect(damaged.verify()).rejects.toThrow(/is damaged \(its SHA-256/)
    expect(damaged.state()).toBe('failed')
    const shared = threadOf(serving, { ...model, words: { ...model.tokenizer, sha256: '0'.repeat(64) } })
    await expect(shared.verify()).rejects.toThrow(/is damaged \(its SHA-256/)
  })

  it('notices at the start that a file is missing or has another size', async () => {
    await checkModelSizes(model)
    await expect(checkModelSizes({ ...model, weights: { ...model.weights, bytes: 4 } })).rejects.toThrow(/has 3 bytes/)
    const tokenizer = { ...model.tokenizer, path: join(root, 'nowhere') }
    await expect(checkModelSizes({ ...model, tokenizer })).rejects.toThrow(/nowhere is missing/)
    await expect(checkModelSizes({ ...model, words: tokenizer })).rejects.toThrow(/nowhere is missing/)
  })
})
