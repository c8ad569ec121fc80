/** What a reader of a foreign format yields: requests to store, and what it left out and why. */

export interface ImportMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly createdAt?: string
}

export interface ImportItem {
  readonly kind: 'item'
  /** Names it within its source, for people: `Trip to Rome, part 2`, `notes/rome.md`. */
  readonly name: string
  readonly text: string | readonly ImportMessage[]
  readonly createdAt?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly ttl?: string
  readonly project?: string
  /** Where it comes from, as the service keeps it. */
  readonly source: string
}

export interface LeftOut {
  readonly kind: 'left-out'
  readonly name: string
  readonly reason: string
}

export type Read = ImportItem | LeftOut

export function leftOut(name: string, reason: string): LeftOut {
  return { kind: 'left-out', name, reason }
}

/** A source that can't be read on: cut off, not of its format, or larger than what can be held. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  /** The person who has the file can mend it, and needs no stack for that. */
  readonly operatorMessage = true
}

/** An object of JSON, or nothing of it: what others wrote is never trusted to be what it should. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  // Checked by the line itself: an object that is no array has string keys.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
