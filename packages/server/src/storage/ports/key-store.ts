/** Keys that callers show at the door. */
export interface KeyStore {
  createKey(key: NewKey): Promise<void>
  /** With its hash, for authentication alone. */
  findKey(keyId: string): Promise<StoredKey | null>
  /** Newest first. */
  listKeys(userId?: string): Promise<ApiKey[]>
  /** False when there is no such active key. */
  revokeKey(keyId: string, at: number): Promise<boolean>
  touchKeys(uses: readonly { readonly keyId: string; readonly at: number }[]): Promise<void>
}

export interface ApiKey {
  readonly id: string
  readonly userId: string
  readonly name: string
  /** The first characters of the key, enough to tell keys apart. */
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

/** What engines read for an unknown id: a row like any other. */
export const nobodysRow = {
  id: `key_${'0'.repeat(26)}`,
  user_id: 'nobody',
  name: 'nothing',
  preview: `ksk_${'0'.repeat(26)}_…`,
  hash: `$2b$10$${'.'.repeat(53)}`,
  created_at: 1_700_000_000_000,
  last_used_at: 1_700_000_000_000,
}
