/**
 * Erasing: memories with their versions, vectors and mentions (foreign keys cascade), then whatever
 * nothing else supports. Memories named by id go in one transaction. All of a scope, and what expired,
 * may be 100,000s: they go chunk by chunk so that other users' writes need not wait for seconds. A crash
 * in between leaves some erased and the call unanswered; asking again finishes it.
 */
import type { Scope } from '../../core/scope.js'
import type { Erased, MemoryWrites } from '../ports/storage.js'
import type { Database } from './database.js'
import { tellOfExpiryOf, usersToTellOfExpiry } from './events.js'
import { eraseFromEntities, spellingsUsedBy } from './forget-entities.js'
import { emptyInbox } from './inbox.js'
import { relationshipsDecidedBy, relationshipsTouchedBy, settleRelationships } from './settle-relationships.js'
import { allMemoriesIn, type Condition, findUser, memoriesIn, UserWrite } from './user-rows.js'
import { eraseEvents } from './write-events.js'
import { endUnsupported } from './write-relationships.js'

/** About 30 ms of work. */
const chunkSize = 200

type What = Parameters<MemoryWrites['forget']>[1]

/** When it happens, and why, for the events that tell of it. */
interface Occasion {
  readonly at: number
  readonly action: 'FORGET' | 'CLEANUP'
  /** All that its user has goes. */
  readonly isAll?: boolean
}

export function* forget(db: Database, scope: Scope, what: What, now = 0): Generator<void, Erased[]> {
  const occasion = { at: now, action: 'FORGET' } as const
  if (!('all' in what)) return erase(db, withSuperseded(db, keysOf(db, scope, what.memoryIds)), occasion)
  emptyInbox(db, scope)
  const within = allMemoriesIn(db, scope)
  if (!within || scope.kind === 'nobody') return []
  // Nothing of what is left then was told before: there is nothing to work out anew.
  return yield* eraseInChunks(db, within, 'm.key', withSuperseded, {
    ...occasion,
    isAll: scope.project === undefined,
  })
}

export function* purgeExpired(db: Database, scope: Scope, now: number): Generator<void, Erased[]> {
  const within = memoriesIn(db, scope)
  if (!within) return []
  for (const userId of usersToTellOfExpiry(db, scope, 0, now)) {
    const user = findUser(db, userId)
    if (user) tellOfExpiryOf(db, user, now)
  }
  const expired = { sql: `${within.sql} AND m.expires_at <= ?`, values: [...within.values, now] }
  // Exactly what has expired: what it superseded may still be asked for with `as_of`.
  const occasion = { at: now, action: 'CLEANUP' } as const
  return yield* eraseInChunks(db, expired, 'm.expires_at, m.key', (_db, keys) => keys, occasion)
}

function keysOf(db: Database, scope: Scope, memoryIds: readonly string[]): number[] {
  const within = memoriesIn(db, scope)
  if (!within) return []
  const rows = db.all<{ key: number }>(
    `SELECT DISTINCT m.key FROM json_each(?) wanted CROSS JOIN memories m ON m.id = wanted.value
     WHERE ${within.sql}`,
    JSON.stringify(memoryIds),
    ...within.values,
  )
  return rows.map((row) => row.key)
}

type Order = 'm.key' | 'm.expires_at, m.key'

function* eraseInChunks(
  db: Database,
  within: Condition,
  order: Order,
  widened: (db: Database, keys: readonly number[]) => readonly number[],
  occasion: Occasion,
): Generator<void, Erased[]> {
  const { sql, values } = within
  const rows = db.all<{ key: number }>(`SELECT m.key FROM memories m WHERE ${sql} ORDER BY ${order}`, ...values)
  const erased: Erased[] = []
  for (let start = 0; start < rows.length; start += chunkSize) {
    if (start > 0) yield
    const chunk = rows.slice(start, start + chunkSize).map((row) => row.key)
    // Asked again: since the last chunk an update may have put off an end, or moved a memory elsewhere.
    const still = db.all<{ key: number }>(
      `SELECT m.key FROM json_each(?) wanted CROSS JOIN memories m ON m.key = wanted.value WHERE ${sql}`,
      JSON.stringify(chunk),
      ...values,
    )
    const keys = still.map((row) => row.key)
    erased.push(...erase(db, widened(db, keys), occasion))
  }
  return erased
}

interface OwnedMemory {
  readonly id: string
  readonly user: number
  readonly user_id: string
}

function erase(db: Database, keys: readonly number[], occasion: Occasion): Erased[] {
  const { isAll = false } = occasion
  const keysJson = JSON.stringify(keys)
  const memories = db.all<OwnedMemory>(
    `SELECT m.id, m.user, u.id AS user_id FROM json_each(?) wanted CROSS JOIN memories m ON m.key = wanted.value
       CROSS JOIN users u ON u.key = m.user`,
    keysJson,
  )
  const versions = db.all<{ row: number; user: number }>(
    'SELECT v.row, v.user FROM json_each(?) wanted CROSS JOIN versions v ON v.memory = wanted.value',
    keysJson,
  )
  const rows = versions.map((version) => version.row)
  const relationships = relationshipsTouchedBy(db, rows)
  const toSettle = isAll ? [] : relationshipsDecidedBy(db, rows)
  const spellings = spellingsUsedBy(db, rows)
  const documents = db.all<{ document: number }>(
    'SELECT DISTINCT document FROM memory_sources WHERE memory IN (SELECT value FROM json_each(?))',
    keysJson,
  )
  bury(db, versions, memories, occasion)
  db.run('DELETE FROM memories WHERE key IN (SELECT value FROM json_each(?))', keysJson)
  db.run(
    `DELETE FROM relationships WHERE key IN (SELECT value FROM json_each(?))
       AND NOT EXISTS (SELECT 1 FROM relationship_sources s WHERE s.relationship = relationships.key)`,
    JSON.stringify(relationships),
  )
  endUnsupported(db, relationships)
  settleRelationships(db, toSettle)
  eraseFromEntities(db, spellings, isAll)
  eraseDocuments(
    db,
    documents.map((row) => row.document),
  )
  return memories.map((memory) => ({ userId: memory.user_id, memoryId: memory.id }))
}

/** What a memory superseded is its history: nothing lists it any more, so nobody could ask for it to be erased. */
function withSuperseded(db: Database, keys: readonly number[]): number[] {
  const rows = db.all<{ key: number }>(
    `WITH RECURSIVE gone (key) AS (
       SELECT value FROM json_each(?)
       UNION SELECT m.key FROM gone CROSS JOIN memories m ON m.superseded_by = gone.key
     ) SELECT key FROM gone`,
    JSON.stringify(keys),
  )
  return rows.map((row) => row.key)
}

/** Leaves the row numbers, so that indexes hear of the removal, and the ids, so that whoever follows the events does. */
function bury(
  db: Database,
  versions: readonly { readonly row: number; readonly user: number }[],
  memories: readonly OwnedMemory[],
  { at, action }: Occasion,
): void {
  const writes = new Map<number, UserWrite>()
  const writeOf = (user: number) => {
    const write = writes.get(user) ?? UserWrite.begin(db, user)
    writes.set(user, write)
    return write
  }
  for (const { row, user } of versions) {
    db.run('INSERT INTO tombstones (user, revision, row) VALUES (?, ?, ?)', user, writeOf(user).revision, row)
  }
  const nothing = { project: null, checksum: null, relatedIds: [] }
  for (const { id, user } of memories) {
    eraseEvents(db, user, id)
    writeOf(user).tell({ type: 'memory.forgotten', action, memoryId: id, at, ...nothing })
  }
  for (const write of writes.values()) write.end()
}

function eraseDocuments(db: Database, documents: readonly number[]): void {
  const documentsJson = JSON.stringify(documents)
  db.run(
    `DELETE FROM documents WHERE key IN (SELECT value FROM json_each(?))
       AND NOT EXISTS (SELECT 1 FROM memory_sources o WHERE o.document = documents.key)`,
    documentsJson,
  )
  db.run(
    `DELETE FROM segments WHERE document IN (SELECT value FROM json_each(?)) AND NOT EXISTS (
       SELECT 1 FROM memory_sources o WHERE o.document = segments.document
         AND segments.position BETWEEN o.first_segment AND o.last_segment)`,
    documentsJson,
  )
}
