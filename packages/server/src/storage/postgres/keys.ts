import { isStorable, storable } from '../domain/storable-text.js'
import { type ApiKey, type NewKey, nobodysRow, type StoredKey } from '../ports/key-store.js'
import type { Access } from '../ports/storage.js'
import type { Database } from './database.js'
import { UserData } from './user-data.js'

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

export async function createKey(db: Database, key: NewKey): Promise<void> {
  await db.run(
    'INSERT INTO keys (id, user_id, name, preview, hash, created_at) VALUES (?, ?, ?, ?, ?, ?)',
    key.id,
    storable(key.userId, 'user_id'),
    storable(key.name, 'name'),
    key.preview,
    key.hash,
    key.createdAt,
  )
}

/**
 * Reads a row in any case, so that an unknown id takes as long as a known one: the plan is the same, as many bytes come over the
 * wire, and as much is made of them. A patient stranger can measure microseconds.
 */
export async function findKey(db: Database, keyId: string): Promise<StoredKey | null> {
  const { id, user_id, name, preview, hash, created_at, last_used_at } = nobodysRow
  const row = await db.get<KeyRow & { readonly found: boolean }>(
    `SELECT true AS found, id, user_id, name, preview, hash, created_at, last_used_at, revoked_at FROM keys WHERE id = ?
     UNION ALL SELECT false, ?, ?, ?, ?, ?, ?::bigint, ?::bigint, NULL
     ORDER BY found DESC LIMIT 1`,
    // No id of ours: nothing is found under it.
    isStorable(keyId) ? keyId : id,
    id,
    user_id,
    name,
    preview,
    hash,
    created_at,
    last_used_at,
  )
  if (!row) throw new Error('a row is read in any case')
  const key = { ...shown(row), hash: row.hash }
  return row.found ? key : null
}

export async function listKeys(db: Database, userId?: string): Promise<ApiKey[]> {
  if (userId !== undefined && !isStorable(userId)) return []
  const rows =
    userId === undefined
      ? await db.all<KeyRow>('SELECT * FROM keys ORDER BY created_at DESC, id DESC')
      : await db.all<KeyRow>('SELECT * FROM keys WHERE user_id = ? ORDER BY created_at DESC, id DESC', userId)
  return rows.map(shown)
}

export async function revokeKey(db: Database, keyId: string, at: number): Promise<boolean> {
  if (!isStorable(keyId)) return false
  return (await db.run('UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL', at, keyId)) > 0
}

/** In the order of their ids, so that two instances never wait for each other's rows. */
export async function touchKeys(
  db: Database,
  uses: readonly { readonly keyId: string; readonly at: number }[],
): Promise<void> {
  const latest = new Map<string, number>()
  for (const { keyId, at } of uses) {
    if (isStorable(keyId)) latest.set(keyId, Math.max(at, latest.get(keyId) ?? at))
  }
  for (const [keyId, at] of [...latest].sort(([a], [b]) => (a < b ? -1 : 1))) {
    await db.run('UPDATE keys SET last_used_at = greatest(last_used_at, ?) WHERE id = ?', at, keyId)
  }
}

/** Uses of memories, kept like uses of keys: counted, and never a reason to fail. */
export async function recordAccess(db: Database, accesses: readonly Access[]): Promise<void> {
  const byUser = new Map<string, Access[]>()
  for (const access of accesses) {
    if (!isStorable(access.userId) || !isStorable(access.memoryId)) continue
    byUser.set(access.userId, [...(byUser.get(access.userId) ?? []), access])
  }
  for (const [userId, own] of [...byUser].sort(([a], [b]) => (a < b ? -1 : 1))) {
    await db.actAs(userId)
    // Locked in the order of the keys first: two instances may count the same memories.
    await new UserData(db, userId).run(
      `WITH used AS (
         SELECT u.id, sum(u.count)::bigint AS count, max(u.at) AS at
         FROM unnest(?::text[], ?::bigint[], ?::bigint[]) u (id, count, at) GROUP BY u.id
       ), locked AS (
         SELECT m.key, used.count, used.at FROM memories m JOIN used ON used.id = m.id
         WHERE m.user_id = @user ORDER BY m.key FOR NO KEY UPDATE OF m
       ) UPDATE memories m SET access_count = m.access_count + locked.count,
           last_accessed = greatest(m.last_accessed, locked.at)
       FROM locked WHERE m.user_id = @user AND m.key = locked.key`,
      own.map(({ memoryId }) => memoryId),
      own.map(({ count }) => count),
      own.map(({ at }) => at),
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
