import type { Metadata } from '../../core/memory.js'
import type { RedactedKind } from '../../core/redacted-kind.js'
import type { Ttl } from '../../core/ttl.js'
import type { SubmittedText } from '../../ingest/turns.js'

export interface StoreInput {
  readonly text: SubmittedText
  readonly metadata: Metadata
  readonly ttl: Ttl | undefined
  /** When it was said, for an import of the past. A TTL counts from then. */
  readonly createdAt: number | undefined
  readonly source: string | undefined
  /** Turns with the same id belong to one conversation; by default those with the same source. */
  readonly conversationId?: string | undefined
  /** Everything that the assistant says becomes memories, not only what is worth remembering. */
  readonly remembersAssistant?: boolean | undefined
  /** The secrets that were removed from it. */
  readonly redacted?: readonly RedactedKind[] | undefined
}
