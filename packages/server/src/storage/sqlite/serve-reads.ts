/** A connection of its own that answers reads, each from one snapshot. */
import type { MessagePort } from 'node:worker_threads'
import { type Database, openReader } from './database.js'
import { carry, type FromWorker, type ThreadData, type ToWorker } from './messages.js'
import { type Reads, reads } from './reads.js'

function answer(db: Database, method: string, args: readonly unknown[]): unknown {
  // The method comes from the typed proxy in `thread.ts`; its arguments fit it.
  const read = reads[method as keyof Reads] as ((...values: unknown[]) => unknown) | undefined
  if (!read) throw new Error(`there is no read called ${method}`)
  db.exec('BEGIN')
  try {
    return read(db, ...args)
  } finally {
    if (db.inTransaction) db.exec('COMMIT')
  }
}

/** Vectors move instead of being copied: those of a slice of changes, or of hydrated versions. */
function buffersIn(value: unknown): ArrayBuffer[] {
  if (value === null || typeof value !== 'object') return []
  const views: unknown[] = ['quantized' in value && value.quantized, 'vectors' in value && value.vectors]
  return views.flatMap((view) => (ArrayBuffer.isView(view) && view.buffer instanceof ArrayBuffer ? [view.buffer] : []))
}

/** Until `close` comes, which closes the port too. */
export function serveReads(port: MessagePort, { path }: ThreadData): void {
  const db = openReader(path)
  const post = (message: FromWorker, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)

  port.on('message', (message: ToWorker) => {
    if (message === 'close') {
      db.close()
      port.close()
      return
    }
    try {
      const value = answer(db, message.method, message.args)
      post({ kind: 'answer', id: message.id, value }, buffersIn(value))
    } catch (error) {
      post({ kind: 'failure', id: message.id, error: carry(error) })
    }
  })
  post({ kind: 'ready' })
}
