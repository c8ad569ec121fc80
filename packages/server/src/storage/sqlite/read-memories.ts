import { statSync } from 'node:fs'
import type { Slot } from '../../core/entity.js'
import type { Memory, MemoryVersion } from '../../core/memory.js'
import type { Scope, UserScope } from '../../core/scope.js'
import type {
  FactsToRecognise,
  KnownMemory,
  MemoryReads,
  Provenance,
  Recognised,
  StorageStats,
} from '../ports/storage.js'
import type { ExpiredMemory } from '../ports/temporal-reads.js'
import type { Database } from './database.js'
import { loadMemories, metadataOf } from './memory-rows.js'
import { findUser, memoriesIn, notExpired } from './user-rows.js'

interface Identified {
  readonly key: number
  readonly current_row: number
  readonly expires_at: number | null
}

function identify(db: Database, scope: Scope, memoryId: string): Identified | undefined {
  const within = memoriesIn(db, scope)
  if (!within) return undefined
  return db.get<Identified>(
    `SELECT m.key, m.current_row, m.expires_at FROM memories m WHERE m.id = ? AND ${within.sql}`,
    memoryId,
    ...within.values,
  )
}

export function find(
  db: Database,
  scope: Scope,
  memoryId: string,
  at: Parameters<MemoryReads['find']>[2],
): Memory | null {
  const found = identify(db, scope, memoryId)
  if (!found) return null
  const expired = found.expires_at !== null && found.expires_at <= at.now
  if (expired && !at.includeExpired) return null
  return loadMemories(db, [found.current_row])[0]?.memory ?? null
}

/** More than this would be an answer of 100 MB where each has the longest content. */
const mostVersions = 500

export function history(db: Database, scope: Scope, memoryId: string): MemoryVersion[] {
  const found = identify(db, scope, memoryId)
  if (!found) return []
  interface VersionRow extends Omit<MemoryVersion, 'metadata'> {
    readonly metadata: string
  }
  const rows = db.all<VersionRow>(
    `SELECT version, content, checksum, metadata, project, trust_score AS trustScore, valid_from AS validFrom,
       valid_to AS validTo, expires_at AS expiresAt
     FROM versions WHERE memory = ? ORDER BY version DESC LIMIT ?`,
    found.key,
    mostVersions,
  )
  return rows.reverse().map((row) => ({ ...row, metadata: metadataOf(row.metadata) }))
}

export function provenance(db: Database, scope: Scope, memoryId: string): Provenance[] {
  const found = identify(db, scope, memoryId)
  if (!found) return []
  const sources = db.all<Omit<Provenance, 'text'> & { key: number; first: number; last: number }>(
    `SELECT d.key, d.id AS documentId, d.source, d.stored_at AS storedAt, o.first_segment AS first, o.last_segment AS last
     FROM memory_sources o JOIN documents d ON d.key = o.document
     WHERE o.memory = ? ORDER BY d.stored_at, d.key, o.first_segment`,
    found.key,
  )
  return sources.map(({ key, first, last, documentId, source, storedAt }) => {
    const segments = db.all<{ text: string }>(
      'SELECT text FROM segments WHERE document = ? AND position BETWEEN ? AND ? ORDER BY position',
      key,
      first,
      last,
    )
    return { documentId, source, storedAt, text: segments.map((segment) => segment.text).join('') }
  })
}

interface KnownRow {
  readonly row: number
  readonly content_key: string
}

export function recognise(db: Database, scope: UserScope, facts: FactsToRecognise): Recognised {
  const user = findUser(db, scope.userId)
  if (!user) return { revision: 0, sameContent: [], sameSlot: [] }
  const current = `m.superseded_at IS NULL AND ${notExpired} AND m.project IS ?`
  const sameContent = db.all<KnownRow>(
    `SELECT m.current_row AS row, m.content_key
     FROM json_each(?) wanted CROSS JOIN memories m ON m.user = ? AND m.content_key = wanted.value
     WHERE ${current} ORDER BY m.key`,
    JSON.stringify([...new Set(facts.contentKeys)]),
    user.key,
    facts.now,
    facts.project,
  )
  const sameSlot = db.all<KnownRow>(
    `SELECT DISTINCT m.current_row AS row, m.content_key
     FROM json_each(?) wanted CROSS JOIN slots t ON t.user = ? AND t.slot = wanted.value AND t.current = 1
       CROSS JOIN memories m ON m.key = t.memory
     WHERE ${current} ORDER BY m.key`,
    JSON.stringify([...new Set(facts.slots)]),
    user.key,
    facts.now,
    facts.project,
  )
  return { revision: user.revision, sameContent: knownMemories(db, sameContent), sameSlot: knownMemories(db, sameSlot) }
}

function knownMemories(db: Database, rows: readonly KnownRow[]): KnownMemory[] {
  const keys = new Map(rows.map((known) => [known.row, known.content_key]))
  return loadMemories(db, [...keys.keys()]).map(({ row, memory }) => ({
    memory,
    contentKey: keys.get(row) ?? '',
    slots: db
      .all<Slot>('SELECT slot, value FROM slots WHERE version = ? ORDER BY slot, value', row)
      .map(({ slot, value }) => ({ slot, value })),
  }))
}

export function expired(
  db: Database,
  scope: Scope,
  now: number,
  limit: number,
): { total: number; memories: ExpiredMemory[] } {
  const within = memoriesIn(db, scope)
  if (!within) return { total: 0, memories: [] }
  const condition = `${within.sql} AND m.expires_at <= ?`
  const counted = db.get<{ total: number }>(
    `SELECT count(*) AS total FROM memories m WHERE ${condition}`,
    ...within.values,
    now,
  )
  const rows = db.all<ExpiredMemory>(
    `SELECT m.id, v.content, m.expires_at AS expiredAt FROM memories m CROSS JOIN versions v ON v.row = m.current_row
     WHERE ${condition} ORDER BY m.expires_at, m.id LIMIT ?`,
    ...within.values,
    now,
    limit,
  )
  return { total: counted?.total ?? 0, memories: rows.map((row) => ({ ...row })) }
}

export function stats(db: Database): StorageStats {
  const counted = db.get<{ users: number; memories: number }>(
    `SELECT (SELECT count(*) FROM memories) AS memories,
       (SELECT count(*) FROM users u WHERE EXISTS (SELECT 1 FROM versions v WHERE v.user = u.key)) AS users`,
  )
  // The size is asked of the file system: opening and closing the file would drop SQLite's locks on it.
  const files = [db.path, `${db.path}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0)
  return {
    users: counted?.users ?? 0,
    memories: counted?.memories ?? 0,
    bytes: files.reduce((sum, size) => sum + size, 0),
  }
}

export function ping(db: Database): void {
  db.get('SELECT 1 FROM users LIMIT 1')
}
