/**
 * The part of the storage port that records changes to memories and items, per user. Each event is written in the transaction of
 * its change, so no acknowledged change is missing. The log holds ids, times, projects, checksums, and the names of items; of an
 * erased memory it keeps only the id, of a deleted item its names, and of a user whose data was erased no names.
 */
import type { EventMark, MemoryEvent } from '../../core/memory-event.js'
import type { NobodyScope, Scope, UserScope } from '../../core/scope.js'

/** A user's log has at most this many events; the oldest are dropped first, whole revisions at a time. */
export const mostEventsKept = 10_000
/** How often the number of events is checked: once per this many writes of a user. */
export const revisionsBetweenTrims = 256

export interface EventLog {
  /** Events after a mark (null: all), oldest first. With a project: those of the project, all forgotten memories, and items erased with everything. */
  events(scope: UserScope | NobodyScope, after: EventMark | null, limit: number): Promise<EventSlice>
  /** The revision of each of these users, 0 for unknown ones. Reveals nothing else about them. */
  revisionsOf(userIds: readonly string[]): Promise<number[]>
  /** Users with memories that expired after `since`, up to `now`, and have no event for it yet. */
  usersToTellOfExpiry(scope: Scope, since: number, now: number): Promise<string[]>
  /** Writes an event for each memory of the user that expired since the last call, once each; returns how many. */
  tellOfExpiry(scope: UserScope, now: number): Promise<number>
  /** Drops events older than `before`; returns how many. */
  trimEvents(scope: Scope, before: number): Promise<number>
}

export interface EventSlice {
  readonly events: readonly MemoryEvent[]
  /** Pass it as `after` next time. */
  readonly mark: EventMark
  /** False: this slice reaches the end of the log. */
  readonly more: boolean
  /** Where the log begins, if events between `after` and there are no longer kept. */
  readonly missedUpTo: EventMark | null
}
