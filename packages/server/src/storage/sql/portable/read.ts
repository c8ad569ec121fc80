/** Reads one snapshot of a store as portable records. */
import { isStorable } from '../../domain/storable-text.js'
import { isPossible, type PortableReader, type PortableRecord, type PortableSelection } from '../../ports/portable.js'
import { readItems } from '../items/portable-items.js'
import type { UserKey } from '../session.js'
import { dataOf, UserData } from '../user-data.js'
import { readKeys, readPending, readSpaces, readWebhooks } from './read-by-user-id.js'
import { readContradictions, readDocuments, readMerges, readRelationships } from './read-facts.js'
import { readEntities, readMemories } from './read-memories.js'
import { keysOf, numberOf, Ordinals, type Rows, rowsAround, type SightedSession } from './rows.js'

export function countsOf(session: SightedSession): Pick<PortableReader, 'existing' | 'count'> {
  return {
    existing: (userIds) => existingUsers(session, userIds),
    count: (selection) => countRecords(session, selection),
  }
}

export async function existingUsers(session: SightedSession, userIds: readonly string[]): Promise<string[]> {
  await session.see('totals')
  const id = session.dialect.idOfUser('u')
  const rows = await session.all<{ id: string }>(
    `SELECT ${id} AS id FROM users u WHERE ${session.dialect.among(id, 'text')} ORDER BY ${id}`,
    userIds.filter(isStorable),
  )
  return rows.map((row) => row.id)
}

/** Each row of these tables is one record. */
const ownTables = [
  'users',
  'entities',
  'memories',
  'versions',
  'relationships',
  'documents',
  'contradictions',
  'entity_merges',
  'items',
]

async function countRecords(session: SightedSession, selection: PortableSelection): Promise<number> {
  if (!isPossible(selection)) return 0
  const { user: userId, keys } = selection
  await session.see(userId === undefined ? 'totals' : { kind: 'user', userId })
  let total = 0
  const add = async (counting: Promise<{ total: number } | undefined>) => {
    total += (await counting)?.total ?? 0
  }
  const user = userId === undefined ? undefined : await dataOf(session, userId)
  for (const table of ownTables) {
    if (userId === undefined) await add(session.get(`SELECT count(*) AS total FROM ${table}`))
    else if (user) await add(user.get(`SELECT count(*) AS total FROM ${table} WHERE user_id = @user`))
  }
  const within = userId === undefined ? { sql: 'TRUE', values: [] } : { sql: 'user_id = ?', values: [userId] }
  const addByUserId = (table: string) =>
    add(session.get(`SELECT count(*) AS total FROM ${table} WHERE ${within.sql}`, ...within.values))
  await addByUserId('inbox')
  await addByUserId('spaces')
  if (!keys) return total
  await addByUserId('webhooks')
  await session.see('keys')
  await addByUserId('keys')
  return total
}

export async function* readRecords(
  session: SightedSession,
  selection: PortableSelection,
): AsyncGenerator<PortableRecord> {
  if (!isPossible(selection)) return
  for await (const row of usersIn(session, selection)) {
    await session.actAs(row.key)
    yield* readUser(new UserData(session, row.key), row, selection.vectors)
  }
  yield* readPending(session, selection)
  yield* readSpaces(session, selection)
  if (!selection.keys) return
  yield* readWebhooks(session, selection)
  yield* readKeys(session, selection)
}

interface UserRow {
  readonly key: UserKey
  readonly id: string
  readonly expiry_told: number
  readonly next_row: number
}

const usersAtOnce = 1_000

/** In the order of their ids, compared byte by byte. */
async function* usersIn(session: SightedSession, { user }: PortableSelection): AsyncGenerator<UserRow> {
  const id = session.dialect.idOfUser('u')
  for (let after = ''; ; ) {
    // Needed for every page: reading the records of a user has limited the transaction to that user.
    await session.see(user === undefined ? 'totals' : { kind: 'user', userId: user })
    const page = await session.all<UserRow>(
      `SELECT u.user_id AS key, ${id} AS id, u.expiry_told, u.next_row FROM users u
       WHERE ${user === undefined ? 'TRUE' : `${id} = ?`} AND ${id} > ? ORDER BY ${id} LIMIT ?`,
      ...(user === undefined ? [] : [user]),
      after,
      usersAtOnce,
    )
    yield* page
    const last = page.at(-1)
    if (!last || page.length < usersAtOnce) return
    after = last.id
  }
}

async function* readUser(
  user: UserData,
  { id, expiry_told, next_row }: UserRow,
  withVectors: boolean,
): AsyncGenerator<PortableRecord> {
  const rows = rowsAround(next_row)
  const { entities, relationships, documents, contradictions, merges, last } = await contentsOf(user, rows)
  const numbers = last === undefined ? 0 : numberOf(last) + 1
  yield { record: 'user', id, numbers, entities: entities.keys.length, expiry_told }
  yield* readEntities(user, entities)
  yield* readMemories(user, rows, entities, withVectors)
  yield* readRelationships(user, relationships, entities)
  yield* readDocuments(user, documents)
  yield* readContradictions(user, contradictions)
  yield* readMerges(user, merges, entities)
  yield* readItems(user)
}

/**
 * Keys of the user's rows, and the last version. SQLite has no index by user on relationships, documents and merges, and its
 * oldest rows have keys outside the user's range: they are found through the user's entities and memories.
 */
async function contentsOf(user: UserData, rows: Rows) {
  const [entities, relationships, documents, contradictions, merges, last] = await Promise.all([
    keysOf(user, 'SELECT key FROM entities WHERE user_id = @user AND key > ? ORDER BY key LIMIT ?'),
    keysOf(
      user,
      `SELECT r.key FROM entities e JOIN relationships r ON r.user_id = e.user_id AND r.source = e.key
       WHERE e.user_id = @user AND r.key > ? ORDER BY r.key LIMIT ?`,
    ),
    keysOf(
      user,
      `SELECT DISTINCT document AS key FROM memory_sources
       WHERE user_id = @user AND memory BETWEEN ? AND ? AND document > ? ORDER BY document LIMIT ?`,
      ...rows,
    ),
    keysOf(user, 'SELECT key FROM contradictions WHERE user_id = @user AND key > ? ORDER BY key LIMIT ?'),
    keysOf(
      user,
      `SELECT g.key FROM entities e JOIN entity_merges g ON g.user_id = e.user_id AND g.entity = e.key
       WHERE e.user_id = @user AND g.key > ? ORDER BY g.key LIMIT ?`,
    ),
    user.get<{ row: number }>(
      'SELECT row FROM versions WHERE user_id = @user AND row BETWEEN ? AND ? ORDER BY row DESC LIMIT 1',
      ...rows,
    ),
  ])
  return { entities: new Ordinals(entities), relationships, documents, contradictions, merges, last: last?.row }
}
