/** Calls to the index thread. The first call starts it, and the next call after it died restarts it. */
import { Worker } from 'node:worker_threads'
import { unavailable } from '../../core/errors.js'
import { workerHeap, workerUrl } from '../../core/worker-url.js'
import {
  type FirstBatch,
  type IndexQuery,
  type IndexReplies,
  type IndexRequest,
  type IndexSettings,
  type IndexStep,
  type NumberedReply,
  type NumberedRequest,
  type StoredSegments,
  transferables,
  type VersionBatch,
} from './index-messages.js'

interface Caller {
  resolve(reply: unknown): void
  reject(error: Error): void
}

export function startIndexWorker(settings: IndexSettings): Worker {
  return new Worker(workerUrl(import.meta.url, './index-worker.js'), {
    workerData: settings,
    resourceLimits: workerHeap,
  })
}

export class IndexThread {
  private worker: Worker | undefined
  private readonly callers = new Map<number, Caller>()
  private lastId = 0
  private closed = false

  /** `died` is called when the thread has ended and lost all indexes. */
  constructor(
    private readonly start: () => Worker,
    private readonly died: () => void,
  ) {}

  // Each method has sent its message, behind all earlier ones, when it returns. `index-worker.ts` answers it by its kind.

  apply(handle: number, first: FirstBatch | false, batch: VersionBatch): Promise<IndexReplies['apply']> {
    return this.send({ kind: 'apply', handle, first, batch })
  }

  restore(handle: number, first: FirstBatch | false, segments: StoredSegments): Promise<IndexReplies['restore']> {
    return this.send({ kind: 'restore', handle, first, segments })
  }

  /** Does not belong to a user's index in memory. */
  encode(batch: VersionBatch, seed: number): Promise<IndexReplies['encode']> {
    return this.send({ kind: 'encode', batch, seed })
  }

  search(handle: number, query: IndexQuery): Promise<IndexReplies['search']> {
    return this.send({ kind: 'search', handle, query })
  }

  ahead(handle: number, known: boolean, steps: readonly IndexStep[]): Promise<IndexReplies['ahead']> {
    return this.send({ kind: 'ahead', handle, known, steps })
  }

  drop(handle: number): Promise<IndexReplies['drop']> {
    return this.send({ kind: 'drop', handle })
  }

  scan(handle: number, queries: readonly IndexQuery[]): Promise<IndexReplies['scan']> {
    return this.send({ kind: 'scan', handle, queries })
  }

  scanSegments(
    handle: number,
    segments: StoredSegments,
    seeds: readonly number[],
  ): Promise<IndexReplies['scanSegments']> {
    return this.send({ kind: 'scanSegments', handle, segments, seeds })
  }

  scanRows(handle: number, batch: VersionBatch): Promise<IndexReplies['scanRows']> {
    return this.send({ kind: 'scanRows', handle, batch })
  }

  /** Ends the scan. */
  scanned(handle: number): Promise<IndexReplies['scanned']> {
    return this.send({ kind: 'scanned', handle })
  }

  async close(): Promise<void> {
    const { worker } = this
    this.closed = true
    this.worker = undefined
    this.failAll('the service is stopping')
    await worker?.terminate()
  }

  private send<K extends IndexRequest['kind']>(request: IndexRequest & { readonly kind: K }): Promise<IndexReplies[K]> {
    if (this.closed) return Promise.reject(unavailable('the service is stopping'))
    return new Promise((resolve, reject) => {
      this.worker ??= this.startWorker()
      this.lastId += 1
      const message: NumberedRequest = { id: this.lastId, request }
      this.worker.postMessage(message, transferables(request))
      // The thread answers each kind of request with its kind of reply: see IndexReplies.
      this.callers.set(this.lastId, { resolve: (reply) => resolve(reply as IndexReplies[K]), reject })
    })
  }

  private startWorker(): Worker {
    const worker = this.start()
    worker.on('message', (answer: NumberedReply) => {
      const caller = this.callers.get(answer.id)
      this.callers.delete(answer.id)
      if ('failure' in answer) caller?.reject(new Error(`search index: ${answer.failure}`))
      else caller?.resolve(answer.reply)
    })
    const onDeath = () => {
      // Both 'error' and 'exit' fire, and 'exit' also after `close`. Only the first event of a running thread counts.
      if (this.worker !== worker) return
      this.worker = undefined
      this.died()
      this.failAll('the search index is restarting')
    }
    worker.on('error', onDeath)
    worker.on('exit', onDeath)
    return worker
  }

  private failAll(reason: string): void {
    const callers = [...this.callers.values()]
    this.callers.clear()
    for (const caller of callers) caller.reject(unavailable(reason))
  }
}
