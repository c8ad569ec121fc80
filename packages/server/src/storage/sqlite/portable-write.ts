/**
 * Portable records into a database, in transactions of many. References run ahead (what replaces a memory comes after it),
 * so the engine's own check of them is off, and made at the end for all; what a record names must be there or be promised.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type PortableOf, type PortableRecord, PortableRefused, type PortableWriter } from '../ports/portable.js'
import { type Database, openWriter } from './database.js'
import { lockDirectory } from './directory-lock.js'
import { sqliteCode } from './messages.js'
import { migrate, migrations, refuseForeign } from './migrate.js'
import { insertRecord, type Place } from './portable-insert.js'
import { createUser, findUser } from './user-rows.js'

/** Refuses a directory that a service runs on. */
export function openSqlitePortableWriter(dataDir: string): PortableWriter {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = lockDirectory(dataDir)
  try {
    const path = join(dataDir, 'keepsake.db')
    const db = openWriter(path, (opened) => refuseForeign(opened, migrations, path))
    migrate(db, migrations, path)
    db.exec('PRAGMA foreign_keys = OFF')
    return new SqlitePortableWriter(db, () => lock.release())
  } catch (error) {
    lock.release()
    throw refused(error)
  }
}

interface ProgressRow {
  readonly source: string
  readonly done: number
  readonly place: string | null
}

class SqlitePortableWriter implements PortableWriter {
  #source = ''
  #done = 0
  #place: Place | null = null

  constructor(
    private readonly db: Database,
    private readonly release: () => void,
  ) {}

  async existing(userIds: readonly string[]): Promise<string[]> {
    return userIds.filter((id) => findUser(this.db, id) !== undefined)
  }

  async begin(source: string): Promise<number> {
    this.#source = source
    // Only there while something is half-written, so it is no part of the schema.
    this.db.exec('CREATE TABLE IF NOT EXISTS import_progress (source TEXT NOT NULL, done INTEGER NOT NULL, place TEXT)')
    const row = this.db.get<ProgressRow>('SELECT source, done, place FROM import_progress')
    if (!row) return 0
    if (row.source !== source) {
      throw new PortableRefused(
        'another import into this store was interrupted: run that one again to its end first, or begin with an empty store',
      )
    }
    this.#done = row.done
    this.#place = row.place === null ? null : JSON.parse(row.place)
    return row.done
  }

  async write(records: readonly PortableRecord[]): Promise<void> {
    let place = this.#place && { ...this.#place }
    try {
      this.db.exec('BEGIN IMMEDIATE')
      const revised = new Map<number, number>()
      for (const record of records) {
        if (record.record === 'user') place = enter(this.db, record)
        insertRecord(this.db, place, record, (user) => revisionOf(this.db, revised, user))
      }
      const done = this.#done + records.length
      this.db.run('DELETE FROM import_progress')
      this.db.run(
        'INSERT INTO import_progress (source, done, place) VALUES (?, ?, ?)',
        this.#source,
        done,
        place && JSON.stringify(place),
      )
      this.db.exec('COMMIT')
      this.#done = done
      this.#place = place
    } catch (error) {
      if (this.db.inTransaction) this.db.exec('ROLLBACK')
      throw refused(error)
    }
  }

  async finish(): Promise<void> {
    const broken = this.db.get<{ table: string; parent: string }>('PRAGMA foreign_key_check')
    if (broken)
      throw new PortableRefused(
        `what was written is not whole: ${broken.table} names ${broken.parent} that are not there`,
      )
    this.db.exec('DROP TABLE IF EXISTS import_progress')
    this.db.exec('PRAGMA optimize')
  }

  async close(): Promise<void> {
    this.db.close()
    this.release()
  }
}

/** The user's numbers are reserved at once, so that whatever is stored later comes after them. */
function enter(db: Database, { id, numbers, entities, expiry_told }: PortableOf<'user'>): Place {
  if (findUser(db, id)) throw new PortableRefused(`the store has a user ${JSON.stringify(id)} already`)
  const user = createUser(db, id)
  db.run('UPDATE users SET next_sequence = ?, expiry_told = ? WHERE key = ?', Math.max(1, numbers), expiry_told, user)
  // Keys of entities are of all users together: this user's are taken now, in one piece.
  const last = db.get<{ key: number | null }>('SELECT max(key) AS key FROM entities')?.key ?? 0
  return { id, numbers, user, beforeEntities: last, entities, memory: null }
}

/** A new one in each transaction, so that an index that reads along misses nothing; of its events there are none. */
function revisionOf(db: Database, revised: Map<number, number>, user: number): number {
  const known = revised.get(user)
  if (known !== undefined) return known
  const row = db.get<{ revision: number }>(
    'UPDATE users SET revision = revision + 1, event_floor = revision + 1 WHERE key = ? RETURNING revision',
    user,
  )
  if (!row) throw new PortableRefused('a user that was being written is gone')
  revised.set(user, row.revision)
  return row.revision
}

/** SQLITE_CONSTRAINT: what must be there once is there already. */
function refused(error: unknown): unknown {
  const code = sqliteCode(error)
  if (code === undefined || !(error instanceof Error)) return error
  const what = code === 19 ? 'the store has some of these records already' : 'the store cannot be written'
  return new PortableRefused(`${what}: ${error.message}`, { cause: error })
}
