/** Visits all that a user has from the newest version to the oldest: stored segments, and rows where there are none. */
import type { ChangeMark } from '../../storage/ports/index-feed.js'
import type { SegmentPage } from '../../storage/ports/index-segments.js'
import type { StoredSegments } from './index-messages.js'
import { isBefore } from './segment-keeper.js'
import { partOf } from './segment-loader.js'

const beginning: ChangeMark = { revision: 0, row: 0 }

export interface WalkSteps {
  /** How many segments a page has, unless there are no more. */
  readonly pageSegments: number
  /** The page before this mark; without it, the last one. */
  page(before: ChangeMark | undefined): Promise<SegmentPage>
  /** Visits the rows that changed after `since` and up to `until`; without it, up to now. */
  rows(since: ChangeMark, until: ChangeMark | undefined): Promise<void>
  /** Visits segments, the last of them first. Returns how many could be read. */
  segments(stored: StoredSegments, seeds: readonly number[]): Promise<number>
  /** The segment that begins here cannot be read. Its rows are visited next. */
  damaged(from: ChangeMark): Promise<void>
}

export async function walkBack(steps: WalkSteps): Promise<void> {
  let page = await steps.page(undefined)
  /** Everything after it has been visited. Undefined: nothing has. */
  let visited: ChangeMark | undefined
  for (;;) {
    const oldest = page.spans[0]
    const next = oldest && page.spans.length === steps.pageSegments ? steps.page(oldest.from) : undefined
    // Awaited below. Until then, a failure must not end the process.
    next?.catch(() => undefined)
    let damagedFrom: ChangeMark | undefined
    for (const run of runsBefore(page, visited)) {
      if (visited === undefined || isBefore(run.to, visited)) await steps.rows(run.to, visited)
      const read = await steps.segments(run.stored, run.seeds)
      visited = run.froms[run.froms.length - read] ?? run.to
      damagedFrom = run.froms[run.froms.length - read - 1]
      if (damagedFrom) break
    }
    if (damagedFrom) {
      await steps.damaged(damagedFrom)
      // The segment may still be there if it could not be removed, so its rows are visited here.
      await steps.rows(damagedFrom, visited)
      visited = damagedFrom
      page = await steps.page(visited)
    } else if (next) page = await next
    else break
  }
  if (visited === undefined || isBefore(beginning, visited)) await steps.rows(beginning, visited)
}

/** Segments that follow each other without a gap. */
interface SegmentRun {
  readonly froms: readonly ChangeMark[]
  readonly to: ChangeMark
  readonly stored: StoredSegments
  readonly seeds: readonly number[]
}

/** The runs of a page, the last one first, without what has been visited. */
function runsBefore(page: SegmentPage, visited: ChangeMark | undefined): SegmentRun[] {
  const runs: SegmentRun[] = []
  const { spans } = page
  for (let end = spans.length, before = visited; end > 0; ) {
    const last = spans[end - 1]
    if (!last) break
    // It overlaps what has been visited, as only a damaged store has it.
    if (before && isBefore(before, last.to)) {
      end -= 1
      continue
    }
    let first = end - 1
    while (first > 0 && isSame(spans[first - 1]?.to, spans[first]?.from)) first -= 1
    const chosen = spans.slice(first, end)
    runs.push({
      froms: chosen.map(({ from }) => from),
      to: last.to,
      stored: partOf(page, first, end),
      seeds: chosen.map(({ seed }) => seed),
    })
    before = chosen[0]?.from
    end = first
  }
  return runs
}

function isSame(a: ChangeMark | undefined, b: ChangeMark | undefined): boolean {
  return a !== undefined && b !== undefined && !isBefore(a, b) && !isBefore(b, a)
}
