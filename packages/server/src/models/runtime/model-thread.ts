/**
 * The outside of a model's thread: counts waiting items, matches answers to requests, and restarts the thread if it
 * crashes. The inside is `serve-model.ts`.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { type ServiceError, unavailable } from '../../core/errors.js'
import { workerHeap } from '../../core/worker-url.js'
import { addVerifiedFiles, type LocalModel, verifiedFiles } from './model-files.js'
import type { FromModel, ToModel } from './model-protocol.js'

export interface ModelWorkerData {
  readonly model: LocalModel
  /** Number of threads that compute one batch. */
  readonly intraOpThreads: number
  /** Files that another thread has verified. */
  readonly verified: readonly string[]
}

export interface ModelThreadOptions {
  /** For messages: "The embedding model has stopped". */
  readonly purpose: string
  readonly script: URL
  readonly model: LocalModel
  /** Maximum number of items that wait or run; calls beyond it are rejected instead of waiting for long. */
  readonly maxWaiting: number
}

interface Pending {
  readonly items: number
  resolve(values: Float32Array): void
  reject(error: Error): void
}

export class ModelThread<Ask> {
  private readonly pending = new Map<number, Pending>()
  private worker: Worker | undefined
  private lastRequestId = 0
  private waitingItems = 0
  /** A thread that crashes twice without an answer in between would crash forever. */
  private mayRestart = true
  private deathReason: Error | undefined
  private closing: Promise<void> | undefined
  private onDrained: (() => void) | undefined

  constructor(private readonly options: ModelThreadOptions) {}

  /** Rejects with a one-line message that names the file if the model can't be loaded. */
  start(): Promise<void> {
    const workerData: ModelWorkerData = {
      model: this.options.model,
      // Two if there are two cores: measured to be nearly twice as fast.
      intraOpThreads: Math.min(2, availableParallelism()),
      verified: verifiedFiles(),
    }
    const worker = new Worker(this.options.script, { workerData, resourceLimits: workerHeap })
    this.worker = worker
    return new Promise((resolve, reject) => {
      let loaded = false
      let reason: Error | undefined
      worker.on('message', (message: FromModel) => {
        if (message.kind === 'ready') {
          loaded = true
          addVerifiedFiles(message.verified ?? [])
          resolve()
        } else if (message.kind === 'cannot-load') {
          // One line for the operator, as written by model-files.ts.
          reason = Object.assign(new Error(message.message), { operatorMessage: true })
          void worker.terminate()
        } else this.settle(message)
      })
      worker.on('error', (error) => {
        reason = error instanceof Error ? error : new Error(String(error))
      })
      worker.on('exit', (code) => {
        this.worker = undefined
        this.deathReason = reason ?? new Error(`The ${this.options.purpose} thread stopped with code ${code}`)
        reject(this.deathReason)
        // A model that can't be loaded now can't be loaded later either.
        this.afterDeath(loaded)
      })
    })
  }

  /** `items` is the number of texts or pairs in the request. */
  async ask(ask: Ask, items: number): Promise<Float32Array> {
    const { purpose, maxWaiting } = this.options
    if (this.closing) throw unavailable(`The ${purpose} model has been closed`)
    if (!this.worker) throw failure(`The ${purpose} model has stopped; the service must be restarted`, this.deathReason)
    if (this.waitingItems + items > maxWaiting) {
      throw unavailable(`Too many texts are waiting for the ${purpose} model (at most ${maxWaiting})`)
    }
    this.lastRequestId += 1
    const requestId = this.lastRequestId
    const answer = new Promise<Float32Array>((resolve, reject) => {
      this.pending.set(requestId, { items, resolve, reject })
    })
    this.waitingItems += items
    this.worker.postMessage({ kind: 'ask', requestId, ask } satisfies ToModel<Ask>)
    return answer
  }

  /** Number of items that wait or run now. */
  waiting(): number {
    return this.waitingItems
  }

  /** Rejects later calls, finishes accepted ones, then ends the thread. */
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
    worker.postMessage({ kind: 'close' } satisfies ToModel<Ask>)
    await ended
  }

  private settle(message: Extract<FromModel, { requestId: number }>): void {
    const request = this.take(message.requestId)
    if (!request) return
    if (message.kind === 'failed') {
      request.reject(failure(`The ${this.options.purpose} model failed`, new Error(message.message)))
      return
    }
    this.mayRestart = true
    request.resolve(message.values)
  }

  private take(requestId: number): Pending | undefined {
    const request = this.pending.get(requestId)
    if (!request) return undefined
    this.pending.delete(requestId)
    this.waitingItems -= request.items
    if (this.pending.size === 0) this.onDrained?.()
    return request
  }

  private afterDeath(wasLoaded: boolean): void {
    const message = `The ${this.options.purpose} model ${wasLoaded ? 'stopped; try again' : 'cannot be loaded'}`
    for (const requestId of [...this.pending.keys()]) {
      this.take(requestId)?.reject(failure(message, this.deathReason))
    }
    if (this.closing || !wasLoaded || !this.mayRestart) return
    this.mayRestart = false
    this.start().catch((error: Error) => {
      // There is no worker then, and ask() reports it.
      this.deathReason = error
    })
  }
}

/** The cause is for the log: it may reveal more about the machine than a caller should know. */
function failure(message: string, cause: Error | undefined): ServiceError {
  return Object.assign(unavailable(message), { cause })
}
