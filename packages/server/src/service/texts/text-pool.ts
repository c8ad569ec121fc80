/**
 * A few threads that understand texts, so that a long text of one user does not hold up the requests of others. Threads start when
 * they are needed. Jobs wait in order of arrival; a long text consists of many jobs, so that other texts come in between.
 */
import { Worker } from 'node:worker_threads'
import { unavailable } from '../../core/errors.js'
import type { Log } from '../../core/log.js'
import { workerHeap, workerUrl } from '../../core/worker-url.js'
import type { TextJobKind, TextJobs } from './text-jobs.js'

export interface ToTextThread {
  readonly kind: TextJobKind
  readonly input: TextJobs[TextJobKind]['input']
}

export type FromTextThread = { readonly output: unknown } | { readonly problem: string }

export interface TextPoolOptions {
  /** Most threads at once. */
  readonly threads: number
  readonly log: Log
  /** The thread's program; tests replace it with one that crashes. */
  readonly script?: URL
  /** A thread that takes longer for one job is replaced. */
  readonly timeoutMs?: number
}

interface Task {
  readonly job: ToTextThread
  resolve(output: unknown): void
  reject(error: Error): void
}

interface Thread {
  readonly worker: Worker
  task: Task | undefined
  timer: NodeJS.Timeout | undefined
}

/** Each is a text of at most 50,000 characters: far more than the requests that are admitted at once. */
const mostWaiting = 1_000
/** The longest text takes some seconds, and ten times as long on an overloaded machine. */
const usualTimeoutMs = 120_000

export class TextPool {
  readonly #options: Required<TextPoolOptions>
  readonly #threads = new Set<Thread>()
  readonly #waiting: Task[] = []
  #closing: Promise<void> | undefined
  #onIdle: (() => void) | undefined

  constructor(options: TextPoolOptions) {
    this.#options = { script: workerUrl(import.meta.url, './text-worker.js'), timeoutMs: usualTimeoutMs, ...options }
  }

  async run<Kind extends TextJobKind>(kind: Kind, input: TextJobs[Kind]['input']): Promise<TextJobs[Kind]['output']> {
    if (this.#closing) throw unavailable('The service is shutting down')
    if (this.#waiting.length >= mostWaiting) throw unavailable(`Too many texts are waiting (at most ${mostWaiting})`)
    const output = await new Promise((resolve, reject) => {
      this.#waiting.push({ job: { kind, input }, resolve, reject })
      this.#startNext()
    })
    // `text-jobs.ts` computes the output of this kind in the thread.
    return output as TextJobs[Kind]['output']
  }

  /** Number of jobs that wait or run now. */
  waiting(): number {
    return this.#waiting.length + this.#busy()
  }

  /** Rejects later jobs, finishes accepted ones, then ends the threads. */
  close(): Promise<void> {
    this.#closing ??= this.#drainAndEnd()
    return this.#closing
  }

  async #drainAndEnd(): Promise<void> {
    if (this.waiting() > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve
      })
    }
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()))
  }

  #busy(): number {
    return [...this.#threads].filter(({ task }) => task !== undefined).length
  }

  #startNext(): void {
    while (this.#waiting.length > 0) {
      const idle = [...this.#threads].find(({ task }) => task === undefined)
      const thread = idle ?? (this.#threads.size < this.#options.threads ? this.#start() : undefined)
      if (!thread) return
      const task = this.#waiting.shift()
      if (task) this.#give(thread, task)
    }
    if (this.waiting() === 0) this.#onIdle?.()
  }

  #give(thread: Thread, task: Task): void {
    thread.task = task
    // An idle thread does not keep the process running, a busy one does.
    thread.worker.ref()
    thread.timer = setTimeout(() => void thread.worker.terminate(), this.#options.timeoutMs)
    thread.worker.postMessage(task.job)
  }

  #take(thread: Thread): Task | undefined {
    const { task } = thread
    clearTimeout(thread.timer)
    thread.task = undefined
    thread.worker.unref()
    return task
  }

  #start(): Thread {
    const worker = new Worker(this.#options.script, { resourceLimits: workerHeap })
    const thread: Thread = { worker, task: undefined, timer: undefined }
    this.#threads.add(thread)
    let reason: unknown
    worker.on('message', (answer: FromTextThread) => {
      const task = this.#take(thread)
      if ('output' in answer) task?.resolve(answer.output)
      else task?.reject(new Error(`a text could not be read: ${answer.problem}`))
      this.#startNext()
    })
    worker.on('error', (error) => {
      reason = error
    })
    worker.on('exit', (code) => {
      this.#threads.delete(thread)
      const task = this.#take(thread)
      if (task) this.#fail(task, reason ?? new Error(`the thread stopped with code ${code}`))
      this.#startNext()
    })
    return thread
  }

  /** Only the text that the thread was reading: the next job starts another thread. */
  #fail(task: Task, cause: unknown): void {
    this.#options.log.warn({ err: cause, job: task.job.kind }, 'a thread that reads texts stopped; it is replaced')
    task.reject(Object.assign(unavailable('The text could not be read because a thread stopped; try again'), { cause }))
  }
}
