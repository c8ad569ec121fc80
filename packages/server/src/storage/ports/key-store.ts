import type { KeyLimits } from '../../core/key-access.js'

/** API keys, with which callers authenticate. */
export interface KeyStore {
  createKey(key: NewKey): Promise<void>
  /** Includes the hash, for authentication only. */
  findKey(keyId: string): Promise<StoredKey | null>
  /** Newest first. */
  listKeys(userId?: string): Promise<ApiKey[]>
  /** False if there is no such active key. */
  revokeKey(keyId: string, at: number): Promise<boolean>
  touchKeys(uses: readonly KeyUse[]): Promise<void>
}

export interface KeyUse {
  readonly keyId: string
  readonly at: number
}

export interface ApiKey extends KeyLimits {
  readonly id: string
  /** Null: an application key. */
  readonly userId: string | null
  readonly name: string
  /** The first characters of the key, enough to distinguish keys. */
  readonly preview: string
  readonly createdAt: number
  readonly lastUsedAt: number | null
  readonly revokedAt: number | null
}

export interface NewKey extends Omit<ApiKey, 'lastUsedAt' | 'revokedAt'> {
  readonly hash: string
}

export interface StoredKey extends ApiKey {
  readonly hash: string
}

/** A row that is read for an unknown id, so that looking it up takes as long as for a known one. */
export const nobodysRow = {
  id: `key_${'0'.repeat(26)}`,
  user_id: 'nobody',
  name: 'nothing',
  preview: `ksk_${'0'.repeat(26)}_…`,
  hash: `$2b$10$${'.'.repeat(53)}`,
  created_at: 1_700_000_000_000,
  last_used_at: 1_700_000_000_000,
  access: 'full',
}
