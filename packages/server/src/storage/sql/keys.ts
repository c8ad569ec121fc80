/** API keys. The table is keyed by the external user id, because it is read before the user is known. */
import type { KeyAccess } from '../../core/key-access.js'
import { isStorable, storable } from '../domain/storable-text.js'
import { type ApiKey, type KeyUse, type NewKey, nobodysRow, type StoredKey } from '../ports/key-store.js'
import type { FlagColumn } from './columns.js'
import type { Session } from './session.js'

interface KeyRow {
  readonly id: string
  readonly user_id: string
  readonly name: string
  readonly preview: string
  readonly hash: string
  readonly created_at: number
  readonly last_used_at: number | null
  readonly revoked_at: number | null
  readonly access: KeyAccess
  readonly project: string | null
  readonly expires_at: number | null
  readonly user_prefix: string | null
}

/** No user has an empty id, so this is the row of an application key. */
const noUser = ''

export async function createKey(session: Session, key: NewKey): Promise<void> {
  await session.run(
    `INSERT INTO keys (id, user_id, name, preview, hash, created_at, access, project, expires_at, user_prefix)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    key.id,
    storable(key.userId ?? noUser, 'user_id'),
    storable(key.name, 'name'),
    key.preview,
    key.hash,
    key.createdAt,
    key.access,
    key.project === null ? null : storable(key.project, 'project'),
    key.expiresAt,
    key.userPrefix === null ? null : storable(key.userPrefix, 'user_prefix'),
  )
}

export interface FoundKey {
  readonly isFound: boolean
  readonly key: StoredKey
}

/**
 * Always reads a row, so that an unknown id takes as long as a known one: the plan, the number of bytes from the database and the
 * processing are the same. A patient attacker can measure microseconds.
 */
export async function lookUpKey(session: Session, keyId: string): Promise<FoundKey> {
  const { id, user_id, name, preview, hash, created_at, last_used_at, access } = nobodysRow
  const row = await session.get<KeyRow & { readonly found: FlagColumn }>(
    `SELECT TRUE AS found, id, user_id, name, preview, hash, created_at, last_used_at, revoked_at, access, project, expires_at,
            user_prefix
       FROM keys WHERE id = ?
     UNION ALL SELECT FALSE, ?, ?, ?, ?, ?, CAST(? AS bigint), CAST(? AS bigint), NULL, ?, NULL, NULL, NULL
     ORDER BY found DESC LIMIT 1`,
    // Not an id of ours: there is no such row.
    isStorable(keyId) ? keyId : id,
    id,
    user_id,
    name,
    preview,
    hash,
    created_at,
    last_used_at,
    access,
  )
  if (!row) throw new Error('no row from a statement that always returns one')
  return { isFound: Boolean(row.found), key: { ...shown(row), hash: row.hash } }
}

export async function listKeys(session: Session, userId?: string): Promise<ApiKey[]> {
  if (userId !== undefined && !isStorable(userId)) return []
  const rows =
    userId === undefined
      ? await session.all<KeyRow>('SELECT * FROM keys ORDER BY created_at DESC, id DESC')
      : await session.all<KeyRow>('SELECT * FROM keys WHERE user_id = ? ORDER BY created_at DESC, id DESC', userId)
  return rows.map(shown)
}

export async function revokeKey(session: Session, keyId: string, at: number): Promise<boolean> {
  if (!isStorable(keyId)) return false
  return (await session.run('UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL', at, keyId)) > 0
}

/** In the order of their ids, so that two instances never deadlock. */
export async function touchKeys(session: Session, uses: readonly KeyUse[]): Promise<void> {
  const latest = new Map<string, number>()
  for (const { keyId, at } of uses) {
    if (isStorable(keyId)) latest.set(keyId, Math.max(at, latest.get(keyId) ?? at))
  }
  for (const [keyId, at] of [...latest].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const latestUse = `${session.dialect.greatest}(coalesce(last_used_at, 0), ?)`
    await session.run(`UPDATE keys SET last_used_at = ${latestUse} WHERE id = ?`, at, keyId)
  }
}

function shown(row: KeyRow): ApiKey {
  return {
    id: row.id,
    userId: row.user_id === noUser ? null : row.user_id,
    name: row.name,
    preview: row.preview,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
    access: row.access,
    project: row.project,
    expiresAt: row.expires_at,
    userPrefix: row.user_prefix,
  }
}
