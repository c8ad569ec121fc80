/** Loads what is stored of a user's index. The feed has the rest: the changes between segments, and after the last one. */
import type { ChangeMark } from '../../storage/ports/index-feed.js'
import type { SegmentPage } from '../../storage/ports/index-segments.js'
import type { StoredSegments } from './index-messages.js'
import { isBefore } from './segment-keeper.js'

/** About three megabytes. */
const segmentsAtOnce = 32

/** How far an index has been loaded. */
interface LoadState {
  /** It has everything up to here. */
  mark: ChangeMark
  /** Of its words. */
  seed: number | undefined
}

interface LoadSteps {
  /** Reads from the feed. Moves the mark, at most to `until`. */
  readRows(until: ChangeMark): Promise<void>
  /** Returns how many of them could be added. */
  restore(stored: StoredSegments): Promise<number>
}

/** Returns the mark at which a damaged segment begins, if there is one. Nothing after it is loaded. */
export async function loadSegments(
  read: (from: ChangeMark, limit: number) => Promise<SegmentPage>,
  index: LoadState,
  steps: LoadSteps,
): Promise<ChangeMark | undefined> {
  let page = await read(index.mark, segmentsAtOnce)
  const { revision } = page
  index.seed = page.spans[0]?.seed
  for (;;) {
    const last = page.spans.at(-1)
    const next = last && page.spans.length === segmentsAtOnce ? read(last.to, segmentsAtOnce) : undefined
    // Awaited below. Until then, a failure must not end the process.
    next?.catch(() => undefined)
    for (const { from, ends, stored } of runsOf(page, index.mark, revision, index.seed)) {
      while (isBefore(index.mark, from)) await steps.readRows(from)
      const restored = await steps.restore(stored)
      index.mark = ends[restored - 1] ?? index.mark
      if (restored < ends.length) return index.mark
    }
    if (!next) return undefined
    page = await next
  }
}

/** Segments that follow each other without a gap. */
interface SegmentRun {
  readonly from: ChangeMark
  readonly ends: readonly ChangeMark[]
  readonly stored: StoredSegments
}

/**
 * `revision`: of the user when loading began. A later segment is left out: between two reads, a version in a segment that was read
 * before may have been erased, and the changes after the last segment must tell.
 */
function runsOf(page: SegmentPage, mark: ChangeMark, revision: number, seed: number | undefined): SegmentRun[] {
  const runs: { from: ChangeMark; to: ChangeMark; first: number; end: number }[] = []
  let to = mark
  for (const [place, span] of page.spans.entries()) {
    const fits = span.seed === seed && span.to.revision <= revision && !isBefore(span.from, to)
    if (!fits) continue
    const last = runs.at(-1)
    if (last && last.end === place && !isBefore(to, span.from)) {
      last.end = place + 1
      last.to = span.to
    } else runs.push({ from: span.from, to: span.to, first: place, end: place + 1 })
    to = span.to
  }
  return runs.map(({ from, first, end }) => ({
    from,
    ends: page.spans.slice(first, end).map((span) => span.to),
    stored: partOf(page, first, end),
  }))
}

/** In a buffer of its own, which can be moved to another thread. */
export function partOf({ bytes, starts, ends }: SegmentPage, first: number, end: number): StoredSegments {
  if (end - first === starts.length) return { bytes, starts, ends }
  const begin = starts[first] ?? 0
  const rebased = (places: readonly number[]) => places.slice(first, end).map((place) => place - begin)
  return { bytes: bytes.slice(begin, ends[end - 1]), starts: rebased(starts), ends: rebased(ends) }
}
