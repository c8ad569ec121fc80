/** For the tests of stored segments: a store of segments in memory, next to the log of `user-index.fixture.ts`. */
import { type UserScope, userScope } from '../../core/scope.js'
import { joinAligned } from '../../storage/domain/row-list.js'
import type { ChangeMark } from '../../storage/ports/index-feed.js'
import type {
  IndexSegments,
  NewSegment,
  SegmentKind,
  SegmentPage,
  SegmentSpan,
} from '../../storage/ports/index-segments.js'
import { isBefore } from './segment-keeper.js'
import { type MemoryFeed, nextRow, random, version } from './user-index.fixture.js'
import type { UserIndexes } from './user-indexes.js'

interface KeptSegment extends NewSegment {
  readonly kind: SegmentKind
}

/** As `index-segments.ts` describes it. */
export class MemorySegments implements IndexSegments {
  readonly kept = new Map<string, KeptSegment[]>()
  pages = 0
  /** Awaited between reading and returning. */
  afterRead: () => Promise<void> = async () => undefined
  beforeSave: () => Promise<void> = async () => undefined

  constructor(private readonly feed: MemoryFeed) {}

  of(userId: string): KeptSegment[] {
    return this.kept.get(userId) ?? []
  }

  private found(scope: UserScope, { modelId, format }: SegmentKind): KeptSegment[] {
    const alive = this.feed.log(scope.userId).versions
    // Erasing a version drops its segments.
    const kept = this.of(scope.userId).filter(({ rows }) => rows.every((row) => alive.has(row)))
    this.kept.set(scope.userId, kept)
    return kept.filter(({ kind }) => kind.modelId === modelId && kind.format === format)
  }

  async segments(scope: UserScope, kind: SegmentKind, from: ChangeMark, limit: number): Promise<SegmentPage> {
    const found = this.found(scope, kind).filter((segment) => !isBefore(segment.from, from))
    return this.page(scope, found.slice(0, limit))
  }

  async segmentsBefore(
    scope: UserScope,
    kind: SegmentKind,
    before: ChangeMark | undefined,
    limit: number,
  ): Promise<SegmentPage> {
    const found = this.found(scope, kind).filter(({ from }) => before === undefined || isBefore(from, before))
    return this.page(scope, found.slice(-limit))
  }

  private async page(scope: UserScope, chosen: readonly KeptSegment[]): Promise<SegmentPage> {
    const { revision, versions } = this.feed.log(scope.userId)
    this.pages += 1
    const pieces = joinAligned(chosen.map(({ bytes }) => bytes))
    const page = { revision, memories: versions.size, spans: chosen.map(spanOf), ...pieces }
    await this.afterRead()
    return page
  }

  async segmentSpans(scope: UserScope, kind: SegmentKind): Promise<SegmentSpan[]> {
    return this.found(scope, kind).map(spanOf)
  }

  async saveSegment(scope: UserScope, kind: SegmentKind, segment: NewSegment): Promise<boolean> {
    await this.beforeSave()
    const alive = this.feed.log(scope.userId).versions
    const others = this.found(scope, kind)
    const isTaken = others.some(({ from }) => from.revision === segment.from.revision && from.row === segment.from.row)
    if (isTaken || !segment.rows.every((row) => alive.has(row))) return false
    const kept = [...others, { ...segment, kind }]
    this.kept.set(
      scope.userId,
      kept.sort((a, b) => (isBefore(a.from, b.from) ? -1 : 1)),
    )
    return true
  }

  async dropSegments(scope: UserScope, from: ChangeMark | 'all'): Promise<void> {
    const isDropped = (segment: KeptSegment) =>
      from === 'all' || (segment.from.revision === from.revision && segment.from.row === from.row)
    this.kept.set(
      scope.userId,
      this.of(scope.userId).filter((segment) => !isDropped(segment)),
    )
  }
}

function spanOf({ from, to, rows, seed }: KeptSegment): SegmentSpan {
  return { from, to, versions: rows.length, seed }
}

export const words = 'tea coffee bread garden train violin harbour winter letter bicycle mountain river'.split(' ')

export function sentence(): string {
  const length = 3 + Math.floor(random() * 6)
  return Array.from({ length }, () => words[Math.floor(random() * words.length)]).join(' ')
}

/** Commits memories of all kinds, fifty at a time. */
export function fill(feed: MemoryFeed, memories: number, userId = 'ann'): void {
  for (let n = 0; n < memories; n += 50) {
    const first = nextRow(feed, userId)
    const versions = Array.from({ length: Math.min(50, memories - n) }, (_, i) =>
      version(first + i, {
        content: sentence(),
        validFrom: first + i,
        project: i % 7 === 0 ? 'boat' : null,
        flagged: i % 31 === 0,
        validTo: i % 11 === 0 ? 900 : null,
        expiresAt: i % 13 === 0 ? 2_000 + i : null,
      }),
    )
    feed.put(userId, ...versions)
  }
}

/** Stores segments of everything that Ann has, as an instance does in the background. */
export async function keepSegments(indexes: UserIndexes): Promise<void> {
  await indexes.refresh(userScope('ann'))
  await indexes.kept()
}

/** One bit of Ann's third segment is wrong. */
export function damage(segments: MemorySegments): void {
  const bytes = segments.of('ann')[2]?.bytes
  if (bytes) bytes[1_000] = (bytes[1_000] ?? 0) ^ 1
}
