import type { Actor } from '../core/actor.js'
import { invalid, notFound, ServiceError } from '../core/errors.js'
import { isId } from '../core/ids.js'
import { auditedUser, type Scope } from '../core/scope.js'
import type { Entity } from '../storage/ports/entities.js'
import type { EntityMerge, Merged } from '../storage/ports/entity-merges.js'
import type { Deps } from './deps.js'
import { findEntity } from './entities.js'

export async function entityMerges(
  deps: Deps,
  scope: Scope,
  entityId: string,
): Promise<{ entity: Entity; merges: EntityMerge[] }> {
  const entity = await findEntity(deps, scope, entityId)
  return { entity, merges: await deps.storage.listMerges(scope, entityId) }
}

type Refused = Extract<Merged, { readonly refused: string }>['refused']

const refusals: Readonly<Record<Refused, string>> = {
  no_entity: 'does not exist',
  no_target: 'must be the id of an entity',
  same: 'is already the same entity',
  other_type: 'must be an entity of the same type',
  other_user: 'must be an entity of the same user',
}

export async function mergeEntity(
  deps: Deps,
  actor: Actor,
  scope: Scope,
  entityId: string,
  intoId: string,
): Promise<EntityMerge> {
  return audited(deps, actor, scope, 'entity.merged', entityId, async () => {
    const { userId } = await findEntity(deps, scope, entityId)
    const asked = { id: deps.ids.next('mrg'), intoId, now: deps.clock.now() }
    const merged = await deps.userLocks.run(userId, () => deps.storage.mergeEntities(scope, entityId, asked))
    if ('merge' in merged) return merged.merge
    if (merged.refused === 'no_entity') throw notFound('Entity')
    throw invalid('into', refusals[merged.refused])
  })
}

export async function revertMerge(deps: Deps, actor: Actor, scope: Scope, mergeId: string): Promise<EntityMerge> {
  return audited(deps, actor, scope, 'entity.split', mergeId, async () => {
    const now = deps.clock.now()
    const merge = isId('mrg', mergeId) ? await deps.storage.revertMerge(scope, mergeId, now) : null
    if (merge === null) throw notFound('Merge')
    return merge
  })
}

async function audited(
  deps: Deps,
  actor: Actor,
  scope: Scope,
  event: 'entity.merged' | 'entity.split',
  id: string,
  work: () => Promise<EntityMerge>,
): Promise<EntityMerge> {
  const audit = (userId: string | null, outcome: 'success' | 'rejected' | 'failed' | 'not_found') =>
    deps.audit.record(actor, { event, user_id: userId, key_id: actor.keyId, id }, outcome)
  try {
    const merge = await work()
    audit(merge.userId, 'success')
    return merge
  } catch (error) {
    const code = error instanceof ServiceError ? error.code : undefined
    audit(auditedUser(scope), code === 'not_found' ? 'not_found' : code === 'validation_error' ? 'rejected' : 'failed')
    throw error
  }
}
