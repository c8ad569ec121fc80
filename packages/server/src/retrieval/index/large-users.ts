/**
 * Which users are searched in the storage, because their index would take too much of the memory (ADR 37). A user's size decides, when
 * the index loads and whenever it grows; it is not remembered over a restart.
 */
import type { UserScope } from '../../core/scope.js'
import { type IndexQuery, type IndexStep, unpackHits } from './index-messages.js'
import { mergeAhead } from './merge-ahead.js'
import type { SearchHit } from './search.js'
import type { StoredSearch } from './stored-search.js'
import type { FoundHits } from './user-indexes.js'

/** A user comes back to memory below this share of the bound, so that a few changes do not move them to and fro. */
const shareToComeBack = 0.8

/** The user has more versions than may be in memory. */
class TooLarge extends Error {}

export class LargeUsers {
  readonly #ids = new Set<string>()

  /** Without a search, no user is ever too large. */
  constructor(
    private readonly stored: StoredSearch | undefined,
    private readonly mostVersionsInMemory = Infinity,
  ) {}

  /** @throws TooLarge */
  requireSmall(versions: number): void {
    if (this.stored && versions > this.mostVersionsInMemory) throw new TooLarge()
  }

  /** Searches in memory, unless the user is too large for it or turns out to be. */
  async inMemoryOr<T>(inStorage: () => Promise<T>, { userId }: UserScope, inMemory: () => Promise<T>): Promise<T> {
    if (!this.#ids.has(userId)) {
      try {
        return await inMemory()
      } catch (error) {
        if (!(error instanceof TooLarge)) throw error
        this.#ids.add(userId)
      }
    }
    return inStorage()
  }

  async search(userId: string, query: IndexQuery): Promise<FoundHits> {
    if (!this.stored) throw new Error('nothing is stored of the indexes')
    const { hits, versions } = await this.stored.search(userId, query)
    if (versions < this.mostVersionsInMemory * shareToComeBack) this.#ids.delete(userId)
    return { ...unpackHits(hits), searchedIn: 'storage' }
  }

  /** `ahead`: the same steps among their own versions alone. */
  async searchAhead(
    userId: string,
    steps: readonly IndexStep[],
    ahead: () => Promise<SearchHit[][][]>,
  ): Promise<SearchHit[][][]> {
    const stored = await Promise.all(
      steps.map(({ queries }) => Promise.all(queries.map((query) => this.search(userId, query)))),
    )
    const own = await ahead()
    return steps.map(({ queries }, step) =>
      queries.map(({ limit }, at) => mergeAhead(stored[step]?.[at]?.hits ?? [], own[step]?.[at] ?? [], limit)),
    )
  }

  close(): void {
    this.stored?.close()
  }
}
