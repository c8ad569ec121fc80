/**
 * The indexes of active users. A worker thread holds them, and the store's changes feed them. Before every search, the committed changes
 * are read and applied, so that no index is ever stale, even with several instances. If all indexes together exceed the memory budget,
 * the least recently used ones are dropped and load again on demand. Most of an index is loaded from stored segments, if the store has
 * some (ADR 34). A user who alone would take too much of the memory is searched where the segments are (ADR 37).
 */
import { unavailable } from '../../core/errors.js'
import { type UserScope, userScope } from '../../core/scope.js'
import { quantize } from '../../storage/domain/quantize.js'
import type { ChangeMark, ChangeSlice } from '../../storage/ports/index-feed.js'
import type { ActiveUser } from './active-user.js'
import { batchOf, type FirstBatch, type IndexQuery, type IndexReplies, unpackHits } from './index-messages.js'
import { segmentKind } from './index-segment.js'
import { IndexThread, startIndexWorker } from './index-thread.js'
import { LargeUsers } from './large-users.js'
import { type AheadStep, isVector, type SearchHit, type SearchQuery } from './search.js'
import { isBefore, isWorthKeeping, SegmentKeeper, segmentVersions, type Unkept, unkept } from './segment-keeper.js'
import { loadSegments } from './segment-loader.js'
import { StoredSearch } from './stored-search.js'
import type { FoundHits, Refreshed, UserIndexes, UserIndexOptions } from './user-indexes.js'

export function openUserIndexes(options: UserIndexOptions): UserIndexes {
  return new WorkerIndexes(options)
}

const sliceVersions = 2_000
const nothing: Unkept = { versions: 0, characters: 0 }
const beginning: ChangeMark = { revision: 0, row: 0 }

class WorkerIndexes implements UserIndexes {
  private readonly thread: IndexThread
  private readonly keeper: SegmentKeeper | undefined
  private readonly large: LargeUsers
  /** Least recently used first. */
  private readonly users = new Map<string, ActiveUser>()
  private newest: ActiveUser | undefined
  private readonly mostPending: number
  private lastHandle = 0
  private pending = 0
  private bytes = 0
  private sharedBytes = 0
  private closed = false

  constructor(private readonly options: UserIndexOptions) {
    this.mostPending = options.mostPending ?? 1_000
    this.thread = new IndexThread(
      options.startWorker ?? (() => startIndexWorker({ dimensions: options.dimensions, modelId: options.modelId })),
      () => this.forgetAll(),
    )
    const { feed, segments, segmentFailed = () => undefined } = options
    this.keeper =
      segments &&
      new SegmentKeeper({
        ...{ feed, segments, thread: this.thread, settings: options, failed: segmentFailed },
        kept: (userId, left) => this.countUnkept(userId, left),
      })
    const stored =
      segments &&
      new StoredSearch({
        ...{ feed, segments, thread: this.thread, settings: options },
        nextHandle: () => this.nextHandle(),
        keep: (scope, versions) => this.keeper?.request(scope, versions),
        damaged: (scope, from) => this.reportDamage(scope, from),
      })
    this.large = new LargeUsers(stored, options.mostVersionsInMemory)
  }

  refresh(scope: UserScope): Promise<Refreshed> {
    const inMemory = () => this.whenCurrent<Refreshed>(scope, async (user) => user)
    return this.large.inMemoryOr(async () => ({ scope, searchedIn: 'storage' }), scope, inMemory)
  }

  async search(scope: UserScope, query: SearchQuery, refreshed?: Refreshed): Promise<FoundHits> {
    if (query.vector && !isVector(query.vector, this.options.dimensions)) {
      throw new RangeError(`a query vector has ${this.options.dimensions} finite numbers`)
    }
    const packed = packedQuery(query, scope.project)
    const ask = async (user: ActiveUser): Promise<FoundHits> => {
      if (user.versions === 0) return { hits: [], searched: 0, searchedIn: 'memory' }
      const found = await this.thread.search(user.handle, packed)
      this.sharedBytes = found.sharedBytes
      return { ...unpackHits(found), searchedIn: 'memory' }
    }
    const inStorage = () => this.whilePending(() => this.large.search(scope.userId, packed))
    return this.large.inMemoryOr(inStorage, scope, async () => {
      this.admit()
      const known = this.users.get(scope.userId)
      // Dropped, lost or halfway through later changes: refresh it again.
      if (known === undefined || known !== refreshed || !known.whole) return this.whenCurrent(scope, ask)
      return this.counted(this.activate(scope.userId), ask)
    })
  }

  async searchAhead(scope: UserScope, steps: readonly AheadStep[]): Promise<SearchHit[][][]> {
    const { modelId } = this.options
    let row = 0
    const packed = steps.map(({ project, queries, added }) => ({
      queries: queries.map((query) => packedQuery(query, project)),
      added: batchOf(
        added.map(({ vector, ...version }) => ({
          ...version,
          row: row++,
          validTo: null,
          modelId,
          ...quantize(vector),
        })),
        [],
        this.options,
      ),
    }))
    const ask = async (handle: number, known: boolean) => {
      const { found, sharedBytes } = await this.thread.ahead(handle, known, packed)
      this.sharedBytes = sharedBytes
      return found.map((queries) => queries.map((hits) => unpackHits(hits).hits))
    }
    const inStorage = () =>
      this.whilePending(() => this.large.searchAhead(scope.userId, packed, () => ask(this.nextHandle(), false)))
    return this.large.inMemoryOr(inStorage, scope, () =>
      this.whenCurrent(scope, ({ handle, known }) => ask(handle, known)),
    )
  }

  stats(): { users: number; versions: number; bytes: number; pending: number } {
    let versions = 0
    for (const user of this.users.values()) versions += user.versions
    return { users: this.users.size, versions, bytes: this.bytes + this.sharedBytes, pending: this.pending }
  }

  async kept(): Promise<void> {
    await this.keeper?.idle()
  }

  async close(): Promise<void> {
    this.closed = true
    this.large.close()
    this.forgetAll()
    await this.keeper?.close()
    await this.thread.close()
  }

  /** Calls `act` once everything that was committed before this call is in the user's index. */
  private async whenCurrent<T>(scope: UserScope, act: (user: ActiveUser) => Promise<T>): Promise<T> {
    this.admit()
    return this.counted(this.activate(scope.userId), (user) => {
      return new Promise<T>((resolve, reject) => {
        user.waiters.push({ ready: () => resolve(act(user)), failed: reject })
        if (!user.reading) void this.readChanges(user)
      })
    })
  }

  private admit(): void {
    if (this.closed) throw unavailable('the service is stopping')
    if (this.pending >= this.mostPending) throw unavailable('too many searches are waiting')
  }

  private async whilePending<T>(act: () => Promise<T>): Promise<T> {
    this.admit()
    this.pending += 1
    try {
      return await act()
    } finally {
      this.pending -= 1
    }
  }

  /** While a call is counted, the user's index is not dropped. */
  private async counted<T>(user: ActiveUser, act: (user: ActiveUser) => Promise<T>): Promise<T> {
    this.pending += 1
    user.calls += 1
    try {
      return await act(user)
    } finally {
      this.pending -= 1
      user.calls -= 1
      // Searches for users that do not exist must not fill the memory.
      if (user.calls === 0 && user.versions === 0) this.forget(user)
      this.dropSpare()
    }
  }

  /** The user's index, now the most recently used one. */
  private activate(userId: string): ActiveUser {
    const user = this.users.get(userId) ?? {
      searchedIn: 'memory',
      // For all projects: one index serves every search of the user.
      scope: userScope(userId),
      handle: this.nextHandle(),
      known: false,
      mark: beginning,
      versions: 0,
      bytes: 0,
      seed: undefined,
      unkept: nothing,
      calls: 0,
      waiters: [],
      reading: false,
      whole: false,
      usable: true,
    }
    this.users.delete(userId)
    this.users.set(userId, user)
    this.newest = user
    return user
  }

  /** One reader per user, so that changes are applied in order. Never rejects: the waiters get the error. */
  private async readChanges(user: ActiveUser): Promise<void> {
    user.reading = true
    try {
      while (user.waiters.length > 0) await this.readToEnd(user)
    } catch (error) {
      // Only some of the changes may be in it, so it is not used again.
      this.forget(user)
      for (const waiter of user.waiters.splice(0)) waiter.failed(error)
    }
    user.reading = false
  }

  private async readToEnd(user: ActiveUser): Promise<void> {
    if (!user.known && !isBefore(beginning, user.mark)) await this.loadSegments(user)
    // Waiters from before the last slice was requested see everything committed before. Others wait for the next round.
    let served = user.waiters.length
    let slice = await this.changesSince(user, user.mark)
    if (slice.mark.revision < user.mark.revision) {
      // The store went back to an earlier state, for example because a backup was restored: start over.
      this.release(user)
      user.mark = beginning
      slice = await this.changesSince(user, beginning)
    }
    for (;;) {
      const waiting = user.waiters.length
      if (slice.more) user.whole = false
      const [next] = await Promise.all([
        slice.more ? this.changesSince(user, slice.mark) : undefined,
        this.apply(user, slice),
      ])
      user.mark = slice.mark
      if (!next) break
      slice = next
      served = waiting
    }
    user.whole = true
    this.keepIfWorth(user)
    for (const waiter of user.waiters.splice(0, served)) waiter.ready()
  }

  private async loadSegments(user: ActiveUser): Promise<void> {
    const { segments, modelId } = this.options
    if (!segments) return
    const read = async (from: ChangeMark, limit: number) => {
      const page = await segments.segments(user.scope, segmentKind(modelId), from, limit)
      this.assertUsable(user)
      this.large.requireSmall(page.memories)
      return page
    }
    const damaged = await loadSegments(read, user, {
      readRows: async (until) => {
        const slice = await this.changesSince(user, user.mark, until)
        await this.apply(user, slice)
        user.mark = slice.mark
        // A gap is filled, however small it is.
        user.unkept = { ...user.unkept, versions: segmentVersions }
      },
      restore: async (stored) => {
        const { restored, ...sizes } = await this.thread.restore(user.handle, this.firstOf(user), stored)
        this.setSizes(user, sizes)
        return restored
      },
    })
    if (damaged) await this.reportDamage(user.scope, damaged)
  }

  private async reportDamage(scope: UserScope, from: ChangeMark): Promise<void> {
    const { segments, segmentFailed } = this.options
    segmentFailed?.(new Error('a stored part of a search index is damaged, and is replaced'))
    try {
      await segments?.dropSegments(scope, from)
    } catch (error) {
      segmentFailed?.(error)
    }
  }

  private countUnkept(userId: string, more: Unkept): void {
    const user = this.users.get(userId)
    if (!user || !this.keeper) return
    const { versions, characters } = user.unkept
    user.unkept = { versions: versions + more.versions, characters: characters + more.characters }
  }

  private keepIfWorth(user: ActiveUser): void {
    if (!isWorthKeeping(user.unkept)) return
    user.unkept = nothing
    this.keeper?.request(user.scope, user.versions)
  }

  private async changesSince(user: ActiveUser, mark: ChangeMark, until?: ChangeMark): Promise<ChangeSlice> {
    const slice = await this.options.feed.changes(user.scope, mark, sliceVersions, until)
    this.assertUsable(user)
    return slice
  }

  /** The thread may have died, or the service stopped, since the last check. */
  private assertUsable(user: ActiveUser): void {
    if (!user.usable) throw unavailable(this.closed ? 'the service is stopping' : 'the search index is restarting')
  }

  private async apply(user: ActiveUser, slice: ChangeSlice): Promise<void> {
    if (slice.changed.length === 0 && slice.removedRows.length === 0) return
    const batch = batchOf(slice.changed, slice.removedRows, this.options)
    this.countUnkept(user.scope.userId, unkept(slice.changed))
    this.setSizes(user, await this.thread.apply(user.handle, this.firstOf(user), batch))
  }

  private firstOf(user: ActiveUser): FirstBatch | false {
    if (user.known) return false
    user.known = true
    return { seed: user.seed }
  }

  private setSizes(user: ActiveUser, { versions, bytes, sharedBytes }: IndexReplies['apply']): void {
    this.assertUsable(user)
    this.bytes += bytes - user.bytes
    this.sharedBytes = sharedBytes
    user.versions = versions
    user.bytes = bytes
    this.large.requireSmall(versions)
    this.dropSpare()
  }

  /** Drops the least recently used until the rest fits the budget. */
  private dropSpare(): void {
    if (this.bytes <= this.options.memoryBudgetBytes) return
    for (const user of this.users.values()) {
      // The most recent one stays even if it alone is too large, because the next search would load it again.
      if (user.calls === 0 && user !== this.newest) this.forget(user)
      if (this.bytes <= this.options.memoryBudgetBytes) return
    }
  }

  private forget(user: ActiveUser): void {
    if (!user.usable) return
    user.usable = false
    this.users.delete(user.scope.userId)
    this.release(user)
  }

  private release(user: ActiveUser): void {
    this.bytes -= user.bytes
    user.bytes = 0
    user.versions = 0
    user.seed = undefined
    user.unkept = nothing
    user.whole = false
    if (user.known) void this.dropIndex(user.handle)
    user.known = false
    user.handle = this.nextHandle()
  }

  private async dropIndex(handle: number): Promise<void> {
    try {
      this.sharedBytes = (await this.thread.drop(handle)).sharedBytes
    } catch {
      // The thread ended before it answered, and no longer holds anything.
      this.sharedBytes = 0
    }
  }

  private forgetAll(): void {
    for (const user of this.users.values()) {
      user.usable = false
      user.known = false
    }
    this.users.clear()
    this.newest = undefined
    this.bytes = 0
    this.sharedBytes = 0
  }

  private nextHandle(): number {
    this.lastHandle += 1
    return this.lastHandle
  }
}

function packedQuery({ onlyRows, ...rest }: SearchQuery, project: string | undefined): IndexQuery {
  return { ...rest, project, onlyRows: onlyRows && Float64Array.from(onlyRows) }
}
