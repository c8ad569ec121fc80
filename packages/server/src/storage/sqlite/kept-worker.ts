/** For tests: a thread that serves one store after another. See `kept-threads.fixture.ts`. */
import { type MessagePort, parentPort } from 'node:worker_threads'
import type { ThreadData } from './messages.js'
import { serveReads } from './serve-reads.js'
import { serveWrites } from './serve-writes.js'

export interface Lease {
  readonly port: MessagePort
  readonly isWriter: boolean
  readonly data: ThreadData
}

// Only `kept-threads.fixture.ts` sends messages here.
parentPort?.on('message', ({ port, isWriter, data }: Lease) => {
  port.once('close', () => parentPort?.postMessage('free'))
  if (isWriter) serveWrites(port, data)
  else serveReads(port, data)
})
