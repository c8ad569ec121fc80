/**
 * Re-embeds memories after the embedding model has changed, while the service keeps running. Until then a memory is found by keywords
 * only. The store knows what is left (each vector has its model's id), so the next start continues a run that was killed. One of
 * several instances does the work; if it is killed, another one continues.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../core/clock.js'
import type { Log } from '../../core/log.js'
import { everyoneScope, userScope } from '../../core/scope.js'
import type { Embedder } from '../../models/models.js'
import type { OutdatedMark, OutdatedVersion, VectorUpkeep } from '../../storage/ports/vector-upkeep.js'
import { unclaimed, type WhileClaimed } from './claimed-work.js'
import { embedSlice } from './re-embed-slice.js'

export interface ReEmbedding {
  /** Resolves when it knows how many are left, and continues in the background. */
  start(): Promise<void>
  /** Resolves when nothing is left, or it was closed. */
  finished(): Promise<void>
  isRunning(): boolean
  /** Versions with a vector of another model, as far as is known. */
  left(): number
  /** Someone searches this user's memories: they go first. */
  prefer(userId: string): void
  /** Abandons the embedding in progress, but waits for writes. */
  close(): Promise<void>
}

export interface ReEmbeddingDeps {
  readonly storage: VectorUpkeep
  readonly embedder: Embedder
  readonly log: Log
  readonly clock: Clock
  /** By default there is no other instance. */
  readonly whileClaimed?: WhileClaimed
  /** Rejects when the signal aborts. Tests don't wait. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

export function reEmbedding(deps: ReEmbeddingDeps): ReEmbedding {
  return new BackgroundReEmbedding(deps)
}

/**
 * While people search, slices are small and each is followed by a pause twice as long, because a query waits for the running batch.
 * Slices have more than eight versions, so that the local model's queue treats them as an import and lets queries and single
 * stores go first.
 */
const sliceVersions = { idle: 32, searched: 10 }
const restForWork = 2
const tellEvery = 5_000
/**
 * A run goes through the store, then checks for leftovers and for versions that appeared behind it (an update of metadata keeps the old
 * vector). The number of passes is limited: two instances with different models would otherwise redo each other's work forever.
 */
const mostPasses = 3
const mostPreferred = 64
const pollMs = 20
/** Waits at most this long for a busy model, so that re-embedding makes progress. */
const patienceMs = 2_000
const shortestRestMs = 5
const searchedForMs = 5_000
const firstBackoffMs = 1_000
const longestBackoffMs = 300_000
const warnAgainMs = 600_000
/** While another instance does the work: how often to check whether it is done or abandoned. */
const lookAgainMs = 5_000

class BackgroundReEmbedding implements ReEmbedding {
  private readonly stop = new AbortController()
  /** Aborts on close, or when the claim is lost. */
  private halt: AbortSignal = this.stop.signal
  private readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>
  private started: Promise<void> | undefined
  private running: Promise<void> | undefined
  private hasEnded = false
  private outdated = 0
  private done = 0
  private toldAt = 0
  private warnedAt = Number.NEGATIVE_INFINITY
  /** Users who searched, latest last, and how far their memories have been read. */
  private readonly preferred = new Map<string, OutdatedMark | null>()
  /** Users with rejected texts: preferring them again and again would hold up the others. */
  private readonly unhurried = new Set<string>()
  private searchedAt = Number.NEGATIVE_INFINITY

  constructor(private readonly deps: ReEmbeddingDeps) {
    this.wait = deps.wait ?? ((ms, signal) => sleep(ms, undefined, { signal, ref: false }))
  }

  start(): Promise<void> {
    this.started ??= this.begin()
    return this.started
  }

  async finished(): Promise<void> {
    await this.started
    await this.running
  }

  isRunning(): boolean {
    return !this.hasEnded && this.outdated > 0
  }

  left(): number {
    return this.outdated
  }

  prefer(userId: string): void {
    if (!this.isRunning()) return
    this.searchedAt = this.deps.clock.now()
    if (this.unhurried.has(userId)) return
    const mark = this.preferred.get(userId) ?? null
    this.preferred.delete(userId)
    this.preferred.set(userId, mark)
    const [oldest] = this.preferred.keys()
    if (this.preferred.size > mostPreferred && oldest !== undefined) this.preferred.delete(oldest)
  }

  async close(): Promise<void> {
    this.stop.abort()
    await this.finished()
  }

  /** Neither this nor the run rejects: the service works in any case. */
  private async begin(): Promise<void> {
    let counted = true
    try {
      this.outdated = await this.countOnce()
    } catch (error) {
      counted = false
      this.deps.log.warn({ err: error }, 'vectors of other models could not be counted; the count is retried')
    }
    this.running = this.run(counted).finally(() => {
      this.hasEnded = true
      this.preferred.clear()
      this.unhurried.clear()
    })
  }

  private async run(counted: boolean): Promise<void> {
    const { log, embedder, clock } = this.deps
    const began = clock.now()
    try {
      if (!counted) await this.count()
      if (this.outdated === 0) return
      log.info(
        { versions: this.outdated, model: embedder.modelId },
        'versions of memories from another model are being re-embedded; until then they are found by keywords only',
      )
      await this.inTurn()
      const figures = { versions: this.done, seconds: Math.round((clock.now() - began) / 1000) }
      if (this.outdated === 0) log.info(figures, 'all memories are embedded by the current model')
      else
        log.warn(
          { ...figures, left: this.outdated },
          'some memories could not be re-embedded; the next start tries again',
        )
    } catch (error) {
      const isStop = this.stop.signal.aborted
      // Failures are retried, so only a stop should end a run early.
      if (!isStop) log.error({ err: error, left: this.outdated }, 're-embedding ended early')
      else if (this.outdated > 0) log.info({ left: this.outdated }, 're-embedding stops until the next start')
    }
  }

  /** Does the work while this instance holds the claim, and waits while another one does. */
  private async inTurn(): Promise<void> {
    const { whileClaimed = unclaimed } = this.deps
    for (;;) {
      const done = await this.persist(() =>
        whileClaimed('re-embedding', (lost) => {
          this.halt = AbortSignal.any([this.stop.signal, lost])
          return this.passes()
        }).finally(() => {
          this.halt = this.stop.signal
        }),
      )
      if (done) return
      await this.pause(lookAgainMs)
      await this.count()
      if (this.outdated === 0) return
    }
  }

  private async passes(): Promise<void> {
    // Another instance may have done some of it already.
    await this.count()
    for (let pass = 1; this.outdated > 0 && pass <= mostPasses; pass++) {
      const refused = await this.pass()
      await this.count()
      if (this.outdated <= refused) break
    }
  }

  private async count(): Promise<void> {
    this.outdated = await this.persist(() => this.countOnce())
  }

  private countOnce(): Promise<number> {
    const { storage, embedder } = this.deps
    return storage.countOutdated(everyoneScope(), embedder.modelId)
  }

  /** Once through the store; returns the number of rejected versions. */
  private async pass(): Promise<number> {
    const { storage, embedder } = this.deps
    const model = { dimensions: embedder.dimensions, embed: (texts: readonly string[]) => this.embed(texts) }
    let mark: OutdatedMark | null = null
    let refused = 0
    for (;;) {
      let versions = await this.preferredSlice()
      if (versions.length === 0) {
        const slice = await this.read(everyoneScope(), mark)
        mark = slice.mark
        versions = slice.versions
      }
      if (versions.length === 0) return refused
      await this.giveWay()
      const startedAt = performance.now()
      const vectors = await this.persist(() => embedSlice(model, versions))
      const tookMs = performance.now() - startedAt
      await this.persist(() => storage.replaceVectors(everyoneScope(), embedder.modelId, vectors))
      refused += this.passOver(versions, vectors)
      this.progress(vectors.length)
      await this.pause(this.isSearched() ? Math.max(shortestRestMs, tookMs * restForWork) : shortestRestMs)
    }
  }

  /** Of the last user who searched and has versions left. */
  private async preferredSlice(): Promise<readonly OutdatedVersion[]> {
    for (;;) {
      const [userId, mark = null] = [...this.preferred].at(-1) ?? []
      if (userId === undefined) return []
      const slice = await this.read(userScope(userId), mark)
      if (slice.versions.length === 0) this.preferred.delete(userId)
      else {
        this.preferred.set(userId, slice.mark)
        return slice.versions
      }
    }
  }

  private read(scope: Parameters<VectorUpkeep['outdated']>[0], mark: OutdatedMark | null) {
    const { storage, embedder } = this.deps
    const limit = this.isSearched() ? sliceVersions.searched : sliceVersions.idle
    return this.persist(() => storage.outdated(scope, embedder.modelId, mark, limit))
  }

  /** Rejects at once when the run is stopped, however long the model takes. */
  private embed(texts: readonly string[]): Promise<Float32Array[]> {
    const signal = this.halt
    return new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const give = () => reject(signal.reason)
      signal.addEventListener('abort', give, { once: true })
      this.deps.embedder
        .embed(texts)
        .then(resolve, reject)
        .finally(() => signal.removeEventListener('abort', give))
    })
  }

  private passOver(versions: readonly OutdatedVersion[], embedded: readonly { row: number; userId: string }[]): number {
    const done = new Set(embedded.map(({ userId, row }) => `${row} ${userId}`))
    const refused = versions.filter(({ userId, row }) => !done.has(`${row} ${userId}`))
    for (const { userId } of refused) {
      this.unhurried.add(userId)
      this.preferred.delete(userId)
    }
    return refused.length
  }

  private progress(embedded: number): void {
    this.done += embedded
    // An estimate: the count at the end of a pass is exact.
    this.outdated = Math.max(1, this.outdated - embedded)
    if (this.done - this.toldAt < tellEvery) return
    this.toldAt = this.done
    this.deps.log.info({ done: this.done, left: this.outdated }, 'memories are being re-embedded')
  }

  private isSearched(): boolean {
    return this.deps.clock.now() - this.searchedAt < searchedForMs
  }

  /** Waits until the model has nothing else to do. */
  private async giveWay(): Promise<void> {
    for (let waitedMs = 0; this.deps.embedder.queueLength() > 0 && waitedMs < patienceMs; waitedMs += pollMs) {
      await this.pause(pollMs)
    }
  }

  /** Retries until it succeeds, with growing pauses. */
  private async persist<T>(work: () => Promise<T>): Promise<T> {
    let warned = false
    for (let failures = 0; ; failures++) {
      this.halt.throwIfAborted()
      try {
        const result = await work()
        if (warned) this.deps.log.info({ failures }, 're-embedding continues')
        return result
      } catch (error) {
        this.halt.throwIfAborted()
        if (this.deps.clock.now() - this.warnedAt >= warnAgainMs) {
          this.warnedAt = this.deps.clock.now()
          warned = true
          this.deps.log.warn({ err: error, left: this.outdated }, 're-embedding failed and is retried')
        }
        await this.pause(Math.min(longestBackoffMs, firstBackoffMs * 2 ** failures))
      }
    }
  }

  private async pause(ms: number): Promise<void> {
    await this.wait(ms, this.halt)
  }
}
