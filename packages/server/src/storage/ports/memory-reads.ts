/** Reads memories by id, in lists, and by the facts that they state. */

import type { Slot } from '../../core/entity.js'
import type { Filter } from '../../core/filter.js'
import type { Memory, MemoryVersion } from '../../core/memory.js'
import type { PartRange } from '../../core/outdated.js'
import type { Scope, UserScope } from '../../core/scope.js'

export interface MemoryReads {
  /** The user's memories that new facts may repeat or contradict: current, not expired, and in exactly this project. */
  recognise(scope: UserScope, facts: FactsToRecognise): Promise<Recognised>
  /** The user's latest memories (by `createdAt`), of exactly the scope's project, newest first: current and not expired. */
  recent(scope: UserScope, query: { readonly now: number; readonly limit: number }): Promise<Memory[]>
  /** The open contradictions between these memories. */
  contested(scope: UserScope, memoryIds: readonly string[]): Promise<Contested[]>
  find(
    scope: Scope,
    memoryId: string,
    at: { readonly now: number; readonly includeExpired?: boolean },
  ): Promise<Memory | null>
  /**
   * The versions after number `after`, oldest first, also of expired and superseded memories; none if the scope has no such memory.
   * Like every page here, it ends early if its texts are too large together. `next` is the `after` of the next page.
   */
  history(scope: Scope, memoryId: string, page: HistoryPage): Promise<Part<MemoryVersion>>
  /**
   * The text that the memory was made from, word for word: the segments of each store that created or repeated it. Oldest first;
   * `after` is the number of texts to skip.
   */
  provenance(scope: Scope, memoryId: string, page: HistoryPage): Promise<Part<Provenance>>
  /** Newest first (`createdAt`, then id), unless `order` says otherwise. Superseded memories are left out. */
  list(scope: Scope, page: ListQuery): Promise<Page<Memory>>
}

export interface FactsToRecognise {
  readonly now: number
  readonly project: string | null
  readonly contentKeys: readonly string[]
  readonly slots: readonly string[]
}

export interface Recognised {
  readonly revision: number
  readonly sameContent: readonly KnownMemory[]
  readonly sameSlot: readonly KnownMemory[]
}

export interface KnownMemory {
  readonly memory: Memory
  readonly contentKey: string
  readonly slots: readonly Slot[]
}

/** Two memories that cannot both be true, while nobody has decided. */
export interface Contested {
  readonly oldId: string
  readonly newId: string
  /** The part of the older memory that is concerned; null: all of it. */
  readonly part: PartRange | null
}

export interface Provenance {
  readonly documentId: string
  readonly source: string
  readonly storedAt: number
  readonly text: string
}

export interface HistoryPage {
  readonly after: number
  readonly limit: number
}

export interface Part<T> {
  readonly items: readonly T[]
  /** Null: there is no more. */
  readonly next: number | null
}

export interface ListQuery {
  readonly now: number
  readonly limit: number
  /** Either an offset or the cursor of the previous page. */
  readonly offset?: number
  readonly cursor?: ListCursor
  readonly includeExpired?: boolean
  /** The state at that moment: memories superseded later are included, each with the content and project that it had. */
  readonly asOf?: number
  /** `expiry`: only memories that expire, soonest first. */
  readonly order?: 'age' | 'expiry'
  /** Only memories whose content contains this text, ignoring case. */
  readonly q?: string
  /** Only memories that mention this entity. */
  readonly entityId?: string
  /** Only memories that content protection flagged, or only the others. */
  readonly flagged?: boolean
  /** Only memories whose shown version passes it. */
  readonly filter?: Filter
}

/** The last item of a page: when it was created, or, in a list by expiry, when it expires. */
export interface ListCursor {
  readonly at: number
  readonly id: string
}

export interface Page<T> {
  readonly items: readonly T[]
  readonly total: number
  readonly next: ListCursor | null
}
