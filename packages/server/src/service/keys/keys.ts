import { randomBytes } from 'node:crypto'
import type { Actor } from '../../core/actor.js'
import { isoTimestamp } from '../../core/clock.js'
import { invalid, notFound } from '../../core/errors.js'
import { isId } from '../../core/ids.js'
import type { KeyLimits } from '../../core/key-access.js'
import { isSpaceId } from '../../core/space.js'
import type { ApiKey } from '../../storage/ports/key-store.js'
import type { Deps } from '../deps.js'
import { formatKey } from './key-format.js'

export interface CreatedKey extends KeyLimits {
  readonly id: string
  /** The full key: shown only once, never stored. */
  readonly key: string
  /** Null: an application key. */
  readonly userId: string | null
  readonly name: string
  readonly createdAt: number
}

export async function createKey(
  deps: Deps,
  actor: Actor,
  wanted: KeyLimits & { readonly userId: string | null; readonly name: string },
): Promise<CreatedKey> {
  // A key for it would be a grant that nobody can see.
  if (wanted.userId !== null && isSpaceId(wanted.userId)) throw invalid('user_id', 'must not be the id of a space')
  const id = deps.ids.next('key')
  const secret = randomBytes(32).toString('base64url')
  const key = formatKey(id, secret)
  const createdAt = deps.clock.now()
  const { userId, userPrefix, access, project, expiresAt } = wanted
  if (expiresAt !== null && expiresAt <= createdAt) throw invalid('expires_at', 'must be in the future')
  // The id identifies the key; the preview reveals nothing of the secret.
  const preview = `${formatKey(id, '')}…`
  await deps.storage.createKey({ id, ...wanted, preview, createdAt, hash: await deps.keyVerifier.hash(secret) })
  const until = expiresAt === null ? null : isoTimestamp(expiresAt)
  const reach = userPrefix === null ? {} : { user_prefix: userPrefix }
  const limits = { access, one_project: project !== null, expires_at: until, ...reach }
  deps.audit.record(actor, { event: 'key.created', key_id: id, user_id: userId, ...limits }, 'success')
  return { id, key, ...wanted, createdAt }
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
