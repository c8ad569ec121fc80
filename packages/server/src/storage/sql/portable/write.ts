/** Writes portable records in batches. Each batch is one transaction. */
import { storable } from '../../domain/storable-text.js'
import { type PortableOf, type PortableRecord, PortableRefused, type PortableWriter } from '../../ports/portable.js'
import type { Session } from '../session.js'
import { dataOf, UserData } from '../user-data.js'
import { UserWrite } from '../user-write.js'
import { insertRecords, type Place } from './insert.js'
import { insertKeys, insertPending, insertSpaces, insertWebhooks } from './insert-by-user-id.js'
import { existingUsers } from './read.js'
import { rowsAround, type SightedSession } from './rows.js'

/** The engine-specific part of a writer. */
export interface PortableTarget {
  /** Throws `PortableRefused` if the database refuses the work. */
  transaction<Result>(work: (session: SightedSession) => Promise<Result>): Promise<Result>
  /** Throws while another import is writing. */
  takeTurn(): Promise<void>
  /** Throws if rows refer to rows that do not exist. */
  check(): Promise<void>
  /** Prepares the imported store for use. */
  tidy(): Promise<void>
  close(): Promise<void>
}

interface ProgressRow {
  readonly source: string
  readonly done: number
  readonly place: string | null
}

export class SqlPortableWriter implements PortableWriter {
  #source = ''
  #done = 0
  #place: Place | null = null

  constructor(private readonly target: PortableTarget) {}

  existing(userIds: readonly string[]): Promise<string[]> {
    return this.target.transaction((session) => existingUsers(session, userIds))
  }

  async begin(source: string): Promise<number> {
    this.#source = source
    await this.target.takeTurn()
    return this.target.transaction(async (session) => {
      // The table exists only while an import is unfinished, so it is not part of the schema.
      await session.run(
        'CREATE TABLE IF NOT EXISTS import_progress (source text NOT NULL, done bigint NOT NULL, place json)',
      )
      const row = await session.get<ProgressRow>(
        `SELECT source, done, ${session.dialect.jsonText('place')} AS place FROM import_progress`,
      )
      if (!row) return 0
      if (row.source !== source) {
        throw new PortableRefused(
          'another import into this store was interrupted: complete it first, or use an empty store',
        )
      }
      this.#done = row.done
      this.#place = row.place === null ? null : await located(session, JSON.parse(row.place))
      return row.done
    })
  }

  async write(records: readonly PortableRecord[]): Promise<void> {
    this.#place = await this.target.transaction(async (session) => {
      let place = this.#place && { ...this.#place }
      for (const part of partsOf(records)) {
        const [first] = part
        if (first?.record === 'user') place = await enter(session, first)
        await writePart(session, place, part)
      }
      await session.send('DELETE FROM import_progress')
      await session.send(
        `INSERT INTO import_progress (source, done, place) VALUES (?, ?, ${session.dialect.jsonValue})`,
        this.#source,
        this.#done + records.length,
        place && JSON.stringify(place),
      )
      return place
    })
    this.#done += records.length
  }

  async finish(): Promise<void> {
    await this.target.check()
    await this.target.transaction((session) => session.run('DROP TABLE IF EXISTS import_progress'))
    await this.target.tidy()
  }

  close(): Promise<void> {
    return this.target.close()
  }
}

const afterUsers: ReadonlySet<string> = new Set(['pending', 'space', 'webhook', 'key'])

/** A part begins with a user's record, or with the first record of a kind that comes after all users. */
function partsOf(records: readonly PortableRecord[]): PortableRecord[][] {
  const parts: PortableRecord[][] = []
  for (const record of records) {
    const part = parts.at(-1)
    const begins = record.record === 'user' || (afterUsers.has(record.record) && part?.at(-1)?.record !== record.record)
    if (part && !begins) part.push(record)
    else parts.push([record])
  }
  return parts
}

/** Reserves the user's row numbers, so that rows stored later come after the imported ones. */
async function enter(session: Session, { id, numbers, entities, expiry_told }: PortableOf<'user'>): Promise<Place> {
  await session.actAs(id)
  const key = await session.createUser(storable(id, 'user_id'), numbers + entities)
  if (key === undefined) throw new PortableRefused(`the store already has a user ${JSON.stringify(id)}`)
  const row = await new UserData(session, key).get<{ next_row: number }>(
    'UPDATE users SET expiry_told = ? WHERE user_id = @user RETURNING next_row',
    expiry_told,
  )
  const [first] = rowsAround(row?.next_row ?? 0)
  return { id, numbers, entities, first, beforeEntities: first + numbers - 1, memory: null }
}

/** An import that an earlier release left unfinished on SQLite has not saved the first row. */
async function located(session: Session, place: Place): Promise<Place> {
  await session.actAs(place.id)
  const user = await dataOf(session, place.id)
  const row = await user?.get<{ next_row: number }>('SELECT next_row FROM users WHERE user_id = @user')
  if (!row) throw new PortableRefused('a user of this import no longer exists')
  const [first] = rowsAround(row.next_row)
  return { ...place, first }
}

async function writePart(
  session: SightedSession,
  place: Place | null,
  records: readonly PortableRecord[],
): Promise<void> {
  const [first] = records
  if (first?.record === 'pending') return insertPending(session, records.filter(isPending))
  if (first?.record === 'space') return insertSpaces(session, records.filter(isSpace))
  if (first?.record === 'webhook') return insertWebhooks(session, records.filter(isWebhook))
  if (first?.record === 'key') return insertKeys(session, records.filter(isKey))
  if (!place) throw new PortableRefused(`a ${first?.record} comes before its user`)
  await session.actAs(place.id)
  const user = await dataOf(session, place.id)
  // Every transaction has a new revision, so that an index that is updated meanwhile misses nothing.
  const write = user && (await UserWrite.begin(user))
  if (!write) throw new PortableRefused('a user of this import no longer exists')
  await insertRecords(write, place, records)
  // Imported memories have no events.
  await write.send('UPDATE users SET event_floor = ? WHERE user_id = @user', write.revision)
  await write.end()
}

const isPending = (record: PortableRecord) => record.record === 'pending'
const isSpace = (record: PortableRecord) => record.record === 'space'
const isWebhook = (record: PortableRecord) => record.record === 'webhook'
const isKey = (record: PortableRecord) => record.record === 'key'
