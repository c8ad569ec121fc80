import { isoTimestamp } from '../../core/clock.js'
import { invalid } from '../../core/errors.js'
import type { Item } from '../../core/item.js'
import {
  deleteItem,
  deleteItems,
  getItem,
  itemVersions,
  listItems,
  listNamespaces,
  putItem,
} from '../../service/items/items.js'
import { searchItems } from '../../service/items/search-items.js'
import { scopeForOneUser, scopeForStoring, scopeIn } from '../access/caller-scope.js'
import { readBelow, readIndex, readItemCursor, readPlace, readValue, writeItemCursor } from '../body/item-values.js'
import { readItemFilter } from '../body/read-filter.js'
import { readAsOf, readTtl } from '../body/request-values.js'
import { endpoint } from '../endpoint.js'
import { itemExample } from '../openapi/examples.js'
import {
  deleteItemAnswer,
  deleteItemQuery,
  deleteItemsQuery,
  getItemQuery,
  itemAnswer,
  itemOwnerQuery,
  itemParams,
  itemsAnswer,
  itemVersionsAnswer,
  listItemsQuery,
  namespacesAnswer,
  namespacesQuery,
  putItemAnswer,
  putItemRequest,
  searchItemsAnswer,
  searchItemsRequest,
} from '../schemas/item.js'

const shared = { tag: 'Items', access: 'user', needs: 'read', limit: 'default', forApplications: 'all' } as const

function itemView(item: Item) {
  return {
    ...{ namespace: item.namespace, key: item.key, project: item.project, value: item.value, version: item.version },
    ...{ trust_score: item.trustScore, flagged: item.flagged },
    created_at: isoTimestamp(item.createdAt),
    updated_at: isoTimestamp(item.updatedAt),
    expires_at: item.expiresAt === null ? null : isoTimestamp(item.expiresAt),
  }
}

export const putItemEndpoint = endpoint({
  ...shared,
  method: 'PUT',
  path: '/items/{namespace}/{key}',
  operationId: 'putItem',
  summary: 'Keep a value under a key',
  description:
    'The value is kept word for word, apart from secrets. The previous value becomes a version. The same value again adds none, and may set another ttl.',
  needs: 'change',
  versioned: true,
  params: itemParams,
  query: itemOwnerQuery,
  body: putItemRequest,
  answer: putItemAnswer,
  example: {
    request: { value: itemExample.value },
    answer: { status: 'success', created: true, item: itemExample },
  },
  async handle({ deps, actor, caller, params, query, body }) {
    const scope = await scopeIn({ deps, caller }, query, 'writer', scopeForStoring)
    const { item, isCreated, redacted } = await putItem(deps, actor, scope, {
      ...readPlace(params),
      value: readValue(body.value),
      fields: readIndex(body.index),
      ttl: readTtl(body.ttl),
      ifVersion: body.if_version,
    })
    return {
      status: 'success' as const,
      created: isCreated,
      item: itemView(item),
      ...(redacted.length === 0 ? {} : { redacted: [...redacted] }),
    }
  },
})

export const getItemEndpoint = endpoint({
  ...shared,
  method: 'GET',
  path: '/items/{namespace}/{key}',
  operationId: 'getItem',
  summary: 'Get the value under a key',
  notFound: true,
  params: itemParams,
  query: getItemQuery,
  answer: itemAnswer,
  example: { answer: { item: itemExample } },
  async handle({ deps, caller, params, query }) {
    const scope = await scopeIn({ deps, caller }, query, 'reader', scopeForOneUser)
    return { item: itemView(await getItem(deps, scope, readPlace(params), readAsOf(query.as_of))) }
  },
})

const versions = endpoint({
  ...shared,
  method: 'GET',
  path: '/items/{namespace}/{key}/versions',
  operationId: 'listItemVersions',
  summary: 'List the versions of an item, newest first',
  description: 'The last 20 are kept. A deleted item has none.',
  notFound: true,
  params: itemParams,
  query: itemOwnerQuery,
  answer: itemVersionsAnswer,
  async handle({ deps, caller, params, query }) {
    const scope = await scopeIn({ deps, caller }, query, 'reader', scopeForOneUser)
    const found = await itemVersions(deps, scope, readPlace(params))
    return {
      versions: found.map(({ version, value, validFrom, validTo }) => ({
        ...{ version, value, valid_from: isoTimestamp(validFrom) },
        valid_to: validTo === null ? null : isoTimestamp(validTo),
      })),
    }
  },
})

const remove = endpoint({
  ...shared,
  method: 'DELETE',
  path: '/items/{namespace}/{key}',
  operationId: 'deleteItem',
  summary: 'Delete an item with all of its versions',
  description: 'Deletes nothing if there is no such item.',
  needs: 'change',
  versioned: true,
  params: itemParams,
  query: deleteItemQuery,
  answer: deleteItemAnswer,
  example: { answer: { status: 'success', deleted: 1 } },
  async handle({ deps, actor, caller, params, query }) {
    const scope = await scopeIn({ deps, caller }, query, 'writer', scopeForOneUser)
    const isDeleted = await deleteItem(deps, actor, scope, readPlace(params), query.if_version)
    return { status: 'success' as const, deleted: isDeleted ? 1 : 0 }
  },
})

const list = endpoint({
  ...shared,
  method: 'GET',
  path: '/items',
  operationId: 'listItems',
  summary: 'List items by namespace and key',
  description:
    'Of one namespace, of a prefix with everything below it, or all. A page with more than 4 MB of values ends early: continue with next_cursor.',
  query: listItemsQuery,
  answer: itemsAnswer,
  example: { answer: { items: [itemExample], limit: 50, next_cursor: null } },
  async handle({ deps, caller, query }) {
    const { limit, cursor } = query
    const below = readBelow(query)
    const after = cursor === undefined ? undefined : readItemCursor(cursor)
    const scope = await scopeIn({ deps, caller }, query, 'reader', scopeForOneUser)
    const { items, next } = await listItems(deps, scope, { limit, below, after })
    return { items: items.map(itemView), limit, next_cursor: next && writeItemCursor(next) }
  },
})

const namespaces = endpoint({
  ...shared,
  method: 'GET',
  path: '/namespaces',
  operationId: 'listNamespaces',
  summary: 'List the namespaces that have items',
  query: namespacesQuery,
  answer: namespacesAnswer,
  example: { answer: { namespaces: [{ namespace: itemExample.namespace, items: 1 }], limit: 100, next_cursor: null } },
  async handle({ deps, caller, query }) {
    const { limit, cursor, prefix } = query
    const after = cursor === undefined ? undefined : readItemCursor(cursor).namespace
    const scope = await scopeIn({ deps, caller }, query, 'reader', scopeForOneUser)
    const { items, next } = await listNamespaces(deps, scope, { limit, prefix, after })
    const nextCursor = next === null ? null : writeItemCursor({ namespace: next, key: '' })
    return { namespaces: items.map((each) => ({ ...each })), limit, next_cursor: nextCursor }
  },
})

const removeBelow = endpoint({
  ...shared,
  method: 'DELETE',
  path: '/items',
  operationId: 'deleteItems',
  summary: 'Delete the items of a namespace, or of a prefix with everything below it',
  needs: 'change',
  limit: 'forget',
  query: deleteItemsQuery,
  answer: deleteItemAnswer,
  example: { answer: { status: 'success', deleted: 12 } },
  async handle({ deps, actor, caller, query }) {
    const below = readBelow(query)
    if (below === undefined) throw invalid('', 'one of namespace and prefix is required; nothing was deleted')
    const scope = await scopeIn({ deps, caller }, query, 'owner', scopeForOneUser)
    return { status: 'success' as const, deleted: await deleteItems(deps, actor, scope, below) }
  },
})

export const searchItemsEndpoint = endpoint({
  ...shared,
  method: 'POST',
  path: '/items/search',
  operationId: 'searchItems',
  summary: 'Search items by meaning and words',
  description:
    'Within a namespace or a prefix, and with conditions on the value. Without a query: the latest changes first.',
  limit: 'recall',
  body: searchItemsRequest,
  bodyOptional: true,
  answer: searchItemsAnswer,
  example: {
    request: { query: 'dark mode', prefix: 'users' },
    answer: { items: [{ ...itemExample, score: 0.7 }] },
  },
  async handle({ deps, actor, caller, body }) {
    const below = readBelow(body)
    const filter = body.filter && readItemFilter(body.filter)
    const scope = await scopeIn({ deps, caller }, body, 'reader', scopeForOneUser)
    const found = await searchItems(deps, actor, scope, {
      ...{ text: body.query, below, filter },
      threshold: body.threshold ?? 0,
      includeFlagged: body.include_flagged ?? false,
      limit: body.limit ?? 10,
      offset: body.offset ?? 0,
    })
    return {
      items: found.items.map(({ item, score }) => ({ ...itemView(item), score })),
      ...(found.degraded.length === 0 ? {} : { degraded: [...found.degraded] }),
    }
  },
})

export const itemEndpoints = [
  putItemEndpoint,
  getItemEndpoint,
  versions,
  remove,
  list,
  removeBelow,
  namespaces,
  searchItemsEndpoint,
]
