/**
 * A worker thread seen from the main thread: typed calls, a bounded queue, and a replacement when a thread dies. Calls in flight
 * then fail as `unavailable`, because nobody can know whether they were done.
 */
import { Worker } from 'node:worker_threads'
import { asError, unavailable } from '../../core/errors.js'
import { workerHeap } from '../../core/worker-url.js'
import { isClosed, tooManyWaiting } from '../sql/refusals.js'
import { type FromWorker, restore, type ThreadData, type ToWorker } from './messages.js'
import type { Operations } from './operations.js'
import type { SqliteSession } from './session.js'

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** The part of Node's `Worker` that is used here. */
export interface StartedWorker {
  on(event: 'message', listener: (message: FromWorker) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'exit', listener: (code: number) => void): unknown
  once(event: 'exit', listener: (code: number) => void): unknown
  postMessage(message: ToWorker): void
  terminate(): Promise<unknown>
}

export type StartWorker = (url: URL, data: ThreadData) => StartedWorker

const startWorker: StartWorker = (url, workerData) =>
  new Worker(url, { workerData, execArgv: [], resourceLimits: workerHeap })

interface ThreadOptions extends ThreadData {
  readonly url: URL
  /** The operations that the thread can run. */
  readonly operations: Operations
  readonly log: (message: string) => void
  readonly mostWaiting?: number
  /** Tests reuse threads that are already running. */
  readonly startWorker?: StartWorker | undefined
}

export class Thread {
  readonly #options: ThreadOptions
  readonly #waiting = new Map<number, Waiting>()
  #worker: StartedWorker | undefined
  #ready: Waiting | undefined
  #nextId = 1
  #closing: Promise<void> | undefined

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  /** Resolves when the thread has opened its connection. */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#ready = { resolve: () => resolve(), reject }
      this.#worker = this.#spawn()
    })
  }

  /** Number of calls that have no answer yet. */
  get load(): number {
    return this.#waiting.size
  }

  /** Runs the operation in the thread. Its name is sent, and selects the same function there. */
  call<Args extends readonly unknown[], Result>(
    operation: (session: SqliteSession, ...args: Args) => Promise<Result>,
    ...args: Args
  ): Promise<Result> {
    const { name } = operation
    const listed: unknown = this.#options.operations[name]
    if (listed !== operation) throw new Error(`${name} is not listed in operations.ts`)
    if (this.#closing) return Promise.reject(isClosed())
    if (this.#waiting.size >= (this.#options.mostWaiting ?? 1_000)) {
      return Promise.reject(tooManyWaiting())
    }
    this.#worker ??= this.#spawn()
    const worker = this.#worker
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      // The worker returns the result of this operation.
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject })
      try {
        worker.postMessage({ id, operation: name, args } satisfies ToWorker)
      } catch (error) {
        this.#waiting.delete(id)
        reject(asError(error))
      }
    })
  }

  /** Finishes all waiting calls, then ends the thread. */
  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      if (!this.#worker) return resolve()
      this.#worker.once('exit', () => resolve())
      this.#worker.postMessage('close' satisfies ToWorker)
    })
    return this.#closing
  }

  /** Ends the thread immediately; the next call starts another. */
  async terminate(): Promise<void> {
    await this.#worker?.terminate()
  }

  #spawn(): StartedWorker {
    const { url, path, vacuum, limits, startWorker: spawn = startWorker } = this.#options
    const worker = spawn(url, { path, vacuum, limits })
    worker.on('message', (message: FromWorker) => this.#receive(message))
    worker.on('error', (error) => this.#options.log(`a storage thread failed: ${error.message}`))
    worker.on('exit', (code) => {
      if (this.#worker === worker) this.#worker = undefined
      if (this.#waiting.size > 0 || !this.#closing) this.#options.log(`a storage thread ended with code ${code}`)
      this.#failAll(unavailable('A storage thread ended before it had answered'))
    })
    return worker
  }

  #receive(message: FromWorker): void {
    if (message.kind === 'ready') {
      this.#ready?.resolve(undefined)
      this.#ready = undefined
    } else if (message.kind === 'not-ready') {
      this.#options.log(`storage cannot be opened: ${message.error.message}`)
      this.#failAll(restore(message.error))
    } else {
      const waiting = this.#waiting.get(message.id)
      this.#waiting.delete(message.id)
      if (message.kind === 'answer') waiting?.resolve(message.value)
      else waiting?.reject(restore(message.error))
    }
  }

  #failAll(error: Error): void {
    this.#ready?.reject(error)
    this.#ready = undefined
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject } of waiting) reject(error)
  }
}
