import type { Actor } from '../../core/actor.js'
import { ServiceError } from '../../core/errors.js'
import type { UserScope } from '../../core/scope.js'
import { AlreadyAnswered } from '../../storage/ports/answers.js'
import type { Deps } from '../deps.js'

/** A line for each memory that was stored, or one that says why none was. */
export async function auditStore<Stored extends { readonly memories: readonly { readonly id: string }[] }>(
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
    return stored
  } catch (error) {
    // Whoever was the first has its line.
    if (error instanceof AlreadyAnswered) throw error
    audit(null, error instanceof ServiceError && error.code === 'validation_error' ? 'rejected' : 'failed')
    throw error
  }
}
