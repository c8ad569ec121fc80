/**
 * One process a data directory. The lock is SQLite's own file lock on a small database: the operating
 * system drops it with the process, however that ends, so it is never stale.
 */
import { join } from 'node:path'
import { Database } from './database.js'
import { sqliteCode } from './messages.js'

export class DataDirectoryInUse extends Error {
  override readonly name = 'DataDirectoryInUse'
  /** The operator can mend it, and needs no stack for that. */
  readonly operatorMessage = true
  constructor(dataDir: string, pid: number | undefined) {
    super(`${dataDir} is in use by another Keepsake process${pid === undefined ? '' : ` (pid ${pid})`}`)
  }
}

/** What is in the directory can't be used: another program's file, a newer release's, a damaged one. */
export class DataDirectoryUnusable extends Error {
  override readonly name = 'DataDirectoryUnusable'
  readonly operatorMessage = true
}

export interface DirectoryLock {
  release(): void
}

export function lockDirectory(dataDir: string): DirectoryLock {
  const db = open(dataDir)
  try {
    db.exec('PRAGMA busy_timeout = 0')
    announce(db)
    // A reserved lock: nobody else gets one, yet others may read who holds it.
    db.exec('BEGIN IMMEDIATE')
  } catch (error) {
    const isBusy = sqliteCode(error) === 5
    const pid = isBusy ? holder(db) : undefined
    db.close()
    if (isBusy) throw new DataDirectoryInUse(dataDir, pid)
    throw new DataDirectoryUnusable(`${dataDir} cannot be locked: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    })
  }
  return {
    release() {
      // The driver keeps a closed connection, and its lock, while prepared statements live.
      db.exec('ROLLBACK')
      db.close()
    },
  }
}

function open(dataDir: string): Database {
  try {
    return new Database(join(dataDir, 'keepsake.lock'))
  } catch (error) {
    throw new DataDirectoryUnusable(`${dataDir} cannot be written to: it must be a directory of this user`, {
      cause: error,
    })
  }
}

function announce(db: Database): void {
  try {
    db.exec('BEGIN IMMEDIATE')
    db.exec('CREATE TABLE IF NOT EXISTS holder (pid INTEGER NOT NULL)')
    db.run('DELETE FROM holder')
    db.run('INSERT INTO holder (pid) VALUES (?)', process.pid)
    db.exec('COMMIT')
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK')
    // SQLITE_FULL: what is stored must be readable, and erasable, also on a disk that has no room for this line.
    if (sqliteCode(error) !== 13) throw error
  }
}

function holder(db: Database): number | undefined {
  try {
    return db.get<{ pid: number }>('SELECT pid FROM holder')?.pid
  } catch (error) {
    // Only a courtesy: the message does without, unless something is wrong beyond the lock.
    if (sqliteCode(error) === undefined) throw error
    return undefined
  }
}
