/**
 * Searches one user's memories, in the same way on every storage engine. Each active user has an index in memory (`user-index.ts`).
 * Users who are too large for that are searched from what is stored of their index, slice by slice (`stored-search.ts`, ADR 37).
 */
import type { Worker } from 'node:worker_threads'
import type { UserScope } from '../../core/scope.js'
import type { IndexFeed } from '../../storage/ports/index-feed.js'
import type { IndexSegments } from '../../storage/ports/index-segments.js'
import type { AheadStep, SearchHit, SearchQuery } from './search.js'

/** Where a search looks: in the index in memory, or in what is stored of the index. */
export type SearchedIn = 'memory' | 'storage'

/** A user's index with everything that was committed before the refresh. */
export interface Refreshed {
  readonly scope: UserScope
  readonly searchedIn: SearchedIn
}

export interface FoundHits {
  readonly hits: SearchHit[]
  /** The number of versions that passed the filter. */
  readonly searched: number
  readonly searchedIn: SearchedIn
}

export interface UserIndexes {
  /** Updates a user's index before a search, which then does not have to read the store again. */
  refresh(scope: UserScope): Promise<Refreshed>
  /**
   * The best `limit` by meaning and the best `limit` by keywords, each with both scores. Finds everything that was committed before this
   * call, or before the call of `refresh`.
   */
  search(scope: UserScope, query: SearchQuery, refreshed?: Refreshed): Promise<FoundHits>
  /**
   * Several searches, one step after another. Each step finds everything that was committed before this call, and the versions of the
   * steps before it as if they were committed too: row -1 is the first of them, -2 the second, and so on. Nobody else ever finds
   * these. Returns the hits per step and query.
   */
  searchAhead(scope: UserScope, steps: readonly AheadStep[]): Promise<SearchHit[][][]>
  stats(): { users: number; versions: number; bytes: number; pending: number }
  /** Resolves when everything that should be stored of the indexes is stored. */
  kept(): Promise<void>
  close(): Promise<void>
}

export interface UserIndexOptions {
  readonly feed: Pick<IndexFeed, 'changes'>
  /** Where parts of the indexes are stored. Without it, an index is always made from the feed. */
  readonly segments?: IndexSegments
  /** A part of an index could not be stored, or is damaged. The feed replaces it. */
  readonly segmentFailed?: (error: unknown) => void
  readonly dimensions: number
  readonly modelId: string
  readonly memoryBudgetBytes: number
  /**
   * A user with more versions is searched in the storage instead of in memory, until a fifth of these are gone. Needs `segments`.
   * Undefined: every user is searched in memory.
   */
  readonly mostVersionsInMemory?: number
  /** Starts the thread that holds the indexes. Tests replace it. */
  readonly startWorker?: () => Worker
  /** Beyond this many concurrent searches, further ones are refused. */
  readonly mostPending?: number
}
