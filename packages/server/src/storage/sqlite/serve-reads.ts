/** A read-only connection that answers reads, each from one snapshot. */
import type { MessagePort } from 'node:worker_threads'
import { openReader } from './database.js'
import { type Call, carry, type FromWorker, type ThreadData, type ToWorker } from './messages.js'
import { reads } from './operations.js'
import { SqliteSession } from './session.js'

async function answer(session: SqliteSession, { operation: name, args }: Call): Promise<unknown> {
  // `Thread.call` sent it and checked the operation; its arguments match.
  const operation = reads[name] as ((...values: unknown[]) => Promise<unknown>) | undefined
  if (!operation) throw new Error(`there is no read called ${name}`)
  session.db.exec('BEGIN')
  try {
    return await operation(session, ...args)
  } finally {
    if (session.db.inTransaction) session.db.exec('COMMIT')
  }
}

/** Buffers to move instead of copying: vectors in a slice of changes, or of hydrated versions; segments of the index. */
function buffersIn(value: unknown): ArrayBuffer[] {
  if (value === null || typeof value !== 'object') return []
  const views: unknown[] = [
    'quantized' in value && value.quantized,
    'vectors' in value && value.vectors,
    'bytes' in value && value.bytes,
  ]
  return views.flatMap((view) => (ArrayBuffer.isView(view) && view.buffer instanceof ArrayBuffer ? [view.buffer] : []))
}

/** Serves until `close` arrives, which closes the port too. */
export function serveReads(port: MessagePort, { path }: ThreadData): void {
  const session = new SqliteSession(openReader(path))
  const post = (message: FromWorker, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)

  async function receive(message: ToWorker): Promise<void> {
    if (message === 'close') {
      session.db.close()
      port.close()
      return
    }
    try {
      const value = await answer(session, message)
      post({ kind: 'answer', id: message.id, value }, buffersIn(value))
    } catch (error) {
      post({ kind: 'failure', id: message.id, error: carry(error) })
    }
  }

  // One after another: the connection has one transaction at a time.
  let last = Promise.resolve()
  port.on('message', (message: ToWorker) => {
    last = last.then(() => receive(message))
  })
  post({ kind: 'ready' })
}
