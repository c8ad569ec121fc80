/**
 * Items (`core/item.ts`). The scope names the user, and its project is part of the place: without one, items outside every project.
 * An item is erased with all of its versions.
 */
import type { Filter } from '../../core/filter.js'
import type { IndexedFields, Item, ItemPlace, ItemVersion } from '../../core/item.js'
import type { Json } from '../../core/memory.js'
import type { NobodyScope, Scope, UserScope } from '../../core/scope.js'
import type { IndexFeed } from './index-feed.js'

type OneUser = UserScope | NobodyScope

export interface ItemStore extends Pick<IndexFeed, 'changes'> {
  /** A value that is already there adds no version. */
  put(scope: UserScope, item: NewItem): Promise<ItemPut>
  find(scope: OneUser, place: ItemPlace, at: { readonly now: number; readonly asOf?: number }): Promise<Item | null>
  /** Newest first; at most `versionsOfItem`. Empty: there is no such item. */
  versions(scope: OneUser, place: ItemPlace, now: number): Promise<ItemVersion[]>
  /** By namespace and key, byte by byte. */
  list(scope: OneUser, page: ItemPage): Promise<{ items: Item[]; next: ItemPlace | null }>
  /** Namespaces with items, in their order. */
  namespaces(scope: OneUser, page: NamespacePage): Promise<{ items: NamespaceCount[]; next: string | null }>
  /** Items that a filter chooses, the latest change first. */
  newest(scope: OneUser, query: ItemChoice & { readonly limit: number; readonly offset: number }): Promise<Item[]>
  /** Rows of the chosen items, for a search. */
  matching(scope: UserScope, choice: ItemChoice): Promise<number[]>
  /** Those that still exist, in any order. */
  hydrate(scope: UserScope, rows: readonly number[]): Promise<{ row: number; item: Item }[]>
  /** The version that was current is returned if it is not the expected one, and then nothing is erased. */
  remove(scope: OneUser, place: ItemPlace, expected: ExpectedVersion): Promise<ItemRemoval>
  /** Erases the items of a namespace or below a prefix; returns how many. */
  removeAll(scope: OneUser, below: ItemBelow, now: number): Promise<number>
  /** Erases expired items; returns how many. Covers all projects of the scope, unless it names one. */
  purgeExpired(scope: Scope, now: number): Promise<number>
}

export const versionsOfItem = 20

export interface ExpectedVersion {
  readonly now: number
  /** 0: there must be no such item. Undefined: whatever is there. */
  readonly ifVersion?: number | undefined
}

export interface NewItem extends ItemPlace, ExpectedVersion {
  readonly value: Json
  readonly fields: IndexedFields
  readonly trustScore: number
  readonly flagged: boolean
  readonly expiresAt: number | null
  /** Null: no search by words or meaning finds it. */
  readonly embedding: { readonly modelId: string; readonly vector: Float32Array } | null
}

/** `conflict`: `version` is the current one, 0 if there is none. */
export type ItemPut =
  | { readonly outcome: 'created' | 'updated' | 'unchanged'; readonly item: Item }
  | { readonly outcome: 'conflict'; readonly version: number }

export type ItemRemoval =
  | { readonly outcome: 'removed' | 'not_found' }
  | { readonly outcome: 'conflict'; readonly version: number }

/** One namespace, or a namespace with everything below it. */
export type ItemBelow = { readonly namespace: string } | { readonly prefix: string }

export interface ItemPage {
  readonly now: number
  readonly limit: number
  readonly below?: ItemBelow | undefined
  readonly after?: ItemPlace | undefined
}

export interface NamespacePage {
  readonly now: number
  readonly limit: number
  readonly prefix?: string | undefined
  readonly after?: string | undefined
}

export interface NamespaceCount {
  readonly namespace: string
  readonly items: number
}

export interface ItemChoice {
  readonly now: number
  readonly below?: ItemBelow | undefined
  /** Conditions on the value: `metadata` stands for it. */
  readonly filter?: Filter | undefined
  readonly includeFlagged: boolean
}
