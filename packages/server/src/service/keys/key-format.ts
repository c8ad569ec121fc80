/**
 * An API key is `ksk_<id>_<secret>`: the id (as in `key_<id>`) finds one row, and the secret proves that the caller owns the key.
 * Only the secret is hashed: bcrypt reads at most 72 bytes, and a whole key has 74, so its last bytes would be ignored.
 */
import bcrypt from 'bcrypt'

export const bcryptCost = 10

const base32Id = '[0-7][0-9a-hjkmnp-tv-z]{25}'
/** 32 bytes in base64url without padding are 43 characters. */
const keyPattern = new RegExp(`^ksk_(${base32Id})_([A-Za-z0-9_-]{43})$`)
const keyFrontPattern = new RegExp(`^ksk_(${base32Id})_`)

export function formatKey(keyId: string, secret: string): string {
  return `ksk_${keyId.replace(/^key_/, '')}_${secret}`
}

/** Null for anything that `formatKey` cannot have produced. */
export function parseKey(presented: string): { readonly keyId: string; readonly secret: string } | null {
  const [, id, secret] = keyPattern.exec(presented) ?? []
  return id === undefined || secret === undefined ? null : { keyId: `key_${id}`, secret }
}

/** The id of the key that a caller claims to have, for the audit log, even if the key is cut off or mistyped. */
export function claimedKeyId(presented: string): string | null {
  const id = keyFrontPattern.exec(presented)?.[1]
  return id === undefined ? null : `key_${id}`
}

export async function hashSecret(secret: string, cost = bcryptCost): Promise<string> {
  return bcrypt.hash(secret, cost)
}
