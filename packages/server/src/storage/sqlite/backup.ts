/**
 * A copy of a data directory's database, made by another process while the service goes on. The directory's lock is for those who
 * write; in WAL mode anybody may read beside them. `VACUUM INTO` copies one snapshot, whatever is written meanwhile (SQLite's backup
 * calls begin anew with every write of another process), and leaves out freed pages.
 */

import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Database } from './database.js'
import { examine } from './examine.js'
import { migrations, refuseForeign } from './migrate.js'

export class BackupFailed extends Error {
  override readonly name = 'BackupFailed'
  /** The operator can mend it, and needs no stack for that. */
  readonly operatorMessage = true
}

export interface BackupReport {
  readonly bytes: number
  readonly users: number
  readonly memories: number
  readonly versions: number
  /** Versions whose content does not fit its checksum: changed behind the service's back, in the original, too. */
  readonly mismatches: number
}

/** Everything that was acknowledged before the call is in the file. It appears under its name when it is whole, checked and on disk. */
export function backUp(dataDir: string, target: string): BackupReport {
  const path = join(dataDir, 'keepsake.db')
  if (!existsSync(path)) throw new BackupFailed(`${path} is not there: name the service’s data directory`)
  if (existsSync(target)) throw new BackupFailed(`${target} is there already, and a backup is never written over`)
  const part = `${target}.${randomUUID()}.part`
  // Made here, empty: SQLite would give the file the mode that the umask leaves.
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

/** A backup that nobody has read may be none. */
function reportOn(part: string): BackupReport {
  const { integrity, ...found } = examine(part)
  if (integrity !== 'ok') throw new BackupFailed(`the copy is damaged: ${integrity}`)
  return { bytes: statSync(part).size, ...found }
}

/** `VACUUM INTO` leaves that to the system, for some time to come. */
function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
