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
