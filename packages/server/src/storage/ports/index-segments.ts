/**
 * Stored pieces of the search index, so that a user's index can be loaded without reading, cutting and encoding every text again.
 * A segment is derived from the changes between two marks. Losing one costs time, never data: `IndexFeed.changes` has the same
 * versions. Storage does not look inside the bytes.
 */
import type { UserScope } from '../../core/scope.js'
import type { ChangeMark } from './index-feed.js'

export interface IndexSegments {
  /**
   * Segments of this kind that begin at or after `from`, in order, at most `limit`. A segment is gone with the first of its versions,
   * so none holds anything of an erased version.
   */
  segments(scope: UserScope, kind: SegmentKind, from: ChangeMark, limit: number): Promise<SegmentPage>
  /** The last `limit` segments of this kind that begin before `before`, or the very last ones without it; also in order. */
  segmentsBefore(
    scope: UserScope,
    kind: SegmentKind,
    before: ChangeMark | undefined,
    limit: number,
  ): Promise<SegmentPage>
  /** All spans in order, without bytes. */
  segmentSpans(scope: UserScope, kind: SegmentKind): Promise<SegmentSpan[]>
  /**
   * False: not kept, because a version in it was erased meanwhile, or there is a segment from this mark already. Segments of other
   * kinds are removed.
   */
  saveSegment(scope: UserScope, kind: SegmentKind, segment: NewSegment): Promise<boolean>
  /** Removes the segment that begins at this mark, or all of them. */
  dropSegments(scope: UserScope, from: ChangeMark | 'all'): Promise<void>
}

/** Only segments of the same kind can be used together. */
export interface SegmentKind {
  readonly modelId: string
  /** Changes with the form of the bytes, and with the way in which texts become words. */
  readonly format: number
}

export interface SegmentSpan {
  /** Exclusive. */
  readonly from: ChangeMark
  /** Inclusive. */
  readonly to: ChangeMark
  readonly versions: number
  readonly seed: number
}

export interface NewSegment extends Omit<SegmentSpan, 'versions'> {
  /** The rows of the versions in it. */
  readonly rows: readonly number[]
  readonly bytes: Uint8Array
}

export interface SegmentPage {
  /** The user's revision at the moment of this read. */
  readonly revision: number
  /** How many memories the user has. There may be several versions of each. */
  readonly memories: number
  readonly spans: readonly SegmentSpan[]
  /** The bytes of all of them. Each begins at a multiple of eight. */
  readonly bytes: Uint8Array
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}
