/** One snapshot of a database as portable records, by a connection of its own: others read and write beside it. */
import {
  isPossible,
  type PortableReader,
  type PortableRecord,
  PortableRefused,
  type PortableSelection,
  StoreEmpty,
} from '../ports/portable.js'
import { Connection } from './connection.js'
import { Database } from './database.js'
import { migrations } from './migrate.js'
import {
  readContradictions,
  readDocuments,
  readKeys,
  readMerges,
  readPending,
  readRelationships,
  readWebhooks,
} from './portable-facts.js'
import { readEntities, readMemories } from './portable-memories.js'
import { numberOf, Ordinals, refusal } from './portable-rows.js'
import { UserData } from './user-data.js'

/** Long reads: no statement is ended for its length. */
export const patient = { connectTimeoutMs: 5_000, statementTimeoutMs: 0, graceMs: 0 }

export async function openPostgresPortableReader(url: string): Promise<PortableReader> {
  const connection = new Connection({ ...patient, url })
  const db = new Database(connection)
  try {
    await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await refuseUnknown(db)
  } catch (error) {
    connection.destroy()
    throw refusal(error)
  }
  return {
    existing: (userIds) => existingUsers(db, userIds),
    count: (selection) => count(db, selection),
    read: (selection) => records(db, selection),
    close: () => connection.close(),
  }
}

async function refuseUnknown(db: Database): Promise<void> {
  const table = await db.get<{ found: boolean }>(`SELECT to_regclass('keepsake_schema') IS NOT NULL AS found`)
  if (!table?.found) throw new StoreEmpty('the database is empty: no service has used it yet')
  const standing = await db.get<{ version: number }>('SELECT max(version) AS version FROM keepsake_schema')
  const latest = migrations.at(-1)?.version
  if (standing?.version === latest) return
  throw new PortableRefused(
    `the database has the schema ${standing?.version}, and this release knows ${latest}: start the release that fits on it once`,
  )
}

export async function existingUsers(db: Database, userIds: readonly string[]): Promise<string[]> {
  await db.see('totals')
  const rows = await db.all<{ id: string }>(
    'SELECT user_id AS id FROM users WHERE user_id = ANY (?::text[]) ORDER BY user_id',
    userIds,
  )
  return rows.map(({ id }) => id)
}

interface UserRow {
  readonly id: string
  readonly expiry_told: number
}

const usersAtOnce = 1_000

/** Everybody in the order of their ids, or the one. */
async function* usersIn(db: Database, { user }: PortableSelection): AsyncGenerator<UserRow> {
  for (let after = ''; ; ) {
    await db.see(user === undefined ? 'totals' : { kind: 'user', userId: user })
    const within = own(user)
    const page = await db.all<UserRow>(
      `SELECT user_id AS id, expiry_told FROM users${within.sql || ' WHERE TRUE'} AND user_id > ? ORDER BY user_id LIMIT ?`,
      ...within.values,
      after,
      usersAtOnce,
    )
    yield* page
    const last = page.at(-1)
    if (!last) return
    after = last.id
  }
}

function own(user: string | undefined): { readonly sql: string; readonly values: readonly string[] } {
  return user === undefined ? { sql: '', values: [] } : { sql: ' WHERE user_id = ?', values: [user] }
}

const countedTables = [
  ...['users', 'entities', 'memories', 'versions', 'relationships', 'documents', 'contradictions', 'entity_merges'],
  'inbox',
]

async function count(db: Database, selection: PortableSelection): Promise<number> {
  if (!isPossible(selection)) return 0
  const { user, keys } = selection
  await db.see(user === undefined ? 'totals' : { kind: 'user', userId: user })
  const within = own(user)
  const counted = async (table: string) =>
    (await db.get<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}${within.sql}`, ...within.values))?.rows ?? 0
  let total = 0
  for (const table of countedTables) total += await counted(table)
  if (!keys) return total
  total += await counted('webhooks')
  await db.see('keys')
  return total + (await counted('keys'))
}

async function* records(db: Database, selection: PortableSelection): AsyncGenerator<PortableRecord> {
  if (!isPossible(selection)) return
  try {
    for await (const { id, expiry_told } of usersIn(db, selection)) {
      await db.actAs(id)
      const user = new UserData(db, id)
      const entities = await Ordinals.ofEntities(user)
      const last = await user.get<{ row: number | null }>('SELECT max(row) AS row FROM versions WHERE user_id = @user')
      const numbers = last?.row === null || last === undefined ? 0 : numberOf(last.row) + 1
      yield { record: 'user', id, numbers, entities: entities.size, expiry_told }
      yield* readEntities(user, entities)
      yield* readMemories(user, entities, selection.vectors)
      yield* readRelationships(user, entities)
      yield* readDocuments(user)
      yield* readContradictions(user)
      yield* readMerges(user, entities)
    }
    yield* readPending(db, selection)
    if (!selection.keys) return
    yield* readWebhooks(db, selection)
    yield* readKeys(db, selection)
  } catch (error) {
    throw refusal(error)
  }
}
