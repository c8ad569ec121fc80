/** Follows a user's memories for MCP, with the rules and limits of `GET /events`. */
import type { Actor } from '../../core/actor.js'
import { unavailable } from '../../core/errors.js'
import { auditedUser } from '../../core/scope.js'
import { type Caller, scopeForOneUser } from '../access/caller-scope.js'
import { requirePermission } from '../access/key-permission.js'
import { actingFor } from '../access/named-user.js'
import type { HttpOptions } from '../options.js'
import { countedAs, eventsEndpoint } from '../routes/events.js'
import type { Follower } from './mcp-handler.js'

/** `user` is whom a caller without a key means. @throws ServiceError */
export async function followMemories(
  { deps, live, metrics }: Pick<HttpOptions, 'deps' | 'live' | 'metrics'>,
  caller: Caller,
  actor: Actor,
  user: string | undefined,
): Promise<Follower> {
  requirePermission(deps, caller, eventsEndpoint, actor)
  // A subscription names no user, so an application key gets the error that resources give it.
  const scope = scopeForOneUser(actingFor(caller, undefined), user)
  if (live === undefined) throw unavailable('Changes cannot be followed here')
  const stream = await live.streams.open({
    scope,
    after: null,
    countedAs: countedAs(caller, user),
    keyId: actor.keyId,
  })
  const event = { event: 'events.opened', user_id: auditedUser(scope), key_id: actor.keyId } as const
  deps.audit.record(actor, event, scope.kind === 'user' ? 'success' : 'not_found')
  let isCounted = false
  return {
    async next(patienceMs) {
      const fed = await stream.next(patienceMs)
      if (fed.kind === 'closed' && !isCounted) {
        isCounted = true
        metrics.streamClosed(fed.reason)
      }
      if (fed.kind !== 'events') return { kind: fed.kind }
      metrics.eventsSent('stream', fed.slice.events.length)
      const memoryIds = fed.slice.events.flatMap(({ memoryId }) => memoryId ?? [])
      // Items are no resources.
      return memoryIds.length > 0 || fed.slice.missedUpTo ? { kind: 'changed', memoryIds } : { kind: 'quiet' }
    },
    close: () => stream.close('gone'),
  }
}
