import type { Metadata } from '../../core/memory.js'
import type { Ttl } from '../../core/ttl.js'
import type { SubmittedText } from '../../ingest/divide.js'

export interface StoreInput {
  readonly text: SubmittedText
  readonly metadata: Metadata
  readonly ttl: Ttl | undefined
  /** When it was said, for an import of the past. A TTL counts from then. */
  readonly createdAt: number | undefined
  readonly source: string | undefined
}
