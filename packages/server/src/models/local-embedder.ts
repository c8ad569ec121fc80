/**
 * The embedder that needs no network: all-MiniLM-L6-v2 on the CPU, in a thread of its own (`embed-worker.ts`).
 * This side counts what waits, matches answers to requests, and starts the thread anew should it die.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { type ServiceError, unavailable } from '../core/errors.js'
import { workerHeap, workerUrl } from '../core/worker-url.js'
import type { EmbedWorkerData, FromEmbedWorker, ToEmbedWorker } from './embed-worker.js'
import type { Embedder } from './models.js'

export interface LocalEmbedderOptions {
  /** A directory with `model.fp16.safetensors` and `tokenizer.json` instead of the packaged ones. */
  readonly directory?: string
  /** Threads inside one batch. Without it two where there are two cores: measured to be nearly twice as fast. */
  readonly intraOpThreads?: number
  /** Texts that may wait or run; above it calls are refused rather than left to wait for minutes. */
  readonly maxWaitingTexts?: number
  /** The thread's program; tests put one that dies in its place. */
  readonly script?: URL
}

interface Pending {
  readonly textCount: number
  resolve(vectors: Float32Array[]): void
  reject(error: Error): void
}

/**
 * Only the first 256 tokens of a text count for its vector, and of very long texts only this many characters
 * are tokenized at all (254 English words take about 1,500).
 */
const maxCharacters = 10_000

export async function openLocalEmbedder(options: LocalEmbedderOptions = {}): Promise<Embedder> {
  const embedder = new LocalEmbedder(options)
  await embedder.start()
  return embedder
}

class LocalEmbedder implements Embedder {
  readonly modelId = 'all-MiniLM-L6-v2'
  dimensions = 0
  private readonly pending = new Map<number, Pending>()
  private worker: Worker | undefined
  private lastRequestId = 0
  private waitingTexts = 0
  /** A thread that dies twice without one answer in between would die for ever. */
  private mayRestart = true
  private deathReason: Error | undefined
  private closing: Promise<void> | undefined
  private onDrained: (() => void) | undefined

  constructor(private readonly options: LocalEmbedderOptions) {}

  /** Rejects with one line that names the file if the model can't be loaded. */
  start(): Promise<void> {
    const workerData: EmbedWorkerData = {
      directory: this.options.directory,
      intraOpThreads: this.options.intraOpThreads ?? Math.min(2, availableParallelism()),
    }
    const worker = new Worker(this.options.script ?? workerUrl(import.meta.url, './embed-worker.js'), {
      workerData,
      resourceLimits: workerHeap,
    })
    this.worker = worker
    return new Promise((resolve, reject) => {
      let loaded = false
      let reason: Error | undefined
      worker.on('message', (message: FromEmbedWorker) => {
        if (message.kind === 'ready') {
          loaded = true
          this.dimensions = message.dimensions
          resolve()
        } else if (message.kind === 'cannot-load') {
          reason = new Error(message.message)
          void worker.terminate()
        } else this.settle(message)
      })
      worker.on('error', (error) => {
        reason = error instanceof Error ? error : new Error(String(error))
      })
      worker.on('exit', (code) => {
        this.worker = undefined
        this.deathReason = reason ?? new Error(`The embedding thread stopped with code ${code}`)
        reject(this.deathReason)
        // A model that can't be loaded now can't be loaded again.
        this.afterDeath(loaded)
      })
    })
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    if (this.closing) throw unavailable('The embedding model has been closed')
    if (!this.worker) throw failure('The embedding model has stopped; the service must be restarted', this.deathReason)
    if (texts.length === 0) return []
    const limit = this.options.maxWaitingTexts ?? 10_000
    if (this.waitingTexts + texts.length > limit) {
      throw unavailable(`Too many texts wait for the embedding model (at most ${limit})`)
    }
    this.lastRequestId += 1
    const requestId = this.lastRequestId
    const message: ToEmbedWorker = { kind: 'embed', requestId, texts: texts.map(beginning) }
    const answer = new Promise<Float32Array[]>((resolve, reject) => {
      this.pending.set(requestId, { textCount: texts.length, resolve, reject })
    })
    this.waitingTexts += texts.length
    this.worker.postMessage(message)
    return answer
  }

  queueLength(): number {
    return this.waitingTexts
  }

  /** Refuses later calls, finishes those it has taken, then ends the thread. */
  close(): Promise<void> {
    this.closing ??= this.drainAndEnd()
    return this.closing
  }

  private async drainAndEnd(): Promise<void> {
    if (this.pending.size > 0) {
      await new Promise<void>((resolve) => {
        this.onDrained = resolve
      })
    }
    const worker = this.worker
    if (!worker) return
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    worker.postMessage({ kind: 'close' } satisfies ToEmbedWorker)
    await ended
  }

  private settle(message: Extract<FromEmbedWorker, { requestId: number }>): void {
    const request = this.take(message.requestId)
    if (!request) return
    if (message.kind === 'failed') {
      request.reject(failure('The embedding model failed', new Error(message.message)))
      return
    }
    this.mayRestart = true
    const { dimensions } = this
    // Copies: a vector that is kept must not keep its whole request's alive.
    request.resolve(
      Array.from({ length: request.textCount }, (_, index) =>
        message.vectors.slice(index * dimensions, (index + 1) * dimensions),
      ),
    )
  }

  private take(requestId: number): Pending | undefined {
    const request = this.pending.get(requestId)
    if (!request) return undefined
    this.pending.delete(requestId)
    this.waitingTexts -= request.textCount
    if (this.pending.size === 0) this.onDrained?.()
    return request
  }

  private afterDeath(wasLoaded: boolean): void {
    for (const requestId of [...this.pending.keys()]) {
      this.take(requestId)?.reject(failure('The embedding model stopped; try again', this.deathReason))
    }
    if (this.closing || !wasLoaded || !this.mayRestart) return
    this.mayRestart = false
    this.start().catch((error: Error) => {
      // There is no worker then, and embed() says so.
      this.deathReason = error
    })
  }
}

/** The cause is for the log: it may tell more of the machine than a caller should know. */
function failure(message: string, cause: Error | undefined): ServiceError {
  return Object.assign(unavailable(message), { cause })
}

function beginning(text: string): string {
  if (text.length <= maxCharacters) return text
  // White space only separates tokens; a page of it must not push the words out.
  const collapsed = text.replace(/\s+/gu, ' ').slice(0, maxCharacters)
  // Half of a surrogate pair would be another character.
  return /[\uD800-\uDBFF]$/.test(collapsed) ? collapsed.slice(0, -1) : collapsed
}
