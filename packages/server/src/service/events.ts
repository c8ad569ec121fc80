import type { EventMark } from '../core/memory-event.js'
import type { NobodyScope, UserScope } from '../core/scope.js'
import type { EventSlice } from '../storage/ports/event-log.js'
import type { Deps } from './deps.js'

/** The events after a mark. Memories that have expired in the meantime get their events first. */
export async function readEvents(
  deps: Pick<Deps, 'storage' | 'clock'>,
  scope: UserScope | NobodyScope,
  after: EventMark | null,
  limit: number,
): Promise<EventSlice> {
  const now = deps.clock.now()
  if (scope.kind === 'user' && (await deps.storage.usersToTellOfExpiry(scope, 0, now)).length > 0) {
    await deps.storage.tellOfExpiry({ kind: 'user', userId: scope.userId }, now)
  }
  return deps.storage.events(scope, after, limit)
}
