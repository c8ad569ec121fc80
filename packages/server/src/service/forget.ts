import type { Actor } from '../core/actor.js'
import type { Filter } from '../core/filter.js'
import { isId } from '../core/ids.js'
import { timed } from '../core/meter.js'
import { auditedUser, type Scope } from '../core/scope.js'
import type { Deps } from './deps.js'
import { erasedByUser } from './erased-by-user.js'

export type Forgettable =
  | { readonly memoryIds: readonly string[] }
  | { readonly filter: Filter }
  | { readonly all: true }

/** Erases memories and returns their ids. Malformed ids, unknown ids and ids of other users erase nothing. */
export async function forget(deps: Deps, actor: Actor, scope: Scope, what: Forgettable): Promise<string[]> {
  const audit = (userId: string | null, memoryIds: readonly string[], outcome: 'success' | 'failed') =>
    deps.audit.record(
      actor,
      { event: 'memory.forget', user_id: userId, key_id: actor.keyId, memory_ids: memoryIds },
      outcome,
    )
  const target =
    'memoryIds' in what ? { memoryIds: [...new Set(what.memoryIds)].filter((id) => isId('mem', id)) } : what
  try {
    const erased = await timed(deps.meter, 'forget', () => deps.storage.forget(scope, target, deps.clock.now()))
    // Without authentication, one call may name memories of several users: one line per user.
    for (const [userId, memoryIds] of erasedByUser(erased, scope)) audit(userId, memoryIds, 'success')
    return erased.map(({ memoryId }) => memoryId)
  } catch (error) {
    audit(auditedUser(scope), 'memoryIds' in target ? target.memoryIds : [], 'failed')
    throw error
  }
}
