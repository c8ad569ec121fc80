/**
 * Copies the database of a data directory from another process while the service keeps running. The directory lock only concerns
 * writers; in WAL mode other processes can read at the same time. `VACUUM INTO` copies one snapshot, unaffected by concurrent
 * writes (SQLite's backup API starts over whenever another process writes), and leaves out freed pages.
 */

import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Database } from './database.js'
import { examine } from './examine.js'
import { migrations, refuseForeign } from './migrate.js'

export class BackupFailed extends Error {
  override readonly name = 'BackupFailed'
  /** The operator can fix it and needs no stack trace. */
  readonly operatorMessage = true
}

export interface BackupReport {
  readonly bytes: number
  readonly users: number
  readonly memories: number
  readonly versions: number
  /** Versions whose content does not match its checksum: it was changed outside the service, in the original as well. */
  readonly mismatches: number
}

/** The file has everything acknowledged before the call. It gets its final name once it is complete, checked and on disk. */
export function backUp(dataDir: string, target: string): BackupReport {
  const path = join(dataDir, 'keepsake.db')
  if (!existsSync(path)) throw new BackupFailed(`${path} does not exist: name the service’s data directory`)
  if (existsSync(target)) throw new BackupFailed(`${target} already exists, and a backup never overwrites a file`)
  const part = `${target}.${randomUUID()}.part`
  // Created empty with this mode: SQLite would create it with a mode that depends on the umask.
  closeSync(openSync(part, 'wx', 0o600))
  try {
    copyInto(path, part)
    const report = reportOn(part)
    syncToDisk(part)
    renameSync(part, target)
    if (process.platform !== 'win32') syncToDisk(dirname(target))
    return report
  } catch (error) {
    rmSync(part, { force: true })
    if (error instanceof Error && 'errcode' in error)
      throw new BackupFailed(`${path}: ${error.message}`, { cause: error })
    throw error
  }
}

function copyInto(path: string, part: string): void {
  const db = new Database(path, { readOnly: true })
  try {
    refuseUnknown(db, path)
    db.run('VACUUM INTO ?', part)
  } finally {
    db.close()
  }
}

function refuseUnknown(db: Database, path: string): void {
  try {
    refuseForeign(db, migrations, path)
  } catch (error) {
    throw error instanceof Error && !('errcode' in error) ? new BackupFailed(error.message, { cause: error }) : error
  }
  const { tables = 0 } = db.get<{ tables: number }>('SELECT count(*) AS tables FROM sqlite_schema') ?? {}
  if (tables === 0) throw new BackupFailed(`${path} is empty: no service has used it yet`)
}

/** Reads the whole copy: a backup that was never read may be unusable. */
function reportOn(part: string): BackupReport {
  const { integrity, ...found } = examine(part)
  if (integrity !== 'ok') throw new BackupFailed(`the copy is damaged: ${integrity}`)
  return { bytes: statSync(part).size, ...found }
}

/** `VACUUM INTO` does not flush: the operating system would write the file to disk some time later. */
function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
