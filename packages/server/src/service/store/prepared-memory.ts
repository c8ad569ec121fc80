import type { StatedFact } from '../../core/fact.js'
import type { Draft } from '../../ingest/reconcile.js'
import type { Tagged } from '../../models/models.js'
import type { SegmentRange } from '../../storage/ports/memory-writes.js'

/** A draft with everything that the store keeps of it. */
export interface PreparedMemory extends Draft {
  readonly id: string
  readonly checksum: string
  readonly segments: SegmentRange
  /** Index of its turn in the request. */
  readonly turn: number
  readonly tagged: Tagged
  readonly vector: Float32Array
  /** The chance that it changes something said before; null: not known. */
  readonly changes: number | null
  readonly facts: readonly StatedFact[]
}
