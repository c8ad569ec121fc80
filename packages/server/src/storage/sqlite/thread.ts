/**
 * A worker thread seen from the main thread: typed calls, bounded waiting, and a new thread when one
 * dies. What was under way then fails as `unavailable`: nobody can tell whether it was done.
 */
import { Worker } from 'node:worker_threads'
import { unavailable } from '../../core/errors.js'
import { workerHeap } from '../../core/worker-url.js'
import type { Database } from './database.js'
import { type FromWorker, restore, type ThreadData, type ToWorker } from './messages.js'

type Handler = (db: Database, ...args: never[]) => unknown
type ArgumentsOf<F> = F extends (db: Database, ...args: infer Args) => unknown ? Args : never
type ResultOf<F extends Handler> = ReturnType<F> extends Generator<unknown, infer R> ? R : ReturnType<F>

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

/** What a `Worker` of the runtime has, as far as it is needed here. */
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
  readonly log: (message: string) => void
  readonly mostWaiting?: number
  /** Tests have threads that are ready. */
  readonly startWorker?: StartWorker | undefined
}

export class Thread<Calls extends Record<keyof Calls, Handler>> {
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

  /** Calls that wait for an answer. */
  get load(): number {
    return this.#waiting.size
  }

  call<M extends keyof Calls & string>(method: M, ...args: ArgumentsOf<Calls[M]>): Promise<ResultOf<Calls[M]>> {
    if (this.#closing) return Promise.reject(unavailable('Storage is closed'))
    if (this.#waiting.size >= (this.#options.mostWaiting ?? 1_000)) {
      return Promise.reject(unavailable('Storage has too many calls waiting'))
    }
    this.#worker ??= this.#spawn()
    const worker = this.#worker
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      // The worker answers this method's call with this method's result.
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject })
      try {
        worker.postMessage({ id, method, args } satisfies ToWorker)
      } catch (error) {
        this.#waiting.delete(id)
        reject(error instanceof Error ? error : new Error(String(error)))
      }
    })
  }

  /** Lets everything that waits finish, then ends the thread. */
  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      if (!this.#worker) return resolve()
      this.#worker.once('exit', () => resolve())
      this.#worker.postMessage('close' satisfies ToWorker)
    })
    return this.#closing
  }

  /** Ends the thread in the middle of whatever it does; the next call starts another. */
  async terminate(): Promise<void> {
    await this.#worker?.terminate()
  }

  #spawn(): StartedWorker {
    const { url, path, vacuum, startWorker: spawn = startWorker } = this.#options
    const worker = spawn(url, { path, vacuum })
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
