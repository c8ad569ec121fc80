/**
 * LangGraph's long-term memory in Keepsake: `keepsakeStore(BaseStore, client)` with the `BaseStore` of `@langchain/langgraph`. Each
 * namespace of labels is one namespace of items.
 */
import type { Item, SearchItemsAnswer } from './api-types.generated.js'
import type { Keepsake } from './keepsake.js'
import { requireScope } from './memory-tools.js'

/** The operations of LangGraph, as far as they are read here. */
interface Operation {
  readonly namespace?: readonly string[]
  readonly key?: string
  readonly value?: Readonly<Record<string, unknown>> | null
  readonly index?: false | readonly string[]
  readonly namespacePrefix?: readonly string[]
  readonly filter?: Readonly<Record<string, unknown>>
  readonly query?: string
  readonly matchConditions?: readonly MatchCondition[]
  readonly maxDepth?: number
  readonly limit?: number
  readonly offset?: number
}

interface MatchCondition {
  readonly matchType: string
  readonly path: readonly string[]
}

interface StoredItem {
  readonly value: Record<string, unknown>
  readonly key: string
  readonly namespace: string[]
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly score?: number | undefined
}

/** A store of the class `Base`, which checks namespaces and has `get`, `put`, `search`, `delete` and `listNamespaces`. */
export function keepsakeStore<Store extends object>(Base: abstract new () => Store, client: Keepsake): Store {
  requireScope(client)
  // Any class: `batch` is its only abstract method.
  const Any = Base as unknown as new () => object
  class KeepsakeStore extends Any {
    /** Reads see the state before the writes of the same batch, and the last write to a key wins, as in LangGraph's own stores. */
    async batch(operations: readonly Operation[]): Promise<unknown[]> {
      const results: unknown[] = []
      const writes = new Map<string, Operation>()
      for (const operation of operations) {
        if (operation.value === undefined) results.push(await read(client, operation))
        else {
          writes.set(JSON.stringify([operation.namespace, operation.key]), operation)
          results.push(null)
        }
      }
      // One after another: a burst would only hit the rate limit.
      for (const operation of writes.values()) await write(client, operation)
      return results
    }
  }
  // It has what `Base` has, and `batch`.
  return new KeepsakeStore() as Store
}

async function write({ items }: Keepsake, { namespace = [], key = '', value, index }: Operation): Promise<void> {
  const name = nameOf(namespace)
  if (value === null || value === undefined) await items.delete(name, key)
  else await items.put(name, key, value, index === undefined ? {} : { index: index === false ? false : [...index] })
}

async function read(client: Keepsake, operation: Operation): Promise<unknown> {
  if (operation.namespacePrefix !== undefined) return search(client, operation)
  if (operation.key === undefined) return listNamespaces(client, operation)
  const found = await client.items.get(nameOf(operation.namespace ?? []), operation.key)
  return found && storedItem(found)
}

const pageSize = 100

/** The service narrows the search down, and this checks every condition again: a few mean something else in LangGraph. */
async function search({ items }: Keepsake, operation: Operation): Promise<StoredItem[]> {
  const { namespacePrefix = [], filter = {}, query, limit = 10, offset = 0 } = operation
  const prefix = namespacePrefix.length === 0 ? undefined : nameOf(namespacePrefix)
  const narrowed = narrowing(filter)
  const found: StoredItem[] = []
  for (let skipped = 0; found.length < offset + limit; skipped += pageSize) {
    const page: SearchItemsAnswer = await items.search({
      ...(query === undefined || query.trim() === '' ? {} : { query }),
      ...(prefix === undefined ? {} : { prefix }),
      ...(narrowed === undefined ? {} : { filter: narrowed }),
      limit: pageSize,
      offset: skipped,
    })
    const fitting = page.items.filter(({ value }) => meets(value, filter))
    found.push(...fitting.map((item) => ({ ...storedItem(item), score: item.score ?? undefined })))
    if (page.items.length < pageSize) break
  }
  return found.slice(offset, offset + limit)
}

async function listNamespaces({ items }: Keepsake, operation: Operation): Promise<string[][]> {
  const { matchConditions = [], maxDepth, limit, offset = 0 } = operation
  const names = new Set<string>()
  for await (const { namespace } of items.namespaces()) {
    const labels = namespace.split('.')
    if (!matchConditions.every((condition) => matches(condition, labels))) continue
    names.add((maxDepth === undefined ? labels : labels.slice(0, maxDepth)).join('.'))
  }
  const sorted = [...names].sort((a, b) => a.localeCompare(b)).map((name) => name.split('.'))
  return sorted.slice(offset, limit === undefined ? undefined : offset + limit)
}

function matches({ matchType, path }: MatchCondition, labels: readonly string[]): boolean {
  const from = matchType === 'suffix' ? labels.length - path.length : 0
  return from >= 0 && path.every((wanted, index) => wanted === '*' || wanted === labels[from + index])
}

/* ------------------------------------------------------------------ filters */

const comparisons = { $gt: 'gt', $gte: 'gte', $lt: 'lt', $lte: 'lte' } as const

/** The conditions that the service can check without leaving out too much. */
function narrowing(filter: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const conditions: Record<string, unknown> = {}
  for (const [field, wanted] of Object.entries(filter)) {
    const name = `value.${field.replaceAll('\\', '\\\\').replaceAll('.', '\\.')}`
    if (isScalar(wanted)) conditions[name] = wanted
    if (!isOperators(wanted)) continue
    const parts = Object.entries(wanted).flatMap(([operator, operand]) => {
      if (operator === '$eq' && isScalar(operand)) return [['eq', operand]]
      const comparison = Object.entries(comparisons).find(([each]) => each === operator)?.[1]
      return comparison !== undefined && typeof operand === 'number' ? [[comparison, operand]] : []
    })
    if (parts.length > 0) conditions[name] = Object.fromEntries(parts)
  }
  return Object.keys(conditions).length === 0 ? undefined : conditions
}

/** As LangGraph's stores compare. Lists and objects are equal if their parts are. */
function meets(value: unknown, filter: Readonly<Record<string, unknown>>): boolean {
  const fields = isRecord(value) ? value : {}
  return Object.entries(filter).every(([field, wanted]) => {
    const own = Object.hasOwn(fields, field) ? fields[field] : undefined
    if (!isOperators(wanted)) return own === wanted || (own !== undefined && isSame(own, wanted))
    return Object.entries(wanted).every(([operator, operand]) => compare(own, operator, operand))
  })
}

function compare(own: unknown, operator: string, operand: unknown): boolean {
  switch (operator) {
    case '$eq':
      return isSame(own, operand)
    case '$ne':
      return !isSame(own, operand)
    case '$gt':
      return Number(own) > Number(operand)
    case '$gte':
      return Number(own) >= Number(operand)
    case '$lt':
      return Number(own) < Number(operand)
    case '$lte':
      return Number(own) <= Number(operand)
    case '$in':
      return Array.isArray(operand) && operand.some((each) => isSame(own, each))
    case '$nin':
      return !Array.isArray(operand) || !operand.some((each) => isSame(own, each))
    default:
      return false
  }
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, index) => isSame(item, b[index]))
    )
  }
  if (!isRecord(a) || !isRecord(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]))
  )
}

function isOperators(wanted: unknown): wanted is Readonly<Record<string, unknown>> {
  return isRecord(wanted) && Object.keys(wanted).some((name) => name.startsWith('$'))
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/* ------------------------------------------------------------------ items */

/** LangGraph's labels have no dots. */
function nameOf(namespace: readonly string[]): string {
  return namespace.join('.')
}

function storedItem({ namespace, key, value, createdAt, updatedAt }: Item): StoredItem {
  return {
    value: isRecord(value) ? { ...value } : { value },
    key,
    namespace: namespace.split('.'),
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  }
}
