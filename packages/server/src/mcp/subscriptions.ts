/** Subscriptions to resources: which addresses can be followed, and how changes of memories become notifications. */
import type { ServerEvent } from '@modelcontextprotocol/server'
import { invalid } from '../core/errors.js'
import { groupedDigits } from '../core/grouped-digits.js'
import type { Fields, Follower } from './operations.js'
import { canFollow, changedWith } from './resources.js'

export const listenMethod = 'subscriptions/listen'
export const mostSubscriptions = 1_000
/** How long a follower waits before it looks again. */
const patienceMs = 60_000

export function methodOf(message: unknown): unknown {
  return fieldsOf(message).method
}

/**
 * A request to listen, without the addresses that are never announced, so that its acknowledgement says what will be. Anything that is
 * not valid stays, for the SDK to refuse.
 */
export function withoutUnannounced(message: unknown): unknown {
  const params = fieldsOf(fieldsOf(message).params)
  const notifications = fieldsOf(params.notifications)
  const { resourceSubscriptions: asked } = notifications
  if (!Array.isArray(asked)) return message
  const resourceSubscriptions = asked.filter((uri) => typeof uri !== 'string' || canFollow(uri))
  return { ...fieldsOf(message), params: { ...params, notifications: { ...notifications, resourceSubscriptions } } }
}

/** @throws ServiceError for more addresses than a client needs. */
export function requireFew(message: unknown): void {
  const { resourceSubscriptions } = fieldsOf(fieldsOf(fieldsOf(message).params).notifications)
  if (Array.isArray(resourceSubscriptions)) requireAtMost(resourceSubscriptions.length)
}

export function requireAtMost(count: number): void {
  if (count <= mostSubscriptions) return
  throw invalid('resourceSubscriptions', `at most ${groupedDigits(mostSubscriptions)} addresses can be followed`)
}

/** Whether a request to listen asks for anything that can change. */
export function wantsChanges(message: unknown): boolean {
  const { resourcesListChanged, resourceSubscriptions } = fieldsOf(fieldsOf(fieldsOf(message).params).notifications)
  return resourcesListChanged === true || (Array.isArray(resourceSubscriptions) && resourceSubscriptions.length > 0)
}

/**
 * Publishes changes until the follower is closed. Several changes that wait for a slow reader become one notification per resource.
 * `isTaken` resolves when the reader has taken everything so far, to false if it takes too long.
 */
export async function publishChanges(
  follower: Follower,
  publish: (event: ServerEvent) => void,
  isTaken: () => Promise<boolean> = async () => true,
): Promise<void> {
  for (;;) {
    const followed = await follower.next(patienceMs)
    if (followed.kind === 'closed') return
    if (followed.kind === 'quiet') continue
    publish({ kind: 'resources_list_changed' })
    for (const uri of changedWith(followed.memoryIds)) publish({ kind: 'resource_updated', uri })
    if (!(await isTaken())) follower.close()
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
