/**
 * The part of the seam that keeps what happened to memories, by user: written in the transaction of the change itself, so
 * that nothing acknowledged is missing, and read by whoever follows. It holds ids, times, projects and checksums; what is
 * erased leaves nothing in it but the ids that were erased.
 */
import type { EventMark, MemoryEvent } from '../../core/memory-event.js'
import type { NobodyScope, Scope, UserScope } from '../../core/scope.js'

/** A user's log holds no more than this; the oldest leave first, up to a revision's border. */
export const mostEventsKept = 10_000
/** How many writes of a user apart the number is looked at. */
export const revisionsBetweenTrims = 256

export interface EventLog {
  /** Events after a mark (null: all that are kept), oldest first. With a project: of that project, and what was forgotten. */
  events(scope: UserScope | NobodyScope, after: EventMark | null, limit: number): Promise<EventSlice>
  /** The revision of each of these users; 0 for those who have none. Tells nothing else about them. */
  revisionsOf(userIds: readonly string[]): Promise<number[]>
  /** Users with memories that expired after `since`, up to `now`, and were not told of yet. */
  usersToTellOfExpiry(scope: Scope, since: number, now: number): Promise<string[]>
  /** Writes an event for each memory of the user that has expired since it was asked last; their number. Each expiry once. */
  tellOfExpiry(scope: UserScope, now: number): Promise<number>
  /** Drops events older than `before`; their number. */
  trimEvents(scope: Scope, before: number): Promise<number>
}

export interface EventSlice {
  readonly events: readonly MemoryEvent[]
  /** Pass it as `after` next time. */
  readonly mark: EventMark
  /** False: this slice reaches the end of the log. */
  readonly more: boolean
  /** Where the log begins, if something between `after` and there is not kept any more. */
  readonly missedUpTo: EventMark | null
}
