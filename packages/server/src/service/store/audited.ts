import type { Actor } from '../../core/actor.js'
import { ServiceError } from '../../core/errors.js'
import type { UserScope } from '../../core/scope.js'
import { AlreadyAnswered } from '../../storage/ports/answers.js'
import type { Deps } from '../deps.js'
import type { Stored } from './stored.js'

/** Audits a store and its failure. */
export async function audited(
  deps: Deps,
  actor: Actor,
  scope: UserScope,
  work: () => Promise<Stored>,
): Promise<Stored> {
  try {
    const stored = await work()
    auditStore(deps, actor, scope, stored)
    return stored
  } catch (error) {
    auditStore(deps, actor, scope, { error })
    throw error
  }
}

/** One audit line per stored memory. A store without memories has one line too. */
export function auditStore(
  deps: Pick<Deps, 'audit'>,
  actor: Actor,
  scope: UserScope,
  outcome: Pick<Stored, 'memories'> | { readonly error: unknown },
): void {
  const audit = (memoryId: string | null, result: 'success' | 'rejected' | 'failed') =>
    deps.audit.record(
      actor,
      { event: 'memory.store', user_id: scope.userId, key_id: actor.keyId, memory_id: memoryId },
      result,
    )
  if ('memories' in outcome) {
    for (const { id } of outcome.memories) audit(id, 'success')
    if (outcome.memories.length === 0) audit(null, 'success')
    return
  }
  const { error } = outcome
  // The store that was first has written its lines.
  if (error instanceof AlreadyAnswered) return
  audit(null, error instanceof ServiceError && error.code === 'validation_error' ? 'rejected' : 'failed')
}
