/**
 * Searches users who are too large for memory (ADR 37): the index thread sees their stored segments slice by slice, newest first, and
 * keeps only what may be among the best. Rows supply what is in no segment. One scan runs at a time, so that memory stays bounded
 * and small users are not starved; queries of the same user that wait together share a scan.
 */
import { unavailable } from '../../core/errors.js'
import { type UserScope, userScope } from '../../core/scope.js'
import type { ChangeMark, IndexFeed } from '../../storage/ports/index-feed.js'
import type { IndexSegments } from '../../storage/ports/index-segments.js'
import {
  batchOf,
  type IndexQuery,
  type IndexReplies,
  type IndexSettings,
  numbersPerHit,
  type PackedHits,
} from './index-messages.js'
import { segmentKind } from './index-segment.js'
import type { IndexThread } from './index-thread.js'
import { isWorthKeeping, type Unkept, unkept } from './segment-keeper.js'
import { walkBack } from './segment-walk.js'

/** Less than two megabytes. Others are served between two pages. */
const segmentsAtOnce = 16
const sliceVersions = 2_000
/** Each query of a scan needs memory for its best, and makes the work on a page longer. */
const queriesAtOnce = 32
const beginning: ChangeMark = { revision: 0, row: 0 }

export interface StoredSearchOptions {
  readonly feed: Pick<IndexFeed, 'changes'>
  readonly segments: IndexSegments
  readonly thread: IndexThread
  readonly settings: IndexSettings
  /** Of a new scan. */
  readonly nextHandle: () => number
  /** The user has changes that should be stored as segments. */
  readonly keep: (scope: UserScope, versions: number) => void
  /** The segment that begins here is damaged. Drops it. */
  readonly damaged: (scope: UserScope, from: ChangeMark) => Promise<void>
}

interface Found {
  readonly hits: PackedHits
  /** How many versions the user has. */
  readonly versions: number
}

interface Visited {
  /** Whether it is worth storing what is in no segment. */
  readonly isWorthIt: boolean
  /** Versions that were replaced while the scan ran. It may have seen them before. */
  readonly ended: ReadonlySet<number>
}

interface Waiting {
  readonly query: IndexQuery
  resolve(found: Found): void
  reject(error: unknown): void
}

export class StoredSearch {
  readonly #options: StoredSearchOptions
  /** By user. */
  readonly #waiting = new Map<string, Waiting[]>()
  #isWorking = false
  #isClosed = false

  constructor(options: StoredSearchOptions) {
    this.#options = options
  }

  /** Finds everything that was committed before this call. */
  search(userId: string, query: IndexQuery): Promise<Found> {
    if (this.#isClosed) throw unavailable('the service is stopping')
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(userId) ?? []
      this.#waiting.set(userId, waiting)
      waiting.push({ query, resolve, reject })
      if (!this.#isWorking) void this.#work()
    })
  }

  close(): void {
    this.#isClosed = true
    for (const waiting of this.#waiting.values()) {
      for (const { reject } of waiting) reject(unavailable('the service is stopping'))
    }
    this.#waiting.clear()
  }

  /** Never rejects: the waiters get the error. */
  async #work(): Promise<void> {
    this.#isWorking = true
    // Queries that are sent together share the first scan too.
    await Promise.resolve()
    for (const [userId, waiting] of this.#waiting) {
      const turn = waiting.splice(0, queriesAtOnce)
      // Whoever is left waits behind the others.
      this.#waiting.delete(userId)
      if (waiting.length > 0) this.#waiting.set(userId, waiting)
      try {
        const queries = turn.map(({ query }) => query)
        const { found, versions } = await this.#scan(userScope(userId), queries)
        for (const [index, { resolve, reject }] of turn.entries()) {
          const hits = found[index]
          if (hits) resolve({ hits, versions })
          else reject(new Error('a scan has fewer results than queries'))
        }
      } catch (error) {
        for (const { reject } of turn) reject(error)
      }
    }
    this.#isWorking = false
  }

  async #scan(scope: UserScope, queries: readonly IndexQuery[]): Promise<IndexReplies['scanned']> {
    const { thread, nextHandle, keep } = this.#options
    const handle = nextHandle()
    await thread.scan(handle, queries)
    let visited: Visited
    try {
      visited = await this.#visitAll(scope, handle)
    } catch (error) {
      // Gives its memory back.
      await thread.scanned(handle).catch(() => undefined)
      throw error
    }
    const scanned = await thread.scanned(handle)
    if (visited.isWorthIt) keep(scope, scanned.versions)
    if (visited.ended.size === 0) return scanned
    const found = scanned.found.map((hits, index) => {
      const query = queries[index]
      return query?.moment.kind === 'now' && !query.includeHistory ? withoutRows(hits, visited.ended) : hits
    })
    return { ...scanned, found }
  }

  async #visitAll(scope: UserScope, handle: number): Promise<Visited> {
    const { segments, thread, settings, damaged } = this.#options
    const kind = segmentKind(settings.modelId)
    let upTo = beginning
    let isWorthIt = false
    await walkBack({
      pageSegments: segmentsAtOnce,
      page: (before) => segments.segmentsBefore(scope, kind, before, segmentsAtOnce),
      rows: async (since, until) => {
        const { mark, read } = await this.#scanRows(scope, handle, since, until)
        // A gap between segments is always worth filling.
        isWorthIt ||= until ? read.versions > 0 : isWorthKeeping(read)
        if (!until) upTo = mark
      },
      segments: async (stored, seeds) => (await thread.scanSegments(handle, stored, seeds)).scanned,
      damaged: (from) => damaged(scope, from),
    })
    // A version that changed meanwhile may have left a gap before it was reached.
    const { ended } = await this.#scanRows(scope, handle, upTo, undefined)
    return { isWorthIt, ended: new Set(ended) }
  }

  async #scanRows(
    scope: UserScope,
    handle: number,
    since: ChangeMark,
    until: ChangeMark | undefined,
  ): Promise<{ readonly mark: ChangeMark; readonly read: Unkept; readonly ended: readonly number[] }> {
    const { feed, thread, settings } = this.#options
    let mark = since
    let read: Unkept = { versions: 0, characters: 0 }
    const ended: number[] = []
    for (;;) {
      const slice = await feed.changes(scope, mark, sliceVersions, until)
      if (slice.mark.revision < mark.revision) throw unavailable('the store went back to an earlier state; try again')
      const { versions, characters } = unkept(slice.changed)
      if (versions > 0) await thread.scanRows(handle, batchOf(slice.changed, [], settings))
      read = { versions: read.versions + versions, characters: read.characters + characters }
      mark = slice.mark
      if (until === undefined) for (const { row, validTo } of slice.changed) if (validTo !== null) ended.push(row)
      if (!slice.more) return { mark, read, ended }
    }
  }
}

function withoutRows({ searched, numbers }: PackedHits, rows: ReadonlySet<number>): PackedHits {
  const kept: number[] = []
  for (let at = 0; at < numbers.length; at += numbersPerHit)
    if (!rows.has(numbers[at] ?? 0)) kept.push(...numbers.subarray(at, at + numbersPerHit))
  return { searched, numbers: Float64Array.from(kept) }
}
