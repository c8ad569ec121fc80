import { randomBytes } from 'node:crypto'
import type { Actor } from '../../core/actor.js'
import { invalid, notFound } from '../../core/errors.js'
import { isId } from '../../core/ids.js'
import { isSpaceId } from '../../core/space.js'
import type { ApiKey } from '../../storage/ports/key-store.js'
import type { Deps } from '../deps.js'
import { formatKey } from './key-format.js'

export interface CreatedKey {
  readonly id: string
  /** The full key: shown only once, never stored. */
  readonly key: string
  readonly userId: string
  readonly name: string
  readonly createdAt: number
}

export async function createKey(
  deps: Deps,
  actor: Actor,
  owner: { readonly userId: string; readonly name: string },
): Promise<CreatedKey> {
  // A key for it would be a grant that nobody can see.
  if (isSpaceId(owner.userId)) throw invalid('user_id', 'must not be the id of a space')
  const id = deps.ids.next('key')
  const secret = randomBytes(32).toString('base64url')
  const key = formatKey(id, secret)
  const createdAt = deps.clock.now()
  // The id identifies the key; the preview reveals nothing of the secret.
  const preview = `${formatKey(id, '')}…`
  await deps.storage.createKey({ id, ...owner, preview, createdAt, hash: await deps.keyVerifier.hash(secret) })
  deps.audit.record(actor, { event: 'key.created', key_id: id, user_id: owner.userId }, 'success')
  return { id, key, ...owner, createdAt }
}

export async function listKeys(deps: Deps, userId?: string): Promise<ApiKey[]> {
  await deps.keyVerifier.settle()
  return deps.storage.listKeys(userId)
}

/** Returns when it was revoked. The key stops working at once. An unknown or already revoked key is not found. */
export async function revokeKey(deps: Deps, actor: Actor, keyId: string): Promise<number> {
  const at = deps.clock.now()
  const revoked = isId('key', keyId) && (await deps.storage.revokeKey(keyId, at))
  deps.audit.record(actor, { event: 'key.revoked', key_id: keyId.slice(0, 64) }, revoked ? 'success' : 'not_found')
  if (!revoked) throw notFound('Key')
  return at
}
