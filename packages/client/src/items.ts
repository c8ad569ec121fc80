import type {
  DeleteItemAnswer,
  GetItemAnswer,
  Item,
  ListItemsAnswer,
  ListItemVersionsAnswer,
  ListNamespacesAnswer,
  PutItemAnswer,
  PutItemRequest,
  SearchItemsAnswer,
  SearchItemsRequest,
} from './api-types.generated.js'
import { type Caller, fieldsOf } from './caller.js'
import { NotFoundError } from './errors.js'
import { byCursor, type Listing } from './listing.js'
import type { ScopeOptions } from './options.js'
import { type Ttl, wireTtl } from './ttl.js'
import { pathPart } from './wire.js'

export interface PutItemOptions extends ScopeOptions, Pick<PutItemRequest, 'index' | 'ifVersion'> {
  readonly ttl?: Ttl | undefined
}

/** One namespace, or a namespace with everything below it. */
export interface ItemsBelow {
  readonly namespace?: string | undefined
  readonly prefix?: string | undefined
}

export type SearchItemsOptions = ScopeOptions & Omit<SearchItemsRequest, 'userId' | 'space' | 'project'>

/** Values under a namespace and a key, word for word. Nothing splits, merges or judges them. */
export class Items {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** A retry is safe: the same value again changes nothing. With `ifVersion` it may throw `ConflictError` after a lost response. */
  async put(namespace: string, key: string, value: unknown, options: PutItemOptions = {}): Promise<PutItemAnswer> {
    const { ttl, ...fields } = fieldsOf(options)
    // `undefined` inside a body means "not given"; as JSON, a missing value is null.
    const body = { ...fields, value: value ?? null, ttl: wireTtl(ttl) }
    const query = this.#caller.scope(options)
    return this.#caller.send({ method: 'PUT', path: itemPath(namespace, key), query, body, repeat: 'safe' }, options)
  }

  /** Null if there is no such item. */
  async get(
    namespace: string,
    key: string,
    options: ScopeOptions & { readonly asOf?: string | Date | undefined } = {},
  ): Promise<Item | null> {
    try {
      const query = { ...fieldsOf(options), ...this.#caller.scope(options) }
      const request = { method: 'GET', path: itemPath(namespace, key), query, repeat: 'safe' } as const
      return (await this.#caller.send<GetItemAnswer>(request, options)).item
    } catch (error) {
      if (error instanceof NotFoundError) return null
      throw error
    }
  }

  /** The newest first, at most 20. */
  async versions(
    namespace: string,
    key: string,
    options: ScopeOptions = {},
  ): Promise<ListItemVersionsAnswer['versions']> {
    const query = this.#caller.scope(options)
    const path = `${itemPath(namespace, key)}/versions`
    const request = { method: 'GET', path, query, repeat: 'safe' } as const
    return (await this.#caller.send<ListItemVersionsAnswer>(request, options)).versions
  }

  /** Returns whether there was such an item. */
  async delete(
    namespace: string,
    key: string,
    options: ScopeOptions & { readonly ifVersion?: number | undefined } = {},
  ): Promise<boolean> {
    const query = { ...fieldsOf(options), ...this.#caller.scope(options) }
    const request = { method: 'DELETE', path: itemPath(namespace, key), query, repeat: 'safe' } as const
    return (await this.#caller.send<DeleteItemAnswer>(request, options)).deleted > 0
  }

  /** Deletes the items of a namespace, or below a prefix; returns how many. */
  async deleteAll(below: ItemsBelow, options: ScopeOptions = {}): Promise<number> {
    const query = { ...below, ...this.#caller.scope(options) }
    const request = { method: 'DELETE', path: '/items', query, repeat: 'safe' } as const
    return (await this.#caller.send<DeleteItemAnswer>(request, options)).deleted
  }

  /** By namespace and key. */
  list(options: ScopeOptions & ItemsBelow & { readonly limit?: number } = {}): Listing<Item, ListItemsAnswer> {
    return byCursor(
      (cursor) => this.#page('/items', cursor, options),
      ({ items }) => items,
    )
  }

  /** The namespaces that have items, in their order. */
  namespaces(
    options: ScopeOptions & { readonly prefix?: string | undefined; readonly limit?: number } = {},
  ): Listing<ListNamespacesAnswer['namespaces'][number], ListNamespacesAnswer> {
    return byCursor(
      (cursor) => this.#page('/namespaces', cursor, options),
      ({ namespaces }) => namespaces,
    )
  }

  /** By meaning and words; without a query, the latest changes first. */
  async search(options: SearchItemsOptions = {}): Promise<SearchItemsAnswer> {
    const body = { ...fieldsOf(options), ...this.#caller.scope(options) }
    return this.#caller.send({ method: 'POST', path: '/items/search', body, repeat: 'safe' }, options)
  }

  #page<Answer>(path: string, cursor: string | undefined, options: ScopeOptions): Promise<Answer> {
    const query = { ...fieldsOf(options), cursor, ...this.#caller.scope(options) }
    return this.#caller.send({ method: 'GET', path, query, repeat: 'safe' }, options)
  }
}

function itemPath(namespace: string, key: string): string {
  return `/items/${pathPart(namespace)}/${pathPart(key)}`
}
