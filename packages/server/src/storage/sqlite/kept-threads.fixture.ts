/**
 * Storage threads that tests reuse. Starting a Node.js thread takes about 70 ms of CPU time, a store has two or three, and most tests
 * take less time than that. A thread serves one store at a time, over a connection and a port created for it. A thread that is
 * terminated in the middle of its work is not reused.
 */
import { EventEmitter } from 'node:events'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { workerHeap, workerUrl } from '../../core/worker-url.js'
import type { Lease } from './kept-worker.js'
import type { ThreadData, ToWorker } from './messages.js'
import type { StartedWorker, StartWorker } from './thread.js'

const free: Worker[] = []

export const keptThreads: StartWorker = (url, data) =>
  new LeasedWorker(free.pop() ?? startWorker(), url.pathname.endsWith('/writer-worker.js'), data)

function startWorker(): Worker {
  return new Worker(workerUrl(import.meta.url, './kept-worker.js'), { execArgv: [], resourceLimits: workerHeap })
}

class LeasedWorker extends EventEmitter implements StartedWorker {
  readonly #worker: Worker
  readonly #port: MessagePort

  constructor(worker: Worker, isWriter: boolean, data: ThreadData) {
    super()
    const { port1, port2 } = new MessageChannel()
    this.#worker = worker
    this.#port = port1
    // The last messages of the thread may arrive after the one that says it is free: its port is read to the end first.
    const isRead = new Promise<void>((resolve) => port1.once('close', resolve))
    port1.on('message', (message) => this.emit('message', message))
    const onError = (error: Error) => this.emit('error', error)
    const onExit = (code: number) => this.emit('exit', code)
    const onFree = async () => {
      await isRead
      worker.off('error', onError).off('exit', onExit)
      // An idle thread must not keep the process alive.
      worker.unref()
      free.push(worker)
      this.emit('exit', 0)
    }
    worker.on('error', onError).on('exit', onExit).once('message', onFree).ref()
    worker.postMessage({ port: port2, isWriter, data } satisfies Lease, [port2])
  }

  postMessage(message: ToWorker): void {
    this.#port.postMessage(message)
  }

  terminate(): Promise<unknown> {
    return this.#worker.terminate()
  }
}
