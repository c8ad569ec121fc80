/**
 * Mastra's threads, messages and resources in Keepsake: `keepsakeMemoryStorage(storage, client)` with the module `@mastra/core/storage`.
 * Each is one item. Mastra's own storage in memory decides what a call means: a call runs on a copy of the items that it concerns, and
 * the differences are written. The client's user owns them all; Mastra keeps its resources apart.
 */
import type { Item } from './api-types.generated.js'
import { ConflictError } from './errors.js'
import { labelOf } from './item-log.js'
import type { Keepsake } from './keepsake.js'
import { requireScope } from './memory-tools.js'

type Fields = Readonly<Record<string, unknown>>

/** The maps of Mastra's `InMemoryDB` that are used here. */
export interface MastraMaps {
  readonly threads: Map<string, unknown>
  readonly messages: Map<string, unknown>
  readonly resources: Map<string, unknown>
}

/** From `@mastra/core/storage`. */
export interface MastraParts<Storage extends object, Maps extends MastraMaps> {
  readonly MemoryStorage: abstract new () => Storage
  readonly InMemoryDB: new () => Maps
  readonly InMemoryMemory: new (given: { db: Maps }) => object
}

/** The calls of Mastra's storage, as far as they are read here. */
interface Given {
  readonly threadId?: string | readonly string[]
  readonly sourceThreadId?: string
  readonly newThreadId?: string
  readonly id?: string
  readonly resourceId?: string
  readonly messageIds?: readonly string[]
  readonly include?: readonly { readonly id: string }[]
  readonly messages?: readonly { readonly id: string; readonly threadId?: string }[]
}

/** What a call concerns. `true`: all of them. */
interface Concerned {
  readonly threads?: readonly string[] | true
  /** All messages of these threads. */
  readonly messagesOf?: readonly string[] | true
  /** Messages with these ids, in any thread. */
  readonly messages?: readonly string[]
  /** All messages of the threads of messages with these ids. */
  readonly around?: readonly string[]
  readonly resources?: readonly string[]
}

type Kind = 'threads' | 'messages' | 'resources'

const root = 'mastra'
const threads = `${root}.threads`
const messages = `${root}.messages`
const resources = `${root}.resources`

/** Two writers of one thread: the loser reads again. */
const mostAttempts = 8

/** For `new MastraCompositeStore({ id: 'keepsake', domains: { memory: keepsakeMemoryStorage(storage, client) } })`. */
export function keepsakeMemoryStorage<Storage extends object, Maps extends MastraMaps>(
  parts: MastraParts<Storage, Maps>,
  client: Keepsake,
): Storage {
  requireScope(client)
  const copy = new CopyOfItems(client)

  /** Runs a call of Mastra's own storage on a copy, and writes what it changed. */
  async function on<Result>(concerned: Concerned, method: string, ...given: unknown[]): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      const maps = new parts.InMemoryDB()
      const before = await copy.read(maps, concerned)
      const own = new parts.InMemoryMemory({ db: maps })
      // A method of Mastra's storage, which takes and returns what this class does.
      const call = Reflect.get(own, method) as (...given: unknown[]) => Promise<Result>
      const result = await call.apply(own, given)
      try {
        await copy.write(before, maps)
        return result
      } catch (error) {
        if (!(error instanceof ConflictError) || attempt === mostAttempts) throw error
      }
    }
  }

  // Its constructor needs no arguments, and its other methods use the ones below.
  const Base = parts.MemoryStorage as unknown as new () => object
  class KeepsakeMemoryStorage extends Base {
    readonly supportsPartialThreadUpdate = true

    async dangerouslyClearAll(): Promise<void> {
      await client.items.deleteAll({ prefix: root })
    }

    getThreadById(given: Given) {
      return on(threadsOf(given), 'getThreadById', given)
    }

    saveThread(given: { readonly thread: { readonly id: string } }) {
      return on({ threads: [given.thread.id] }, 'saveThread', given)
    }

    updateThread(given: Given) {
      return on({ threads: one(given.id) }, 'updateThread', given)
    }

    deleteThread(given: Given) {
      return on({ ...threadsOf(given), messagesOf: list(given.threadId) }, 'deleteThread', given)
    }

    listMessages(given: Given) {
      return on({ messagesOf: list(given.threadId), around: included(given) }, 'listMessages', given)
    }

    listMessagesByResourceId(given: Given) {
      return on({ messagesOf: true }, 'listMessagesByResourceId', given)
    }

    listMessagesById(given: Given) {
      return on({ messages: given.messageIds ?? [] }, 'listMessagesById', given)
    }

    saveMessages(given: Given) {
      const saved = given.messages ?? []
      const ofThreads = [...new Set(saved.flatMap(({ threadId }) => one(threadId)))]
      return on({ threads: ofThreads, messages: saved.map(({ id }) => id) }, 'saveMessages', given)
    }

    async updateMessages(given: Given) {
      const changed = (given.messages ?? []).map(({ id }) => id)
      const target = (given.messages ?? []).flatMap(({ threadId }) => one(threadId))
      return on(
        { threads: [...target, ...(await copy.threadsWith(changed))], messages: changed },
        'updateMessages',
        given,
      )
    }

    async deleteMessages(ids: readonly string[]) {
      return on({ threads: await copy.threadsWith(ids), messages: ids }, 'deleteMessages', ids)
    }

    listThreads(given: Given) {
      return on({ threads: true }, 'listThreads', given)
    }

    copyThread(given: Given) {
      const source = one(given.sourceThreadId)
      return on({ threads: [...source, ...one(given.newThreadId)], messagesOf: source }, 'copyThread', given)
    }

    getResourceById(given: Given) {
      return on({ resources: one(given.resourceId) }, 'getResourceById', given)
    }

    saveResource(given: { readonly resource: { readonly id: string } }) {
      return on({ resources: [given.resource.id] }, 'saveResource', given)
    }

    updateResource(given: Given) {
      return on({ resources: one(given.resourceId) }, 'updateResource', given)
    }
  }
  // It has what `MemoryStorage` has.
  return new KeepsakeMemoryStorage() as Storage
}

function one(id: string | undefined): string[] {
  return id === undefined || id === '' ? [] : [id]
}

function list(ids: string | readonly string[] | undefined): string[] {
  return (typeof ids === 'string' ? [ids] : [...(ids ?? [])]).filter((id) => id.trim() !== '')
}

function threadsOf({ threadId }: Given): Concerned {
  return { threads: list(threadId) }
}

function included({ include }: Given): string[] {
  return (include ?? []).map(({ id }) => id)
}

/* ------------------------------------------------------------------ the copy */

/** An item before the call. */
interface Known extends Pick<Item, 'namespace' | 'key' | 'version'> {
  /** Of the value. */
  readonly text: string
}

/** By kind and id. */
type Before = ReadonlyMap<string, Known>

class CopyOfItems {
  readonly #client: Keepsake

  constructor(client: Keepsake) {
    this.#client = client
  }

  /** Fills the maps. */
  async read(maps: MastraMaps, concerned: Concerned): Promise<Before> {
    const before = new Map<string, Known>()
    const take = (kind: Kind, found: readonly Item[]) => {
      for (const { namespace, key, version, value } of [...found].sort(byOrigin)) {
        // Only this class writes them.
        const fields = value as Fields
        const id = String(fields.id)
        maps[kind].set(id, withDates(fields))
        before.set(`${kind} ${id}`, { namespace, key, version, text: JSON.stringify(storable(maps[kind].get(id))) })
      }
    }
    take('threads', await this.#named(threads, concerned.threads ?? []))
    take('resources', await this.#named(resources, concerned.resources ?? []))
    take('messages', await this.#withIds(concerned.messages ?? []))
    const around = concerned.messagesOf === true ? [] : await this.threadsWith(concerned.around ?? [])
    const inThreads = concerned.messagesOf === true ? true : [...new Set([...(concerned.messagesOf ?? []), ...around])]
    take('messages', await this.#messagesOf(inThreads))
    return before
  }

  /** Messages before threads, so that an interrupted deletion can be repeated. */
  async write(before: Before, maps: MastraMaps): Promise<void> {
    for (const kind of ['messages', 'resources', 'threads'] as const) {
      for (const [id, value] of maps[kind]) await this.#put(before.get(`${kind} ${id}`), kind, id, value)
    }
    for (const [name, { namespace, key }] of before) {
      const [kind, id] = [name.slice(0, name.indexOf(' ')) as Kind, name.slice(name.indexOf(' ') + 1)]
      if (!maps[kind].has(id)) await this.#client.items.delete(namespace, key)
    }
  }

  /** The ids of the threads that have these messages. */
  async threadsWith(messageIds: readonly string[]): Promise<string[]> {
    const found = await this.#withIds(messageIds)
    // Only this class writes them.
    return [...new Set(found.map(({ value }) => String((value as Fields).thread_id)))]
  }

  async #put(known: Known | undefined, kind: Kind, id: string, value: unknown): Promise<void> {
    const fields = storable(value)
    if (known?.text === JSON.stringify(fields)) return
    const namespace = kind === 'messages' ? `${messages}.${labelOf(String(fields.thread_id))}` : `${root}.${kind}`
    const isMoved = known !== undefined && known.namespace !== namespace
    // Messages are written once; threads and resources have several writers.
    const ifVersion = kind === 'messages' ? undefined : (known?.version ?? 0)
    const key = labelOf(id)
    await this.#client.items.put(namespace, key, fields, {
      index: false,
      ...(ifVersion === undefined ? {} : { ifVersion }),
    })
    if (isMoved) await this.#client.items.delete(known.namespace, known.key)
  }

  async #named(namespace: string, ids: readonly string[] | true): Promise<Item[]> {
    if (ids === true) return this.#client.items.list({ namespace, limit: 500 }).toArray()
    const found: Item[] = []
    for (const id of new Set(ids)) {
      const item = await this.#client.items.get(namespace, labelOf(id))
      if (item !== null) found.push(item)
    }
    return found
  }

  async #messagesOf(threadIds: readonly string[] | true): Promise<Item[]> {
    if (threadIds === true) return this.#client.items.list({ prefix: messages, limit: 500 }).toArray()
    const found: Item[] = []
    for (const id of threadIds) {
      found.push(...(await this.#client.items.list({ namespace: `${messages}.${labelOf(id)}`, limit: 500 }).toArray()))
    }
    return found
  }

  /** A search, because the thread of a message is not known. */
  async #withIds(ids: readonly string[]): Promise<Item[]> {
    const wanted = [...new Set(ids)]
    const found: Item[] = []
    for (let from = 0; from < wanted.length; from += mostPerSearch) {
      const filter = { 'value.id': { in: wanted.slice(from, from + mostPerSearch) } }
      const page = await this.#client.items.search({
        prefix: messages,
        filter,
        limit: mostPerSearch,
        includeFlagged: true,
      })
      found.push(...page.items)
    }
    return found
  }
}

const mostPerSearch = 100

/** In the order in which they were saved: it decides between messages with the same time. Versions grow with every change of the user. */
function byOrigin(a: Item, b: Item): number {
  return a.createdAt.localeCompare(b.createdAt) || a.version - b.version
}

/** JSON with dates as texts. */
function storable(value: unknown): Fields {
  // An object of Mastra stays an object.
  return JSON.parse(JSON.stringify(value)) as Fields
}

function withDates(fields: Fields): object {
  const dates = ['createdAt', 'updatedAt'].filter((name) => typeof fields[name] === 'string')
  return { ...fields, ...Object.fromEntries(dates.map((name) => [name, new Date(String(fields[name]))])) }
}
