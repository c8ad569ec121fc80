/**
 * Erases memories with their versions, vectors and mentions (foreign keys cascade), then everything that no other memory
 * supports. Memories given by id are erased in one transaction. A whole scope, or everything expired, may be hundreds of
 * thousands: they are erased in chunks, so that other writes need not wait for seconds. After a crash in between, some are erased
 * and the call has no answer; repeating it finishes the work.
 */
import type { Filter } from '../../../core/filter.js'
import type { Scope, UserScope } from '../../../core/scope.js'
import { isStorable } from '../../domain/storable-text.js'
import type { Erased, MemoryWrites } from '../../ports/memory-writes.js'
import { emptyConversations, eraseConversations } from '../conversations/conversations.js'
import { tellOfExpiry } from '../events/events.js'
import { eraseEvents } from '../events/write-events.js'
import { type BoundCondition, filterCondition } from '../filter.js'
import { eraseItems, purgeItems } from '../items/erase-items.js'
import type { Session, Transact, UserKey } from '../session.js'
import { segmentBytesOf } from '../user-bytes.js'
import { dataOf, memoriesIn, rowsPerUser, UserData } from '../user-data.js'
import { UserWrite } from '../user-write.js'
import { eraseVersions } from './erase-versions.js'
import { emptyInbox } from './inbox.js'
import { forgetWhoEnded } from './outdate.js'

/** About 30 ms of work on SQLite, 100 ms on PostgreSQL. */
const chunkSize = 200

type What = Parameters<MemoryWrites['forget']>[1]

/** Which memories of a scope are erased: all, or only those that expired by then, or pass the filter. */
interface Choice {
  readonly expiredAt?: number
  readonly filter?: Filter
}

/** Time and reason, for the events. */
interface Occasion {
  readonly at: number
  readonly action: 'FORGET' | 'CLEANUP'
  /** All of the user's data is erased. */
  readonly isAll?: boolean
}

export async function forget(transact: Transact, scope: Scope, what: What, now: number): Promise<Erased[]> {
  if ('memoryIds' in what) return transact(scope, forgetNamed, scope, what.memoryIds, now)
  if ('filter' in what) return eraseInChunks(transact, scope, what, { at: now, action: 'FORGET' })
  await transact(scope, emptyInbox, scope)
  await transact(scope, emptyConversations, scope)
  await eraseItems(transact, scope, now)
  if (scope.kind === 'nobody') return []
  // If all of a user is erased, no relationships are left to settle.
  return eraseInChunks(transact, scope, {}, { at: now, action: 'FORGET', isAll: scope.project === undefined })
}

export async function purgeExpired(transact: Transact, scope: Scope, now: number): Promise<Erased[]> {
  await purgeItems(transact, scope, now)
  return eraseInChunks(transact, scope, { expiredAt: now }, { at: now, action: 'CLEANUP' })
}

async function eraseInChunks(transact: Transact, scope: Scope, choice: Choice, occasion: Occasion): Promise<Erased[]> {
  const erased: Erased[] = []
  const found = await transact(scope, findErasable, scope, choice)
  for (const { userId, keys } of found) {
    const project = scope.kind === 'nobody' || scope.project === undefined ? {} : { project: scope.project }
    const own: UserScope = { kind: 'user', userId, ...project }
    for (let start = 0; start < keys.length; start += chunkSize) {
      const chunk = keys.slice(start, start + chunkSize)
      const isLast = userId === found.at(-1)?.userId && start + chunkSize >= keys.length
      erased.push(...(await transact(own, isLast ? eraseLastChunk : eraseChunk, own, chunk, choice, occasion)))
    }
  }
  return erased
}

interface Erasable {
  readonly userId: string
  readonly keys: readonly number[]
}

/** Keys of the chosen memories by user. */
export async function findErasable(session: Session, scope: Scope, choice: Choice): Promise<Erasable[]> {
  const within = await erasableIn(session, scope, choice)
  if (!within) return []
  const range = scope.kind === 'user' && choice.expiredAt === undefined ? await rowRange(session, scope) : null
  const order = choice.expiredAt === undefined ? 'm.key' : 'm.expires_at, m.key'
  const rows = await session.all<{ userId: string; key: number }>(
    `SELECT ${session.dialect.userId('m')} AS "userId", m.key FROM ${within.from}
     WHERE ${within.sql}${range ? ' AND m.key BETWEEN ? AND ?' : ''} ORDER BY m.user_id, ${order}`,
    ...within.values,
    ...(range ?? []),
  )
  const keys = new Map<string, number[]>()
  for (const { userId, key } of rows) {
    const own = keys.get(userId)
    if (own) own.push(key)
    else keys.set(userId, [key])
  }
  return [...keys].map(([userId, own]) => ({ userId, keys: own }))
}

/** The numbers that a user's rows can have: SQLite keeps them together, and has no other way to all memories of one user. */
async function rowRange(session: Session, scope: UserScope): Promise<readonly [first: number, last: number] | null> {
  const user = await dataOf(session, scope.userId)
  const row = await user?.get<{ next_row: number }>('SELECT next_row FROM users WHERE user_id = @user')
  if (!row) return null
  const first = Math.floor(row.next_row / rowsPerUser) * rowsPerUser
  return [first, first + rowsPerUser - 1]
}

const withVersions = 'memories m JOIN versions v ON v.user_id = m.user_id AND v.row = m.current_row'

async function erasableIn(
  session: Session,
  scope: Scope,
  { expiredAt, filter }: Choice,
): Promise<(BoundCondition & { readonly from: string }) | null> {
  const within = await memoriesIn(session, scope)
  const passing = filter && (await filterCondition(session, scope, filter))
  if (!within || passing === null) return null
  if (passing) {
    const values = [...within.values, ...passing.values]
    return { from: withVersions, sql: `${within.sql} AND ${passing.sql}`, values }
  }
  if (expiredAt === undefined) return { from: 'memories m', ...within }
  return { from: 'memories m', sql: `${within.sql} AND m.expires_at <= ?`, values: [...within.values, expiredAt] }
}

export async function eraseChunk(
  session: Session,
  scope: UserScope,
  keys: readonly number[],
  choice: Choice,
  occasion: Occasion,
): Promise<Erased[]> {
  const { expiredAt } = choice
  // In this transaction: erasing works on a full disk, while another write may fail.
  if (expiredAt !== undefined) await tellOfExpiry(session, scope, expiredAt)
  const user = await dataOf(session, scope.userId)
  const within = await erasableIn(session, scope, choice)
  const write = user && (await UserWrite.begin(user))
  if (!write || !within) return []
  // Checked again: since the last chunk, an update may have postponed an expiry, moved a memory or changed its metadata.
  const still = await write.all<{ key: number }>(
    `SELECT m.key FROM ${within.from}
     WHERE m.user_id = @user AND ${write.dialect.among('m.key', 'bigint')} AND ${within.sql} ORDER BY m.key`,
    keys,
    ...within.values,
  )
  const erasable = new Set(still.map((row) => row.key))
  const chosen = keys.filter((key) => erasable.has(key))
  // Only the expired ones: `as_of` may still ask for the memories that they superseded.
  return erase(write, expiredAt === undefined ? await withSuperseded(write, chosen) : chosen, occasion)
}

/** By a name of its own: SQLite empties its log after the last chunk, not after each. */
export const eraseLastChunk: typeof eraseChunk = (...args) => eraseChunk(...args)

/** One transaction for all. Users in one order everywhere: they stay locked until its end. */
export async function forgetNamed(
  session: Session,
  scope: Scope,
  memoryIds: readonly string[],
  now: number,
): Promise<Erased[]> {
  const within = await memoriesIn(session, scope)
  if (!within) return []
  const ids = [...new Set(memoryIds)].filter(isStorable)
  const named = `${session.dialect.among('m.id', 'text')} AND ${within.sql}`
  const owners = await session.all<{ user_id: UserKey }>(
    `SELECT DISTINCT m.user_id FROM memories m WHERE ${named} ORDER BY m.user_id`,
    ids,
    ...within.values,
  )
  const erased: Erased[] = []
  for (const { user_id: owner } of owners) {
    await session.actAs(owner)
    const write = await UserWrite.begin(new UserData(session, owner))
    if (!write) continue
    // Looked up under the lock: an update may have moved a memory to another project.
    const rows = await write.all<{ id: string; key: number }>(
      `SELECT m.id, m.key FROM memories m WHERE m.user_id = @user AND ${named}`,
      ids,
      ...within.values,
    )
    const keyOf = new Map(rows.map(({ id, key }) => [id, key]))
    const keys = ids.flatMap((id) => keyOf.get(id) ?? [])
    erased.push(...(await erase(write, await withSuperseded(write, keys), { at: now, action: 'FORGET' })))
  }
  return erased
}

async function erase(write: UserWrite, keys: readonly number[], occasion: Occasion): Promise<Erased[]> {
  const { dialect } = write
  const { at, action, isAll = false } = occasion
  const found = await write.all<{ key: number; memoryId: string; userId: string }>(
    `SELECT m.key, m.id AS "memoryId", ${dialect.userId('m')} AS "userId" FROM memories m
     WHERE m.user_id = @user AND ${dialect.among('m.key', 'bigint')}`,
    keys,
  )
  if (found.length === 0) return []
  const place = new Map(keys.map((key, index) => [key, index]))
  const memories = found.sort((a, b) => (place.get(a.key) ?? 0) - (place.get(b.key) ?? 0))
  const versions = await write.all<{ row: number }>(
    `SELECT row FROM versions WHERE user_id = @user AND ${dialect.among('memory', 'bigint')}`,
    keys,
  )
  const rows = versions.map((version) => version.row)
  const documents = await write.all<{ document: number }>(
    `SELECT DISTINCT document FROM memory_sources WHERE user_id = @user AND ${dialect.among('memory', 'bigint')}`,
    keys,
  )
  await eraseVersions(write, rows, () => eraseMemories(write, keys), isAll)
  await eraseDocuments(
    write,
    documents.map((row) => row.document),
  )
  const memoryIds = memories.map(({ memoryId }) => memoryId)
  await forgetWhoEnded(write, memoryIds)
  await eraseEvents(write, memoryIds)
  await eraseConversations(write)
  const nothing = { project: null, checksum: null, relatedIds: [] }
  for (const { memoryId } of memories) write.tell({ type: 'memory.forgotten', action, memoryId, at, ...nothing })
  write.countMemories(-memories.length)
  await write.end()
  return memories.map(({ userId, memoryId }) => ({ userId, memoryId }))
}

async function eraseMemories(user: UserData, keys: readonly number[]): Promise<void> {
  await user.send(`DELETE FROM memories WHERE user_id = @user AND ${user.dialect.among('key', 'bigint')}`, keys)
  // Explicitly: where data is distributed, a foreign key that clears a column would also clear the user id.
  await user.send(
    `UPDATE memories SET superseded_by = NULL WHERE user_id = @user AND ${user.dialect.among('superseded_by', 'bigint')}`,
    keys,
  )
}

/** The memories that a memory superseded are its history: no list shows them, so nobody could ask for their erasure. */
async function withSuperseded(user: UserData, keys: readonly number[]): Promise<number[]> {
  const rows = await user.all<{ key: number }>(
    `WITH RECURSIVE gone (key) AS (
       SELECT m.key FROM memories m WHERE m.user_id = @user AND ${user.dialect.among('m.key', 'bigint')}
       UNION SELECT m.key FROM gone JOIN memories m ON m.user_id = @user AND m.superseded_by = gone.key
     ) SELECT key FROM gone`,
    keys,
  )
  const all = rows.map((row) => row.key)
  const named = new Set(keys)
  return [...keys, ...all.filter((key) => !named.has(key))]
}

async function eraseDocuments(user: UserWrite, documents: readonly number[]): Promise<void> {
  const { dialect } = user
  if (user.isCounted) user.countBytes(-(await segmentBytesOf(user, documents)))
  await user.send(
    `DELETE FROM documents WHERE user_id = @user AND ${dialect.among('key', 'bigint')} AND NOT EXISTS (
       SELECT 1 FROM memory_sources o WHERE o.user_id = @user AND o.document = documents.key)`,
    documents,
  )
  await user.send(
    `DELETE FROM segments WHERE user_id = @user AND ${dialect.among('document', 'bigint')} AND NOT EXISTS (
       SELECT 1 FROM memory_sources o WHERE o.user_id = @user AND o.document = segments.document
         AND segments.position BETWEEN o.first_segment AND o.last_segment)`,
    documents,
  )
  if (user.isCounted) user.countBytes(await segmentBytesOf(user, documents))
}
