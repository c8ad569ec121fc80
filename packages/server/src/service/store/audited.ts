import type { Actor } from '../../core/actor.js'
import { ServiceError } from '../../core/errors.js'
import type { UserScope } from '../../core/scope.js'
import { AlreadyAnswered } from '../../storage/ports/answers.js'
import type { Deps } from '../deps.js'
import type { Stored } from './stored.js'

/** One audit line per stored memory. A store without memories has one line too. */
export async function audited(
  deps: Deps,
  actor: Actor,
  scope: UserScope,
  work: () => Promise<Stored>,
): Promise<Stored> {
  const audit = (memoryId: string | null, outcome: 'success' | 'rejected' | 'failed') =>
    deps.audit.record(
      actor,
      { event: 'memory.store', user_id: scope.userId, key_id: actor.keyId, memory_id: memoryId },
      outcome,
    )
  try {
    const stored = await work()
    for (const memory of stored.memories) audit(memory.id, 'success')
    if (stored.memories.length === 0) audit(null, 'success')
    return stored
  } catch (error) {
    // The store that was first has written its lines.
    if (error instanceof AlreadyAnswered) throw error
    audit(null, error instanceof ServiceError && error.code === 'validation_error' ? 'rejected' : 'failed')
    throw error
  }
}
