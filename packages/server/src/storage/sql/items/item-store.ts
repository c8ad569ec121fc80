import type { ItemStore } from '../../ports/item-store.js'
import type { Transact } from '../session.js'
import { purgeItems, removeItem, removeItems } from './erase-items.js'
import { itemChanges } from './item-feed.js'
import { putItem } from './put-item.js'
import {
  findItem,
  hydrateItems,
  itemVersions,
  listItems,
  listNamespaces,
  matchingItems,
  newestItems,
} from './read-items.js'

interface Transactions {
  readonly read: Transact
  readonly write: Transact
  readonly writeAside: Transact
}

/** @param engine - called for each transaction, because an engine sets these up after this. */
export function itemStore(engine: () => Transactions): ItemStore {
  return {
    put: (scope, item) => engine().write(scope, putItem, scope, item),
    find: (scope, place, at) => engine().read(scope, findItem, scope, place, at),
    versions: (scope, place, now) => engine().read(scope, itemVersions, scope, place, now),
    list: (scope, page) => engine().read(scope, listItems, scope, page),
    namespaces: (scope, page) => engine().read(scope, listNamespaces, scope, page),
    newest: (scope, query) => engine().read(scope, newestItems, scope, query),
    matching: (scope, choice) => engine().read(scope, matchingItems, scope, choice),
    hydrate: (scope, rows) => engine().read(scope, hydrateItems, scope, rows),
    changes: (scope, since, limit) => engine().read(scope, itemChanges, scope, since, limit),
    // Erasing must work on a full disk too.
    remove: (scope, place, expected) => engine().writeAside(scope, removeItem, scope, place, expected),
    removeAll: (scope, below, now) => removeItems(engine().writeAside, scope, below, now),
    purgeExpired: (scope, now) => purgeItems(engine().writeAside, scope, now),
  }
}
