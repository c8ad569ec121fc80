/**
 * Opens a data directory for import. Records may refer to later records, so SQLite does not check references row by row: all are
 * checked at the end.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { hasRecordsAlready, PortableRefused, type PortableWriter } from '../ports/portable.js'
import type { SightedSession } from '../sql/portable/rows.js'
import { type PortableTarget, SqlPortableWriter } from '../sql/portable/write.js'
import { type Database, openWriter } from './database.js'
import { lockDirectory } from './directory-lock.js'
import { sqliteCode } from './errors.js'
import { migrate, migrations, refuseForeign } from './migrate.js'
import { PortableSession } from './portable-session.js'

/** Refuses a directory in use by a service. */
export function openSqlitePortableWriter(dataDir: string): PortableWriter {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = lockDirectory(dataDir)
  try {
    const path = join(dataDir, 'keepsake.db')
    const db = openWriter(path, (opened) => refuseForeign(opened, migrations, path))
    migrate(db, migrations, path)
    db.exec('PRAGMA foreign_keys = OFF')
    return new SqlPortableWriter(new SqliteTarget(db, () => lock.release()))
  } catch (error) {
    lock.release()
    throw refused(error)
  }
}

class SqliteTarget implements PortableTarget {
  readonly #session: PortableSession

  constructor(
    private readonly db: Database,
    private readonly release: () => void,
  ) {
    this.#session = new PortableSession(db)
  }

  async transaction<Result>(work: (session: SightedSession) => Promise<Result>): Promise<Result> {
    try {
      this.db.exec('BEGIN IMMEDIATE')
      const result = await work(this.#session)
      this.db.exec('COMMIT')
      return result
    } catch (error) {
      if (this.db.inTransaction) this.db.exec('ROLLBACK')
      throw refused(error)
    }
  }

  /** The holder of the directory lock is the only writer. */
  async takeTurn(): Promise<void> {
    return undefined
  }

  async check(): Promise<void> {
    const broken = this.db.get<{ table: string; parent: string }>('PRAGMA foreign_key_check')
    if (!broken) return
    throw new PortableRefused(`the import is incomplete: ${broken.table} refer to ${broken.parent} that do not exist`)
  }

  /** Plans depend on fixed statistics (see the migrations), which `PRAGMA optimize` would replace. */
  async tidy(): Promise<void> {
    return undefined
  }

  async close(): Promise<void> {
    this.db.close()
    this.release()
  }
}

/** SQLITE_CONSTRAINT, 19: a row with that key or id exists. */
function refused(error: unknown): unknown {
  const code = sqliteCode(error)
  if (code === undefined || !(error instanceof Error)) return error
  const what = code === 19 ? hasRecordsAlready : 'the store cannot be written to'
  return new PortableRefused(`${what}: ${error.message}`, { cause: error })
}
