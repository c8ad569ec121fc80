import type { ItemPlace } from './item.js'

/**
 * Changes of memories and items as events: ids, names and times, never content. The mark identifies an event: the revision of its user that it
 * belongs to, and its position among the events of that revision.
 */
export const eventTypes = [
  'memory.stored',
  'memory.updated',
  'memory.superseded',
  'memory.outdated',
  'memory.restored',
  'memory.expired',
  'memory.forgotten',
  'item.put',
  'item.deleted',
] as const
export type EventType = (typeof eventTypes)[number]

export const eventActions = ['ADD', 'UPDATE', 'SUPERSEDE', 'OUTDATE', 'RESTORE', 'EXPIRE', 'FORGET', 'CLEANUP'] as const
export type EventAction = (typeof eventActions)[number]

export interface EventMark {
  readonly revision: number
  readonly position: number
}

/** The project of the event is part of its place. */
export interface EventItem extends ItemPlace {
  /** Null: it was deleted. */
  readonly version: number | null
}

export interface MemoryEvent {
  readonly mark: EventMark
  readonly userId: string
  readonly type: EventType
  readonly action: EventAction
  /** Null: the event is about items. */
  readonly memoryId: string | null
  /** Null: the event is about a memory, or about all items that were erased with everything else. */
  readonly item: EventItem | null
  /** Also null for a forgotten memory: its project was erased with it. */
  readonly project: string | null
  /** Of the content after the event; null where there is none. */
  readonly checksum: string | null
  /** The memories that it supersedes, or the one that superseded it or made a part of it outdated. */
  readonly relatedIds: readonly string[]
  readonly at: number
}

/** Larger than any position within a revision. */
const lastPosition = 2 ** 31 - 1

/** The mark after all events of a revision. */
export function endOf(revision: number): EventMark {
  return { revision, position: lastPosition }
}

export function isBefore(a: EventMark, b: EventMark): boolean {
  return a.revision < b.revision || (a.revision === b.revision && a.position < b.position)
}

/** `17-0` for an event, `17` for the end of a revision. */
export function eventIdOf({ revision, position }: EventMark): string {
  return position === lastPosition ? String(revision) : `${revision}-${position}`
}

export function readEventId(text: string): EventMark | undefined {
  const [, revision, position] = /^(\d{1,15})(?:-(\d{1,9}))?$/.exec(text) ?? []
  if (revision === undefined) return undefined
  return position === undefined ? endOf(Number(revision)) : { revision: Number(revision), position: Number(position) }
}
