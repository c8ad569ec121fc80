/** One snapshot of a database as portable records, by a connection of its own: others read and write beside it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  isPossible,
  type PortableReader,
  type PortableRecord,
  PortableRefused,
  type PortableSelection,
  StoreEmpty,
} from '../ports/portable.js'
import { Database } from './database.js'
import { lockDirectory } from './directory-lock.js'
import { migrations, pragma, refuseForeign } from './migrate.js'
import {
  ownEntities,
  readContradictions,
  readDocuments,
  readKeys,
  readMerges,
  readPending,
  readRelationships,
  readWebhooks,
} from './portable-facts.js'
import { readEntities, readMemories } from './portable-memories.js'
import { keysOf, numberOf } from './portable-rows.js'
import { findUser, rowsOf } from './user-rows.js'

export interface SqliteSource {
  readonly dataDir: string
  /** Nobody may write meanwhile: a running service is refused, and none can start. */
  readonly locked?: boolean
}

export function openSqlitePortableReader({ dataDir, locked = false }: SqliteSource): PortableReader {
  const path = join(dataDir, 'keepsake.db')
  if (!existsSync(path)) throw new StoreEmpty(`${path} is not there: name the service’s data directory`)
  const lock = locked ? lockDirectory(dataDir) : undefined
  let db: Database | undefined
  try {
    db = new Database(path, { readOnly: true })
    refuseUnknown(db, path)
    db.exec('BEGIN')
    // The snapshot is that of the first read.
    db.get('SELECT 1 FROM users')
  } catch (error) {
    db?.close()
    lock?.release()
    throw error instanceof Error && 'errcode' in error
      ? new PortableRefused(`${path}: ${error.message}`, { cause: error })
      : error
  }
  const opened = db
  return {
    existing: async (userIds) => userIds.filter((id) => findUser(opened, id) !== undefined),
    count: async (selection) => count(opened, selection),
    async *read(selection) {
      yield* records(opened, selection)
    },
    async close() {
      opened.exec('ROLLBACK')
      opened.close()
      lock?.release()
    },
  }
}

function refuseUnknown(db: Database, path: string): void {
  try {
    refuseForeign(db, migrations, path)
  } catch (error) {
    throw error instanceof Error && !('errcode' in error) ? new PortableRefused(error.message, { cause: error }) : error
  }
  if (pragma(db, 'user_version') === migrations.at(-1)?.version) return
  throw new PortableRefused(`${path} was written by an older Keepsake: start this release on it once, then try again`)
}

interface UserRow {
  readonly key: number
  readonly id: string
  readonly expiry_told: number
}

const usersAtOnce = 1_000

/** Ids compare byte by byte. */
function* usersIn(db: Database, { user }: PortableSelection): Generator<UserRow> {
  if (user !== undefined) {
    yield* db.all<UserRow>('SELECT key, id, expiry_told FROM users WHERE id = ?', user)
    return
  }
  for (let after = ''; ; ) {
    const page = db.all<UserRow>(
      'SELECT key, id, expiry_told FROM users WHERE id > ? ORDER BY id LIMIT ?',
      after,
      usersAtOnce,
    )
    yield* page
    const last = page.at(-1)
    if (!last) return
    after = last.id
  }
}

function count(db: Database, selection: PortableSelection): number {
  const one = (sql: string, ...values: (string | number)[]) => db.get<{ total: number }>(sql, ...values)?.total ?? 0
  if (!isPossible(selection)) return 0
  const { user, keys } = selection
  const byId = user === undefined ? { sql: '', values: [] } : { sql: ' WHERE user_id = ?', values: [user] }
  const outside =
    one(`SELECT count(*) AS total FROM inbox${byId.sql}`, ...byId.values) +
    (keys ? one(`SELECT count(*) AS total FROM keys${byId.sql}`, ...byId.values) : 0) +
    (keys ? one(`SELECT count(*) AS total FROM webhooks${byId.sql}`, ...byId.values) : 0)
  if (user === undefined) {
    const tables = ['users', 'entities', 'memories', 'versions', 'relationships', 'documents', 'contradictions']
    const all = [...tables, 'entity_merges'].map((table) => one(`SELECT count(*) AS total FROM ${table}`))
    return all.reduce((sum, total) => sum + total, outside)
  }
  const found = findUser(db, user)
  if (!found) return outside
  const rows = rowsOf(found)
  return (
    outside +
    1 +
    one('SELECT count(*) AS total FROM entities WHERE user = ?', found.key) +
    one('SELECT count(*) AS total FROM memories WHERE key BETWEEN ? AND ?', ...rows) +
    one('SELECT count(*) AS total FROM versions WHERE row BETWEEN ? AND ?', ...rows) +
    one(`SELECT count(*) AS total FROM relationships WHERE source IN (${ownEntities})`, found.key) +
    one('SELECT count(DISTINCT document) AS total FROM memory_sources WHERE memory BETWEEN ? AND ?', ...rows) +
    one('SELECT count(*) AS total FROM contradictions WHERE user = ?', found.key) +
    one('SELECT count(*) AS total FROM entity_merges WHERE user = ?', found.key)
  )
}

function* records(db: Database, selection: PortableSelection): Generator<PortableRecord> {
  if (!isPossible(selection)) return
  for (const { key, id, expiry_told } of usersIn(db, selection)) {
    const rows = rowsOf({ key, revision: 0 })
    const entities = keysOf(db, 'SELECT key FROM entities WHERE user = ? ORDER BY key', key)
    const last = db.get<{ row: number | null }>(
      'SELECT max(row) AS row FROM versions WHERE row BETWEEN ? AND ?',
      ...rows,
    )
    const numbers = last?.row === null || last === undefined ? 0 : numberOf(last.row) + 1
    yield { record: 'user', id, numbers, entities: entities.length, expiry_told }
    yield* readEntities(db, entities)
    yield* readMemories(db, rows, entities, selection.vectors)
    yield* readRelationships(db, key, entities)
    yield* readDocuments(db, rows)
    yield* readContradictions(db, key)
    yield* readMerges(db, key, entities)
  }
  yield* readPending(db, selection)
  if (!selection.keys) return
  yield* readWebhooks(db, selection)
  yield* readKeys(db, selection)
}
