/**
 * Allows one process per data directory. The lock is SQLite's file lock on a small database: the operating
 * system releases it when the process ends, however it ends, so it is never stale.
 */
import { join } from 'node:path'
import { Database } from './database.js'
import { sqliteCode } from './errors.js'

export class DataDirectoryInUse extends Error {
  override readonly name = 'DataDirectoryInUse'
  /** The operator can fix it and needs no stack trace. */
  readonly operatorMessage = true
  constructor(dataDir: string, pid: number | undefined) {
    super(`${dataDir} is in use by another Keepsake process${pid === undefined ? '' : ` (pid ${pid})`}`)
  }
}

/** The directory contains an unusable file: another program's, a newer release's, or a damaged one. */
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
    // A reserved lock: no other process can get one, but others can read who holds it.
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
      // Rolled back first: the driver keeps a closed connection, and its lock, while prepared statements exist.
      db.exec('ROLLBACK')
      db.close()
    },
  }
}

function open(dataDir: string): Database {
  try {
    return new Database(join(dataDir, 'keepsake.lock'))
  } catch (error) {
    throw new DataDirectoryUnusable(`${dataDir} cannot be written to: it must be a directory owned by this user`, {
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
    // SQLITE_FULL: memories must stay readable and erasable even on a disk that has no room for this row.
    if (sqliteCode(error) !== 13) throw error
  }
}

function holder(db: Database): number | undefined {
  try {
    return db.get<{ pid: number }>('SELECT pid FROM holder')?.pid
  } catch (error) {
    // The pid is optional: the message works without it. Only errors of SQLite are expected here.
    if (sqliteCode(error) === undefined) throw error
    return undefined
  }
}
