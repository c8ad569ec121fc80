/** Portable records into a database, in transactions of many, beside a service that may run on it. */
import { endOf } from '../../core/memory-event.js'
import { type PortableOf, type PortableRecord, PortableRefused, type PortableWriter } from '../ports/portable.js'
import { Connection } from './connection.js'
import { Database } from './database.js'
import { insertRecords, type Place } from './portable-insert.js'
import { existingUsers, patient } from './portable-read.js'
import { refusal } from './portable-rows.js'
import { prepare } from './prepare.js'
import { UserData } from './user-data.js'
import { createNumberedUser, UserWrite } from './user-rows.js'

export interface PostgresTarget {
  readonly url: string
  /** Into how many hash partitions an empty database is laid out; 0: none. */
  readonly partitions?: number
}

export async function openPostgresPortableWriter({ url, partitions = 0 }: PostgresTarget): Promise<PortableWriter> {
  const connect = () => new Connection({ ...patient, url })
  try {
    await prepare({ url, connect, partitions, patienceMs: 0, log: () => undefined })
    return new PostgresPortableWriter(connect())
  } catch (error) {
    throw error instanceof Error && 'operatorMessage' in error ? error : refusal(error)
  }
}

interface ProgressRow {
  readonly source: string
  readonly done: number
  readonly place: Place | null
}

/** "Imports " in ASCII: whoever holds this lock writes. */
const lock = '5290515556713198624'

class PostgresPortableWriter implements PortableWriter {
  #source = ''
  #done = 0
  #place: Place | null = null

  constructor(private readonly connection: Connection) {}

  existing(userIds: readonly string[]): Promise<string[]> {
    return this.#transaction((db) => existingUsers(db, userIds))
  }

  async begin(source: string): Promise<number> {
    this.#source = source
    await this.#takeTurn()
    const row = await this.#transaction(async (db) => {
      // Only there while something is half-written, so it is no part of the schema.
      await db.run(
        `CREATE TABLE IF NOT EXISTS import_progress (source text NOT NULL, done bigint NOT NULL, place json)`,
      )
      return db.get<ProgressRow>('SELECT source, done, place FROM import_progress')
    })
    if (!row) return 0
    if (row.source !== source) {
      throw new PortableRefused(
        'another import into this store was interrupted: run that one again to its end first, or begin with an empty store',
      )
    }
    this.#done = row.done
    this.#place = row.place
    return row.done
  }

  async write(records: readonly PortableRecord[]): Promise<void> {
    const place = await this.#transaction(async (db) => {
      let current = this.#place && { ...this.#place }
      for (const part of byUser(records)) {
        const [first] = part
        if (first?.record === 'user') current = await enter(db, first)
        await writePart(db, current, part)
      }
      await db.run('DELETE FROM import_progress')
      await db.run(
        'INSERT INTO import_progress (source, done, place) VALUES (?, ?, ?::text::json)',
        this.#source,
        this.#done + records.length,
        current && JSON.stringify(current),
      )
      return current
    })
    this.#done += records.length
    this.#place = place
  }

  async finish(): Promise<void> {
    await this.#transaction((db) => db.run('DROP TABLE IF EXISTS import_progress'))
    // Plans for an empty database serve a full one badly; the service would find out later.
    await this.connection.query('ANALYZE')
  }

  close(): Promise<void> {
    return this.connection.close()
  }

  /** Two at once would each take the other's records for its own. */
  async #takeTurn(): Promise<void> {
    const taken = await this.connection.query<{ held: boolean }>(`SELECT pg_try_advisory_lock(${lock}) AS held`)
    if (!taken.rows[0]?.held) throw new PortableRefused('another import into this database is under way')
  }

  async #transaction<T>(work: (db: Database) => Promise<T>): Promise<T> {
    const db = new Database(this.connection)
    try {
      await this.connection.query('BEGIN')
      const result = await work(db)
      await db.settled()
      await this.connection.query('COMMIT')
      return result
    } catch (error) {
      const reason = db.reasonOf(error)
      if (!this.connection.isDead) await this.connection.query('ROLLBACK')
      throw refusal(reason)
    }
  }
}

/** A user's record begins a part; so does the first text that waits, and the first key. */
function byUser(records: readonly PortableRecord[]): PortableRecord[][] {
  const parts: PortableRecord[][] = []
  for (const record of records) {
    const part = parts.at(-1)
    const isOutside = record.record === 'pending' || record.record === 'webhook' || record.record === 'key'
    const begins = record.record === 'user' || (isOutside && part?.at(-1)?.record !== record.record)
    if (part && !begins) part.push(record)
    else parts.push([record])
  }
  return parts
}

async function enter(db: Database, { id, numbers, entities, expiry_told }: PortableOf<'user'>): Promise<Place> {
  await db.actAs(id)
  const first = await createNumberedUser(db, id, numbers + entities)
  if (first === undefined) throw new PortableRefused(`the store has a user ${JSON.stringify(id)} already`)
  await db.run('UPDATE users SET expiry_told = ? WHERE user_id = ?', expiry_told, id)
  return { id, numbers, entities, first, beforeEntities: first + numbers - 1, memory: null }
}

async function writePart(db: Database, place: Place | null, records: readonly PortableRecord[]): Promise<void> {
  const [first] = records
  if (first?.record === 'pending') return writePending(db, records)
  if (first?.record === 'webhook') return writeWebhooks(db, records)
  if (first?.record === 'key') return writeKeys(db, records)
  if (!place) throw new PortableRefused(`a ${first?.record} comes before its user`)
  await db.actAs(place.id)
  // A new revision in each transaction, so that an index that reads along misses nothing.
  const write = await UserWrite.begin(db, place.id)
  if (!write) throw new PortableRefused('a user that was being written is gone')
  await insertRecords(write, place, records)
  // Of what is written here there are no events.
  await write.send('UPDATE users SET event_floor = ? WHERE user_id = @user', write.revision)
  await write.end()
}

async function writePending(db: Database, records: readonly PortableRecord[]): Promise<void> {
  for (const record of records) {
    if (record.record !== 'pending') continue
    await db.actAs(record.user)
    const { user, id, project, payload } = record
    await db.run('INSERT INTO inbox (user_id, id, project, payload) VALUES (?, ?, ?, ?)', user, id, project, payload)
  }
}

/** What has been written here is not sent: its user knows of it. */
async function writeWebhooks(db: Database, records: readonly PortableRecord[]): Promise<void> {
  for (const record of records) {
    if (record.record !== 'webhook') continue
    await db.actAs(record.user)
    const user = new UserData(db, record.user)
    const known = await user.get<{ revision: number }>('SELECT revision FROM users WHERE user_id = @user')
    const { revision, position } = endOf(known?.revision ?? 0)
    await user.run(
      `INSERT INTO webhooks (user_id, id, url, types, project, secret, created_at, created_by, revision, position)
       VALUES (@user, ?, ?, ?::text[], ?, ?, ?, ?, ?, ?)`,
      record.id,
      record.url,
      record.types,
      record.project,
      record.secret,
      record.created_at,
      record.created_by,
      revision,
      position,
    )
  }
}

async function writeKeys(db: Database, records: readonly PortableRecord[]): Promise<void> {
  await db.see('keys')
  const keys = records.filter((record) => record.record === 'key')
  await db.run(
    `INSERT INTO keys (id, user_id, name, preview, hash, created_at, last_used_at, revoked_at)
     SELECT x.id, x.user, x.name, x.preview, x.hash, x.created_at, x.last_used_at, x.revoked_at
     FROM json_to_recordset(?::text::json) AS x (id text, "user" text, name text, preview text, hash text,
       created_at bigint, last_used_at bigint, revoked_at bigint)`,
    JSON.stringify(keys),
  )
}
