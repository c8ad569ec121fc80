/**
 * Stores parts of the index in the background, so that the next load need not read, cut and encode every text. It works on one user at
 * a time, and rests several times as long as it works: whoever searches waits for it only for a few milliseconds.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { UserScope } from '../../core/scope.js'
import type { ChangeMark, ChangeSlice, IndexedVersion, IndexFeed } from '../../storage/ports/index-feed.js'
import type { IndexSegments, SegmentSpan } from '../../storage/ports/index-segments.js'
import { batchOf, type IndexSettings } from './index-messages.js'
import { segmentKind } from './index-segment.js'
import type { IndexThread } from './index-thread.js'
import { randomSeed } from './keyword-index.js'

/** Fewer versions load fast enough from their rows. All of a segment is dropped when one of its versions is erased. */
export const segmentVersions = 256
/** Likewise, if texts are long. */
const segmentCharacters = 100_000
/** Versions that changed are stored again. If most of them are outdated, all segments are rewritten. */
const mostStoredPerVersion = 2
const usualRestPerWork = 3
const beginning: ChangeMark = { revision: 0, row: 0 }

export interface KeeperOptions {
  readonly feed: Pick<IndexFeed, 'changes'>
  readonly segments: IndexSegments
  readonly thread: Pick<IndexThread, 'encode'>
  readonly settings: IndexSettings
  /** How many times as long as it works it rests, so that others are not slowed down. */
  readonly restPerWork?: number
  /** Storing failed. It is tried again once the user has more changes. */
  readonly failed: (error: unknown) => void
  /** After a user's turn, with the versions that are in no segment yet. */
  readonly kept: (userId: string, left: Unkept) => void
}

/** Versions that are in no segment. */
export interface Unkept {
  readonly versions: number
  readonly characters: number
}

export function isWorthKeeping({ versions, characters }: Unkept): boolean {
  return versions >= segmentVersions || characters >= segmentCharacters
}

export function unkept(changed: readonly IndexedVersion[]): Unkept {
  return { versions: changed.length, characters: changed.reduce((sum, { content }) => sum + content.length, 0) }
}

export class SegmentKeeper {
  readonly #options: KeeperOptions
  /** The users who wait, with the number of versions in their index. */
  readonly #waiting = new Map<string, { readonly scope: UserScope; readonly versions: number }>()
  readonly #closing = new AbortController()
  #working: Promise<void> | undefined

  constructor(options: KeeperOptions) {
    this.#options = options
  }

  request(scope: UserScope, versions: number): void {
    if (this.#closing.signal.aborted) return
    this.#waiting.set(scope.userId, { scope, versions })
    this.#working ??= this.#work()
  }

  /** Resolves when nobody waits any more. */
  async idle(): Promise<void> {
    await this.#working
  }

  /** Finishes the segment that is being stored. */
  async close(): Promise<void> {
    this.#waiting.clear()
    this.#closing.abort()
    await this.#working
  }

  async #work(): Promise<void> {
    // Let the search that asked for it go first.
    await this.#rest(1)
    for (const [userId, { scope, versions }] of this.#waiting) {
      this.#waiting.delete(userId)
      try {
        this.#options.kept(userId, await this.#keep(scope, versions))
      } catch (error) {
        if (!this.#closing.signal.aborted) this.#options.failed(error)
      }
    }
    this.#working = undefined
  }

  /** Returns what is left. */
  async #keep(scope: UserScope, versions: number): Promise<Unkept> {
    const { segments, settings } = this.#options
    const kind = segmentKind(settings.modelId)
    let spans = await segments.segmentSpans(scope, kind)
    const stored = spans.reduce((sum, span) => sum + span.versions, 0)
    if (stored > mostStoredPerVersion * versions + segmentVersions) {
      await segments.dropSegments(scope, 'all')
      spans = []
    }
    const seed = spans[0]?.seed ?? randomSeed()
    let gap = nextGap(spans, beginning)
    while (!this.#closing.signal.aborted) {
      const startedAt = performance.now()
      const slice = await this.#read(scope, gap)
      const left = unkept(slice.changed)
      // A gap between segments is always filled: otherwise those after it could not be used at once.
      if (!slice.more && gap.until === undefined && !isWorthKeeping(left)) return left
      const { bytes } = await this.#options.thread.encode(batchOf(slice.changed, [], settings), seed)
      const rows = slice.changed.map(({ row }) => row)
      const isSaved = await segments.saveSegment(scope, kind, { from: gap.since, to: slice.mark, rows, seed, bytes })
      // Something was erased meanwhile, or another instance was faster: the next turn sees how it is then.
      if (!isSaved) return { versions: 0, characters: 0 }
      gap = nextGap(spans, slice.mark)
      await this.#rest((performance.now() - startedAt) * (this.#options.restPerWork ?? usualRestPerWork))
    }
    return { versions: 0, characters: 0 }
  }

  /** Long texts take long to encode, so there are fewer of them in a slice. */
  async #read(scope: UserScope, { since, until }: Gap): Promise<ChangeSlice> {
    const { feed } = this.#options
    const slice = await feed.changes(scope, since, segmentVersions, until)
    const { versions, characters } = unkept(slice.changed)
    if (characters <= 2 * segmentCharacters || versions <= 1) return slice
    return feed.changes(scope, since, Math.max(1, Math.floor((versions * segmentCharacters) / characters)), until)
  }

  async #rest(ms: number): Promise<void> {
    const { signal } = this.#closing
    // Rejects when the keeper closes, which ends the rest.
    await sleep(ms, undefined, { ref: false, signal }).catch(() => undefined)
  }
}

interface Gap {
  readonly since: ChangeMark
  /** Undefined: nothing is stored after it. */
  readonly until: ChangeMark | undefined
}

/** The first changes after the mark that are in none of the segments, which are in order. */
function nextGap(spans: readonly SegmentSpan[], mark: ChangeMark): Gap {
  let since = mark
  for (const { from, to } of spans) {
    if (isBefore(from, since)) continue
    if (isBefore(since, from)) return { since, until: from }
    since = to
  }
  return { since, until: undefined }
}

export function isBefore(a: ChangeMark, b: ChangeMark): boolean {
  return a.revision < b.revision || (a.revision === b.revision && a.row < b.row)
}
