import { storable } from '../domain/storable-text.js'
import { type ApiKey, type NewKey, nobodysRow, type StoredKey } from '../ports/key-store.js'
import type { Access } from '../ports/storage.js'
import type { Database } from './database.js'

interface KeyRow {
  readonly id: string
  readonly user_id: string
  readonly name: string
  readonly preview: string
  readonly hash: string
  readonly created_at: number
  readonly last_used_at: number | null
  readonly revoked_at: number | null
}

export function createKey(db: Database, key: NewKey): void {
  db.run(
    'INSERT INTO keys (id, user_id, name, preview, hash, created_at) VALUES (?, ?, ?, ?, ?, ?)',
    key.id,
    storable(key.userId, 'user_id'),
    storable(key.name, 'name'),
    key.preview,
    key.hash,
    key.createdAt,
  )
}

export interface FoundKey {
  readonly isFound: boolean
  readonly key: StoredKey
}

/**
 * A row in any case, so that an unknown id takes as long as a known one: reading a row and passing it between threads
 * is ten microseconds of difference otherwise, and a patient stranger can measure that.
 */
export function findKey(db: Database, keyId: string): FoundKey {
  const { id, user_id, name, preview, hash, created_at, last_used_at } = nobodysRow
  const row = db.get<KeyRow & { readonly found: number }>(
    `SELECT 1 AS found, id, user_id, name, preview, hash, created_at, last_used_at, revoked_at FROM keys WHERE id = ?
     UNION ALL SELECT 0, ?, ?, ?, ?, ?, ?, ?, NULL LIMIT 1`,
    keyId,
    id,
    user_id,
    name,
    preview,
    hash,
    created_at,
    last_used_at,
  )
  if (row === undefined) throw new Error('no row from a query that always has one')
  return { isFound: row.found === 1, key: { ...shown(row), hash: row.hash } }
}

export function listKeys(db: Database, userId?: string): ApiKey[] {
  const rows =
    userId === undefined
      ? db.all<KeyRow>('SELECT * FROM keys ORDER BY created_at DESC, id DESC')
      : db.all<KeyRow>('SELECT * FROM keys WHERE user_id = ? ORDER BY created_at DESC, id DESC', userId)
  return rows.map(shown)
}

export function revokeKey(db: Database, keyId: string, at: number): boolean {
  return db.run('UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL', at, keyId) > 0
}

export function touchKeys(db: Database, uses: readonly { readonly keyId: string; readonly at: number }[]): void {
  for (const { keyId, at } of uses) {
    db.run('UPDATE keys SET last_used_at = max(ifnull(last_used_at, ?), ?) WHERE id = ?', at, at, keyId)
  }
}

/** Uses of memories, kept like uses of keys: counted, and never a reason to fail. */
export function recordAccess(db: Database, accesses: readonly Access[]): void {
  for (const { userId, memoryId, count, at } of accesses) {
    db.run(
      `UPDATE memories SET access_count = access_count + ?, last_accessed = max(ifnull(last_accessed, ?), ?)
       WHERE id = ? AND user = (SELECT key FROM users WHERE id = ?)`,
      count,
      at,
      at,
      memoryId,
      userId,
    )
  }
}

function shown(row: KeyRow): ApiKey {
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    preview: row.preview,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  }
}
