/**
 * Runs bcrypt outside the main thread and outside libuv's four threads, which file access and name look-ups share: a flood of invalid
 * keys must not block those. The thread has a low priority, so that on a busy machine the hashes of strangers wait for the
 * requests of users.
 */
import { Worker } from 'node:worker_threads'
import { unavailable } from '../../core/errors.js'
import { workerHeap, workerUrl } from '../../core/worker-url.js'

export interface Comparison {
  readonly id: number
  readonly secret: string
  readonly hash: string
}

export type ComparisonAnswer =
  | { readonly id: number; readonly isMatch: boolean }
  | { readonly id: number; readonly problem: string }

export interface BcryptThread {
  compare(secret: string, hash: string): Promise<boolean>
  close(): Promise<void>
}

interface Waiting {
  resolve(isMatch: boolean): void
  reject(error: Error): void
}

/** The thread starts with the first comparison, and again if it dies. */
export function bcryptThread(url = workerUrl(import.meta.url, './bcrypt-worker.js')): BcryptThread {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let nextId = 1
  let closed = false

  function failAll(): void {
    const failed = [...waiting.values()]
    waiting.clear()
    for (const { reject } of failed) reject(unavailable('The API key could not be checked; try again in a moment'))
  }

  function spawn(): Worker {
    const started = new Worker(url, { resourceLimits: workerHeap })
    started.unref()
    started.on('message', (answer: ComparisonAnswer) => {
      const asked = waiting.get(answer.id)
      waiting.delete(answer.id)
      if ('problem' in answer) asked?.reject(new Error(`bcrypt failed: ${answer.problem}`))
      else asked?.resolve(answer.isMatch)
    })
    // An error ends the thread; pending comparisons are rejected on exit.
    started.on('error', () => undefined)
    started.on('exit', () => {
      if (worker === started) worker = undefined
      failAll()
    })
    return started
  }

  return {
    compare(secret, hash) {
      if (closed) return Promise.reject(unavailable('The service is shutting down'))
      worker ??= spawn()
      const asked = worker
      const id = nextId++
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        asked.postMessage({ id, secret, hash } satisfies Comparison)
      })
    },
    async close() {
      closed = true
      await worker?.terminate()
      failAll()
    },
  }
}
