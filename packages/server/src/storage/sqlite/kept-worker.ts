/** For tests: a thread that serves one store after another. See `kept-threads.fixture.ts`. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { openWriter } from './database.js'
import type { ThreadData } from './messages.js'
import { migrate, migrations } from './migrate.js'
import { serveReads } from './serve-reads.js'
import { serveWrites } from './serve-writes.js'

export interface Lease {
  readonly port: MessagePort
  readonly isWriter: boolean
  readonly data: ThreadData
}

let template: Buffer | undefined

/** An empty store with the latest schema. New stores begin as a copy of it, because migrating each one took most of a test's time. */
function migrated(): Buffer {
  if (template !== undefined) return template
  const directory = mkdtempSync(join(tmpdir(), 'keepsake-template-'))
  const path = join(directory, 'keepsake.db')
  const db = openWriter(path)
  migrate(db, migrations, path)
  // Closing leaves the log behind while prepared statements are not collected.
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  template = readFileSync(path)
  rmSync(directory, { recursive: true })
  return template
}

// Only `kept-threads.fixture.ts` sends messages here.
parentPort?.on('message', ({ port, isWriter, data }: Lease) => {
  port.once('close', () => parentPort?.postMessage('free'))
  if (!isWriter) return serveReads(port, data)
  if (!existsSync(data.path)) writeFileSync(data.path, migrated(), { flag: 'wx' })
  serveWrites(port, data)
})
