/**
 * Erasing: memories with their versions, vectors and mentions (foreign keys cascade), then whatever
 * nothing else supports. Memories named by id go in one transaction. All of a scope, and what expired,
 * may be 100,000s: they go chunk by chunk so that other writes need not wait for seconds. A crash
 * in between leaves some erased and the call unanswered; asking again finishes it.
 */
import type { Scope } from '../../core/scope.js'
import { isStorable } from '../domain/storable-text.js'
import type { Erased, MemoryWrites } from '../ports/storage.js'
import type { Database, Sight } from './database.js'
import { tellOfExpiry, usersToTellOfExpiry } from './events.js'
import { eraseFromEntities, spellingsUsedBy } from './forget-entities.js'
import { emptyInbox } from './inbox.js'
import { relationshipsDecidedBy, relationshipsTouchedBy, settleRelationships } from './settle-relationships.js'
import type { UserData } from './user-data.js'
import { type Condition, memoriesIn, UserWrite } from './user-rows.js'
import { eraseEvents } from './write-events.js'
import { endUnsupported } from './write-relationships.js'

/** About 100 ms of work. */
const chunkSize = 200

type What = Parameters<MemoryWrites['forget']>[1]

/** Does the work in a transaction of its own that may see so much. */
export type Transact = <T>(sight: Sight, work: (db: Database) => Promise<T>) => Promise<T>

/** When it happens, and why, for the events that tell of it. */
interface Occasion {
  readonly at: number
  readonly action: 'FORGET' | 'CLEANUP'
  /** All that its user has goes. */
  readonly isAll?: boolean
}

export async function forget(transact: Transact, scope: Scope, what: What, now = 0): Promise<Erased[]> {
  const occasion = { at: now, action: 'FORGET' } as const
  if (!('all' in what)) return transact(scope, (db) => forgetNamed(db, scope, what.memoryIds, occasion))
  await transact(scope, (db) => emptyInbox(db, scope))
  const within = memoriesIn(scope)
  if (!within || scope.kind === 'nobody') return []
  // Nothing of what is left then was told before: there is nothing to work out anew.
  return eraseInChunks(transact, scope, within, 'm.key', withSuperseded, {
    ...occasion,
    isAll: scope.project === undefined,
  })
}

export async function purgeExpired(transact: Transact, scope: Scope, now: number): Promise<Erased[]> {
  const within = memoriesIn(scope)
  if (!within) return []
  for (const userId of await transact(scope, (db) => usersToTellOfExpiry(db, scope, 0, now))) {
    const owner = { kind: 'user', userId } as const
    await transact(owner, (db) => tellOfExpiry(db, owner, now))
  }
  const expired = { sql: `${within.sql} AND m.expires_at <= ?`, values: [...within.values, now] }
  // Exactly what has expired: what it superseded may still be asked for with `as_of`.
  const occasion = { at: now, action: 'CLEANUP' } as const
  return eraseInChunks(transact, scope, expired, 'm.expires_at, m.key', async (_user, keys) => keys, occasion)
}

interface OwnKey {
  readonly user_id: string
  readonly key: number
}

/** Users in one order everywhere: they are locked until the end. */
async function forgetNamed(
  db: Database,
  scope: Scope,
  memoryIds: readonly string[],
  occasion: Occasion,
): Promise<Erased[]> {
  const within = memoriesIn(scope)
  if (!within) return []
  const ids = memoryIds.filter(isStorable)
  const owners = await db.all<{ user_id: string }>(
    `SELECT DISTINCT m.user_id FROM memories m WHERE m.id = ANY (?::text[]) AND ${within.sql} ORDER BY m.user_id`,
    ids,
    ...within.values,
  )
  const erased: Erased[] = []
  for (const { user_id } of owners) {
    await db.actAs(user_id)
    const write = await UserWrite.begin(db, user_id)
    if (!write) continue
    const rows = await write.all<OwnKey>(
      `SELECT m.key FROM memories m WHERE m.user_id = @user AND m.id = ANY (?::text[]) AND ${within.sql}
       ORDER BY array_position(?::text[], m.id)`,
      ids,
      ...within.values,
      ids,
    )
    const keys = rows.map((row) => row.key)
    erased.push(...(await erase(write, await withSuperseded(write, keys), occasion)))
  }
  return erased
}

type Order = 'm.key' | 'm.expires_at, m.key'

async function eraseInChunks(
  transact: Transact,
  scope: Scope,
  within: Condition,
  order: Order,
  widened: (user: UserData, keys: readonly number[]) => Promise<readonly number[]>,
  occasion: Occasion,
): Promise<Erased[]> {
  const { sql, values } = within
  const found = await transact(scope, (db) =>
    db.all<OwnKey>(`SELECT m.user_id, m.key FROM memories m WHERE ${sql} ORDER BY m.user_id, ${order}`, ...values),
  )
  const erased: Erased[] = []
  for (const chunk of chunksOf(found)) {
    erased.push(
      ...(await transact({ kind: 'user', userId: chunk.userId }, async (db) => {
        const write = await UserWrite.begin(db, chunk.userId)
        if (!write) return []
        // Asked again: since the last chunk an update may have put off an end, or moved a memory elsewhere.
        const still = await write.all<OwnKey>(
          `SELECT m.key FROM memories m WHERE m.user_id = @user AND m.key = ANY (?::bigint[]) AND ${sql} ORDER BY ${order}`,
          chunk.keys,
          ...values,
        )
        const keys = still.map((row) => row.key)
        return erase(write, await widened(write, keys), occasion)
      })),
    )
  }
  return erased
}

/** Of one user each. */
function* chunksOf(rows: readonly OwnKey[]): Generator<{ readonly userId: string; readonly keys: number[] }> {
  for (let start = 0; start < rows.length; ) {
    const userId = rows[start]?.user_id ?? ''
    let end = start
    while (end < rows.length && end - start < chunkSize && rows[end]?.user_id === userId) end++
    yield { userId, keys: rows.slice(start, end).map((row) => row.key) }
    start = end
  }
}

async function erase(write: UserWrite, keys: readonly number[], occasion: Occasion): Promise<Erased[]> {
  const { at, action, isAll = false } = occasion
  const memories = await write.all<{ id: string }>(
    `SELECT m.id FROM unnest(?::bigint[]) WITH ORDINALITY wanted (key, place)
       JOIN memories m ON m.user_id = @user AND m.key = wanted.key ORDER BY wanted.place`,
    keys,
  )
  if (memories.length === 0) return []
  const versions = await write.all<{ row: number }>(
    'SELECT row FROM versions WHERE user_id = @user AND memory = ANY (?::bigint[])',
    keys,
  )
  const rows = versions.map((version) => version.row)
  const relationships = await relationshipsTouchedBy(write, rows)
  const toSettle = isAll ? [] : await relationshipsDecidedBy(write, rows)
  const spellings = await spellingsUsedBy(write, rows)
  const documents = await write.all<{ document: number }>(
    'SELECT DISTINCT document FROM memory_sources WHERE user_id = @user AND memory = ANY (?::bigint[])',
    keys,
  )
  await bury(write, rows)
  await eraseMemories(write, keys)
  await write.send(
    `DELETE FROM relationships r WHERE r.user_id = @user AND r.key = ANY (?::bigint[]) AND NOT EXISTS (
       SELECT 1 FROM relationship_sources s WHERE s.user_id = r.user_id AND s.relationship = r.key)`,
    relationships,
  )
  await endUnsupported(write, relationships)
  await settleRelationships(write, toSettle)
  await eraseFromEntities(write, spellings, isAll)
  await eraseDocuments(
    write,
    documents.map((row) => row.document),
  )
  const ids = memories.map((memory) => memory.id)
  await eraseEvents(write, ids)
  const nothing = { project: null, checksum: null, relatedIds: [] }
  for (const memoryId of ids) write.tell({ type: 'memory.forgotten', action, memoryId, at, ...nothing })
  write.countMemories(-memories.length)
  await write.end()
  return memories.map((memory) => ({ userId: write.userId, memoryId: memory.id }))
}

async function eraseMemories(user: UserData, keys: readonly number[]): Promise<void> {
  await user.send('DELETE FROM memories WHERE user_id = @user AND key = ANY (?::bigint[])', keys)
  // By hand: a foreign key that clears a column would clear the user's as well where data are distributed.
  await user.send(
    'UPDATE memories SET superseded_by = NULL WHERE user_id = @user AND superseded_by = ANY (?::bigint[])',
    keys,
  )
}

/** What a memory superseded is its history: nothing lists it any more, so nobody could ask for it to be erased. */
async function withSuperseded(user: UserData, keys: readonly number[]): Promise<number[]> {
  const rows = await user.all<{ key: number }>(
    `WITH RECURSIVE gone (key) AS (
       SELECT wanted FROM unnest(?::bigint[]) wanted
       UNION SELECT m.key FROM gone JOIN memories m ON m.user_id = @user AND m.superseded_by = gone.key
     ) SELECT key FROM gone`,
    keys,
  )
  return rows.map((row) => row.key)
}

/** Leaves the row numbers, so that indexes hear of the removal. */
async function bury(write: UserWrite, rows: readonly number[]): Promise<void> {
  await write.send(
    `INSERT INTO tombstones (user_id, revision, row) SELECT @user, ?::bigint, row FROM unnest(?::bigint[]) dead (row)`,
    write.revision,
    rows,
  )
}

async function eraseDocuments(user: UserData, documents: readonly number[]): Promise<void> {
  await user.send(
    `DELETE FROM documents d WHERE d.user_id = @user AND d.key = ANY (?::bigint[]) AND NOT EXISTS (
       SELECT 1 FROM memory_sources o WHERE o.user_id = d.user_id AND o.document = d.key)`,
    documents,
  )
  await user.send(
    `DELETE FROM segments g WHERE g.user_id = @user AND g.document = ANY (?::bigint[]) AND NOT EXISTS (
       SELECT 1 FROM memory_sources o WHERE o.user_id = g.user_id AND o.document = g.document
         AND g.position BETWEEN o.first_segment AND o.last_segment)`,
    documents,
  )
}
