/**
 * The inside of a model's thread: accepts requests, runs batch after batch, and answers a request when its last item is
 * done. It returns to its event loop between batches, so that newly arrived requests are considered too.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { standBack } from '../../core/stand-back.js'
import { keepHeapSmall } from '../../core/thread-heap.js'
import { addVerifiedFiles, verifiedFiles } from './model-files.js'
import type { FromModel, ToModel } from './model-protocol.js'
import type { ModelWorkerData } from './model-thread.js'

/** One text or pair of a request. */
export interface WorkItem {
  readonly requestId: number
  /** Its position in the request. */
  readonly index: number
}

export interface WorkQueue<Ask, Item extends WorkItem> {
  /** Adds a request and returns its number of items. */
  add(requestId: number, ask: Ask): number
  /** Greater than zero while items wait. */
  readonly size: number
  /** Removes the next batch from the queue; empty when no item waits. */
  next(): readonly Item[]
}

export interface ServedModel<Ask, Item extends WorkItem> {
  readonly queue: WorkQueue<Ask, Item>
  /** Number of values per item. */
  readonly width: number
  run(batch: readonly Item[]): Promise<Float32Array>
  close(): Promise<void>
}

interface Answer {
  readonly values: Float32Array
  missing: number
}

/** How far a model's thread stands back: a recall waits for the embedder and the reranker, and only stores for the others. */
export const priority = { ofRecall: 5, ofStore: 8 } as const

/** The whole program of a model's thread. */
export function serveModel<Ask, Item extends WorkItem>(
  load: (data: ModelWorkerData) => Promise<ServedModel<Ask, Item>>,
  stepsBack: number = priority.ofRecall,
): void {
  const port = parentPort
  if (!port) throw new Error('A model can only be served in a worker thread')
  // Before the model is loaded, because the runtime's threads inherit this thread's priority.
  standBack(stepsBack)
  const send = (message: FromModel, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)
  keepHeapSmall()
  // Only model-thread.ts starts such a thread.
  const data = workerData as ModelWorkerData
  addVerifiedFiles(data.verified)
  load(data).then(
    (model) => {
      const loop = new BatchLoop(model, send)
      port.on('message', (message: ToModel<Ask>) => {
        if (message.kind === 'ask') loop.accept(message.requestId, message.ask)
        else void model.close().finally(() => port.close())
      })
      send({ kind: 'ready', verified: verifiedFiles() })
    },
    (error: unknown) => send({ kind: 'cannot-load', message: messageOf(error) }),
  )
}

class BatchLoop<Ask, Item extends WorkItem> {
  private readonly answers = new Map<number, Answer>()
  private running = false

  constructor(
    private readonly model: ServedModel<Ask, Item>,
    private readonly send: (message: FromModel, transfer?: ArrayBuffer[]) => void,
  ) {}

  accept(requestId: number, ask: Ask): void {
    const items = this.model.queue.add(requestId, ask)
    this.answers.set(requestId, { values: new Float32Array(items * this.model.width), missing: items })
    if (!this.running) void this.run()
  }

  private async run(): Promise<void> {
    this.running = true
    while (this.model.queue.size > 0) {
      await nextTurn()
      const batch = this.model.queue.next()
      try {
        this.deliver(batch, await this.model.run(batch))
      } catch (error) {
        this.fail(batch, error)
      }
    }
    this.running = false
  }

  private deliver(batch: readonly Item[], values: Float32Array): void {
    const { width } = this.model
    for (const [row, item] of batch.entries()) {
      const answer = this.answers.get(item.requestId)
      // Another batch of the same request has failed, so the request is already answered.
      if (!answer) continue
      answer.values.set(values.subarray(row * width, (row + 1) * width), item.index * width)
      answer.missing -= 1
      if (answer.missing > 0) continue
      this.answers.delete(item.requestId)
      // Created above with a length, so it is never shared.
      const buffer = answer.values.buffer as ArrayBuffer
      this.send({ kind: 'answer', requestId: item.requestId, values: answer.values }, [buffer])
    }
  }

  private fail(batch: readonly Item[], error: unknown): void {
    for (const requestId of new Set(batch.map((item) => item.requestId))) {
      if (this.answers.delete(requestId)) this.send({ kind: 'failed', requestId, message: messageOf(error) })
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
