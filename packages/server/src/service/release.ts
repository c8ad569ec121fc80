import type { Actor } from '../core/actor.js'
import { notFound, ServiceError } from '../core/errors.js'
import type { Memory } from '../core/memory.js'
import { timed } from '../core/meter.js'
import { auditedUser, type Scope } from '../core/scope.js'
import type { Deps } from './deps.js'
import { findCurrent } from './update.js'

/** A person has read it and vouches for it. */
const released = { trustScore: 1, flagged: false }

/** Makes a flagged memory an ordinary one, in a new version. A repeated call changes nothing and returns the same memory. */
export async function release(deps: Deps, actor: Actor, scope: Scope, memoryId: string): Promise<Memory> {
  const audit = (userId: string | null, outcome: 'success' | 'failed' | 'not_found') =>
    deps.audit.record(
      actor,
      { event: 'memory.release', user_id: userId, key_id: actor.keyId, memory_id: memoryId },
      outcome,
    )
  try {
    // The response includes the access count, so pending accesses are written first.
    await deps.accesses.settle()
    const { userId } = await findCurrent(deps, scope, memoryId)
    // Under the user's lock, so that no store or update decides about the same memory.
    const memory = await deps.userLocks.run(userId, async () => {
      const before = await findCurrent(deps, scope, memoryId)
      if (!before.flagged) return before
      const change = { now: deps.clock.now(), trust: released }
      return timed(deps.meter, 'commit', () => deps.storage.update(scope, memoryId, change))
    })
    if (memory === null) throw notFound('Memory')
    audit(userId, 'success')
    return memory
  } catch (error) {
    const isUnknown = error instanceof ServiceError && error.code === 'not_found'
    audit(auditedUser(scope), isUnknown ? 'not_found' : 'failed')
    throw error
  }
}
