/** Column values that the drivers return in different forms. */
import type { EventTime } from '../../core/event-time.js'
import type { OutdatedPart } from '../../core/outdated.js'

/** A column of type `text[]`: PostgreSQL's driver returns a list, SQLite stores it as JSON. */
export type TextsColumn = string | readonly string[]

export function textsOf(column: TextsColumn): readonly string[] {
  // `send` wrote it from an array, which the SQLite session binds as JSON.
  return typeof column === 'string' ? (JSON.parse(column) as string[]) : column
}

/** A column of type `boolean`: SQLite stores 0 and 1. */
export type FlagColumn = boolean | 0 | 1

/** The column `versions.outdated`, as JSON text: null if nothing is outdated. */
export type OutdatedColumn = string | null

export function outdatedOf(column: OutdatedColumn): readonly OutdatedPart[] {
  // `outdatedJson` wrote it, or an import that checked it.
  return column === null ? [] : (JSON.parse(column) as OutdatedPart[])
}

export function outdatedJson(parts: readonly OutdatedPart[]): OutdatedColumn {
  if (parts.length === 0) return null
  return JSON.stringify(parts.map(({ start, end, since, by }) => ({ start, end, since, by })))
}

export interface EventColumns {
  readonly event_from: number | null
  readonly event_to: number | null
}

export function eventOf({ event_from: from, event_to: to }: EventColumns): EventTime | null {
  return from === null || to === null ? null : { from, to }
}
