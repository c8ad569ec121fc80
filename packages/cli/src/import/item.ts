/** What a reader yields: items to store, and items it left out with the reason. */

export interface ImportMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly createdAt?: string
}

export interface ImportItem {
  readonly kind: 'item'
  /** Human-readable name within the source: `Trip to Rome, part 2`, `notes/rome.md`. */
  readonly name: string
  readonly text: string | readonly ImportMessage[]
  readonly createdAt?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly ttl?: string
  readonly project?: string
  /** The `source` that the service stores. */
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

/** The source can't be read: it is cut off, in the wrong format, or too large. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  /** The user can fix this; no stack trace is needed. */
  readonly operatorMessage = true
}

/** The file is a picture, a program, a document of a word processor, or text in an unknown encoding. */
export class NotTextError extends SourceError {
  constructor() {
    super('it is not text in UTF-8 or UTF-16: convert it to text first')
  }
}

/** The value if it is a JSON object, otherwise an empty object. Foreign data is never trusted to have the expected shape. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  // Safe: an object that is not an array has string keys.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
