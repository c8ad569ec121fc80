/** What the main thread knows about an index that is in memory. */
import type { UserScope } from '../../core/scope.js'
import type { ChangeMark } from '../../storage/ports/index-feed.js'
import type { Unkept } from './segment-keeper.js'

interface Waiter {
  /** Sends the search immediately, before anything else can happen to the index. */
  ready(): void
  failed(error: unknown): void
}

export interface ActiveUser {
  readonly scope: UserScope
  readonly searchedIn: 'memory'
  handle: number
  /** False until the thread knows the handle. */
  known: boolean
  mark: ChangeMark
  versions: number
  bytes: number
  /** Of the words in the index; undefined: any. */
  seed: number | undefined
  /** Changes in the index that are in no segment. */
  unkept: Unkept
  /** Unanswered calls. A user with any is not dropped. */
  calls: number
  waiters: Waiter[]
  reading: boolean
  /** The index has everything that the store had at one moment, and no partial change. */
  whole: boolean
  /** False if the thread has lost the index, or a slice of it is missing. */
  usable: boolean
}
