/**
 * One process a data directory. The lock is SQLite's own file lock on a small database: the operating
 * system drops it with the process, however that ends, so it is never stale.
 */
import { join } from 'node:path'
import { Database } from './database.js'
import { sqliteCode } from './messages.js'

export class DataDirectoryInUse extends Error {
  override readonly name = 'DataDirectoryInUse'
  constructor(dataDir: string, pid: number | undefined) {
    super(`${dataDir} is in use by another Keepsake process${pid === undefined ? '' : ` (pid ${pid})`}`)
  }
}

export interface DirectoryLock {
  release(): void
}

export function lockDirectory(dataDir: string): DirectoryLock {
  const db = new Database(join(dataDir, 'keepsake.lock'))
  try {
    db.exec('PRAGMA busy_timeout = 0')
    announce(db)
    // A reserved lock: nobody else gets one, yet others may read who holds it.
    db.exec('BEGIN IMMEDIATE')
  } catch (error) {
    const isBusy = sqliteCode(error) === 5
    const pid = isBusy ? holder(db) : undefined
    db.close()
    throw isBusy ? new DataDirectoryInUse(dataDir, pid) : error
  }
  return { release: () => db.close() }
}

function announce(db: Database): void {
  db.exec('BEGIN IMMEDIATE')
  db.exec('CREATE TABLE IF NOT EXISTS holder (pid INTEGER NOT NULL)')
  db.run('DELETE FROM holder')
  db.run('INSERT INTO holder (pid) VALUES (?)', process.pid)
  db.exec('COMMIT')
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
