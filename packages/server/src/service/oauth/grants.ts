import type { Actor } from '../../core/actor.js'
import { notFound } from '../../core/errors.js'
import { isId } from '../../core/ids.js'
import { auditedUser, type Scope } from '../../core/scope.js'
import type { Grant } from '../../storage/ports/grant-store.js'
import type { Deps } from '../deps.js'

export async function listGrants(deps: Deps, scope: Scope): Promise<Grant[]> {
  await deps.oauth?.settle()
  return deps.storage.listGrants(scope)
}

/** Returns when it was revoked. Its tokens stop working at once. An unknown or ended grant is not found. */
export async function revokeGrant(deps: Deps, actor: Actor, scope: Scope, grantId: string): Promise<number> {
  const at = deps.clock.now()
  const isRevoked = isId('grt', grantId) && (await deps.storage.revokeGrant(scope, grantId, at))
  const event = {
    event: 'grant.revoked',
    grant_id: grantId.slice(0, 64),
    user_id: auditedUser(scope),
    key_id: actor.keyId,
  } as const
  deps.audit.record(actor, event, isRevoked ? 'success' : 'not_found')
  if (!isRevoked) throw notFound('Grant')
  return at
}
