import type { Actor } from '../core/actor.js'
import { isId } from '../core/ids.js'
import { timed } from '../core/meter.js'
import type { Scope } from '../core/scope.js'
import type { Deps } from './deps.js'

export type Forgettable = { readonly memoryIds: readonly string[] } | { readonly all: true }

/** Erases; the ids of what is gone. Ids of a wrong shape, unknown or of another user delete nothing. */
export async function forget(deps: Deps, actor: Actor, scope: Scope, what: Forgettable): Promise<string[]> {
  const userId = scope.kind === 'user' ? scope.userId : null
  const audit = (memoryIds: readonly string[], outcome: 'success' | 'failed') =>
    deps.audit.record(
      actor,
      { event: 'memory.forget', user_id: userId, key_id: actor.keyId, memory_ids: memoryIds },
      outcome,
    )
  const target = 'all' in what ? what : { memoryIds: [...new Set(what.memoryIds)].filter((id) => isId('mem', id)) }
  try {
    const erased = await timed(deps.meter, 'forget', () => deps.storage.forget(scope, target))
    audit(erased, 'success')
    return erased
  } catch (error) {
    audit('all' in target ? [] : target.memoryIds, 'failed')
    throw error
  }
}
