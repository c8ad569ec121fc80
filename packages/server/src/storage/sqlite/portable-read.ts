/** Opens a data directory for export. The connection reads one snapshot, unaffected by a running service. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type PortableReader, PortableRefused, StoreEmpty } from '../ports/portable.js'
import { countsOf, readRecords } from '../sql/portable/read.js'
import { Database } from './database.js'
import { lockDirectory } from './directory-lock.js'
import { migrations, pragma, refuseForeign } from './migrate.js'
import { PortableSession } from './portable-session.js'

export interface SqliteSource {
  readonly dataDir: string
  /** Refuses a directory in use by a service, and keeps services from starting on it. */
  readonly locked?: boolean
}

export function openSqlitePortableReader({ dataDir, locked = false }: SqliteSource): PortableReader {
  const path = join(dataDir, 'keepsake.db')
  if (!existsSync(path)) throw new StoreEmpty(`${path} does not exist: name the service’s data directory`)
  const lock = locked ? lockDirectory(dataDir) : undefined
  let db: Database | undefined
  try {
    db = new Database(path, { readOnly: true })
    refuseUnknown(db, path)
    db.exec('BEGIN')
    // The first read fixes the snapshot.
    db.get('SELECT 1 FROM users')
  } catch (error) {
    db?.close()
    lock?.release()
    throw error instanceof Error && 'errcode' in error
      ? new PortableRefused(`${path}: ${error.message}`, { cause: error })
      : error
  }
  const opened = db
  const session = new PortableSession(opened)
  return {
    ...countsOf(session),
    read: (selection) => readRecords(session, selection),
    async close() {
      opened.exec('ROLLBACK')
      opened.close()
      lock?.release()
    },
  }
}

function refuseUnknown(db: Database, path: string): void {
  try {
    refuseForeign(db, migrations, path)
  } catch (error) {
    throw error instanceof Error && !('errcode' in error) ? new PortableRefused(error.message, { cause: error }) : error
  }
  if (pragma(db, 'user_version') === migrations.at(-1)?.version) return
  throw new PortableRefused(`${path} was written by an older Keepsake: start this release on it once, then try again`)
}
