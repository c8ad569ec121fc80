import type {
  DeleteMemoriesAnswer,
  GetActivityAnswer,
  GetHealthAnswer,
  GetHealthUnavailableAnswer,
  GetMemoryAnswer,
  GetMemoryHistoryAnswer,
  GetProfileAnswer,
  ListEventsAnswer,
  ListMemoriesAnswer,
  ListProjectsAnswer,
  ListUsersAnswer,
  Memory,
  MemoryEvent,
  MemoryVersion,
  Message,
  Provenance,
  RecallMemoriesAnswer,
  ReleaseMemoryAnswer,
  RunCleanupAnswer,
  StoreBatchAnswer,
  StoreMemoriesAnswer,
  UpdateMemoryAnswer,
} from './api-types.generated.js'
import { baseUrlOf } from './base-url.js'
import { Caller, checkSpace, checkUserId, fieldsOf, type Scope } from './caller.js'
import { systemClock } from './clock.js'
import { Contradictions } from './contradictions.js'
import { Decay } from './decay.js'
import { Entities } from './entities.js'
import { Events, type MissedEvents } from './events.js'
import { Grants } from './grants.js'
import { checkedIdempotencyKey, newIdempotencyKey } from './idempotency-key.js'
import { Items } from './items.js'
import { Keys } from './keys.js'
import { byCursor, type Listing } from './listing.js'
import type {
  BatchItem,
  BatchOptions,
  CallOptions,
  CleanupOptions,
  EventsOptions,
  EventsPageOptions,
  Forgotten,
  HistoryPageOptions,
  KeepsakeOptions,
  ListOptions,
  ListPageOptions,
  MemoryChanges,
  OwnerOptions,
  ProfileOptions,
  RecallOptions,
  ScopeOptions,
  StoreOptions,
  UsersPageOptions,
} from './options.js'
import { Spaces } from './spaces.js'
import { positive, Transport, wholeNumber } from './transport.js'
import { wireTtl } from './ttl.js'
import { pathPart } from './wire.js'

export type Health = GetHealthAnswer | GetHealthUnavailableAnswer

/** How the service calls the user of a key. */
const ownUser = 'me'

export class Keepsake {
  readonly entities: Entities
  readonly contradictions: Contradictions
  readonly decay: Decay
  readonly keys: Keys
  readonly spaces: Spaces
  readonly items: Items
  readonly grants: Grants
  readonly #caller: Caller
  readonly #events: Events
  // Private, so that printing a client does not reveal the key.
  readonly #options: KeepsakeOptions

  constructor(options: KeepsakeOptions) {
    const { userId, space, project } = options
    if (userId !== undefined) checkUserId(userId)
    if (space !== undefined) checkSpace(space)
    const caller = new Caller(openTransport(options), { userId, space, project })
    this.#caller = caller
    this.#options = options
    this.entities = new Entities(caller)
    this.contradictions = new Contradictions(caller)
    this.decay = new Decay(caller)
    this.keys = new Keys(caller.transport)
    this.spaces = new Spaces(caller)
    this.items = new Items(caller)
    this.grants = new Grants(caller.transport)
    this.#events = new Events(caller)
  }

  get userId(): string | undefined {
    return this.#caller.defaults.userId
  }

  get space(): string | undefined {
    return this.#caller.defaults.space
  }

  get project(): string | undefined {
    return this.#caller.defaults.project
  }

  get hasApiKey(): boolean {
    return this.#caller.transport.hasApiKey
  }

  /** A client for another user with the same settings, for servers that serve many users. A null `project` means all projects. */
  forUser(userId: string, project: string | null | undefined = this.project): Keepsake {
    checkUserId(userId)
    return new Keepsake({ ...this.#options, userId, project: project ?? undefined })
  }

  /** A client for the memories of a space with the same settings. Null means the memories of the user. */
  inSpace(space: string | null): Keepsake {
    return new Keepsake({ ...this.#options, space: space ?? undefined })
  }

  /** Stores a text or a conversation. Retried after a failure only with an idempotency key. */
  async store(text: string | readonly Message[], options: StoreOptions = {}): Promise<StoreMemoriesAnswer> {
    const { ttl, idempotent = this.#options.idempotent, idempotencyKey: givenKey, ...fields } = fieldsOf(options)
    const ownKey = idempotent ? newIdempotencyKey() : undefined
    const idempotencyKey = givenKey === undefined ? ownKey : checkedIdempotencyKey(givenKey)
    const body = {
      ...(typeof text === 'string' ? { content: text } : { messages: text }),
      ...fields,
      ttl: wireTtl(ttl),
      ...this.#caller.scope(options),
    }
    const repeat = idempotencyKey === undefined ? 'never' : 'keyed'
    return this.#caller.send({ method: 'POST', path: '/store', body, idempotencyKey, repeat }, options)
  }

  /**
   * Stores up to 1,000 texts in their order. Each item has its own result: `refused` is final, `failed` may be
   * sent again. Retried after a failure only with an idempotency key. Waits up to two minutes, unless `timeoutMs` says otherwise.
   */
  async storeBatch(items: readonly BatchItem[], options: BatchOptions = {}): Promise<StoreBatchAnswer> {
    const { idempotent = this.#options.idempotent, idempotencyKey: givenKey, timeoutMs = batchTimeoutMs } = options
    const ownKey = idempotent ? newIdempotencyKey() : undefined
    const idempotencyKey = givenKey === undefined ? ownKey : checkedIdempotencyKey(givenKey)
    const { userId, space, project } = this.#caller.scope(options)
    const body = { userId, items: items.map((item) => batchItem(item, { space, project })) }
    const isKeyed = idempotencyKey !== undefined || items.every((item) => item.idempotencyKey !== undefined)
    const repeat = isKeyed ? 'keyed' : 'never'
    const request = { method: 'POST', path: '/store/batch', body, idempotencyKey, repeat } as const
    return this.#caller.send(request, { ...options, timeoutMs })
  }

  /** The same as {@link store}. */
  async add(text: string | readonly Message[], options: StoreOptions = {}): Promise<StoreMemoriesAnswer> {
    return this.store(text, options)
  }

  /** Returns memories by relevance, and their text as a context. A retry only counts as another access. */
  async recall(query: string, options: RecallOptions = {}): Promise<RecallMemoriesAnswer> {
    const { space, ...scope } = this.#caller.scope(options)
    const spaces = space === undefined ? undefined : [space]
    const body = { query, spaces, ...fieldsOf(options), ...scope }
    return this.#caller.send({ method: 'POST', path: '/recall', body, repeat: 'safe' }, options)
  }

  /** The same as {@link recall}. */
  async search(query: string, options: RecallOptions = {}): Promise<RecallMemoriesAnswer> {
    return this.recall(query, options)
  }

  /**
   * Changes a memory. Retried only after a rate limit: after a lost response, a retry could overwrite a newer change and
   * restart the TTL.
   */
  async update(id: string, changes: MemoryChanges, options: OwnerOptions = {}): Promise<UpdateMemoryAnswer> {
    // The client's project limits what it sees. It does not move memories.
    const body = { ...changes, ttl: wireTtl(changes.ttl), ...this.#caller.owner(options) }
    return this.#caller.send({ method: 'PUT', path: memoryPath(id), body, repeat: 'if-refused' }, options)
  }

  /** Makes a memory that content protection flagged an ordinary one. A repeated call returns the same result. */
  async release(id: string, options: OwnerOptions = {}): Promise<Memory> {
    const path = `${memoryPath(id)}/release`
    const request = { method: 'POST', path, body: this.#caller.owner(options), repeat: 'safe' } as const
    return (await this.#caller.send<ReleaseMemoryAnswer>(request, options)).memory
  }

  /**
   * Erases memories permanently. A request by ids is safe to retry, because ids are never reused (after a lost response,
   * `deleted` may be too small). A request by filter or for all memories is retried only after a rate limit, because something may have
   * been stored in the meantime.
   */
  async forget(which: Forgotten, options: ScopeOptions = {}): Promise<DeleteMemoriesAnswer> {
    const ids = typeof which === 'string' ? [which] : which
    const byId = isList(ids)
    const chosen = byId ? { memoryIds: ids } : 'filter' in ids ? { filter: ids.filter } : { all: ids.all }
    const body = { ...chosen, ...this.#caller.scope(options) }
    const repeat = byId ? 'safe' : 'if-refused'
    return this.#caller.send({ method: 'DELETE', path: '/memories', body, repeat }, options)
  }

  async get(id: string, options: OwnerOptions = {}): Promise<Memory> {
    return (await this.#read<GetMemoryAnswer>(memoryPath(id), options)).memory
  }

  /** What is known about the user, by topic, with a text for the top of a prompt. */
  async profile(options: ProfileOptions = {}): Promise<GetProfileAnswer> {
    const { topics, ...fields } = fieldsOf(options)
    const { userId = ownUser, ...scope } = this.#caller.scope(options)
    const query = { ...fields, topics: topics?.join(','), ...scope }
    return this.#caller.send(
      { method: 'GET', path: `/users/${pathPart(userId)}/profile`, query, repeat: 'safe' },
      options,
    )
  }

  /** The versions of a memory, and the texts it was made from, each oldest first. Fetched page by page. */
  async history(id: string, options: OwnerOptions = {}): Promise<GetMemoryHistoryAnswer> {
    const [versions, provenance] = [[] as MemoryVersion[], [] as Provenance[]]
    const listing = byCursor(
      (cursor) => this.historyPage(id, { ...options, cursor }),
      ({ versions: all }) => all,
    )
    for await (const page of listing.pages()) {
      versions.push(...page.versions)
      provenance.push(...page.provenance)
    }
    return { memoryId: id, versions, provenance, nextCursor: null }
  }

  /** One page: the versions come first, then the texts. */
  async historyPage(id: string, options: HistoryPageOptions = {}): Promise<GetMemoryHistoryAnswer> {
    const query = { ...fieldsOf(options), ...this.#caller.owner(options) }
    return this.#caller.send({ method: 'GET', path: `${memoryPath(id)}/history`, query, repeat: 'safe' }, options)
  }

  /** All memories, newest first, fetched page by page as they are read. */
  list(options: ListOptions = {}): Listing<Memory, ListMemoriesAnswer> {
    return byCursor(
      (cursor = options.cursor) => this.listPage({ ...options, cursor }),
      ({ memories }) => memories,
    )
  }

  async listPage(options: ListPageOptions = {}): Promise<ListMemoriesAnswer> {
    const query = { ...fieldsOf(options), ...this.#caller.scope(options) }
    return this.#caller.send({ method: 'GET', path: '/memories', query, repeat: 'safe' }, options)
  }

  /** Lists expired memories, and purges them with `dryRun: false`. Memories that expire in between may be purged too. */
  async cleanup(options: CleanupOptions = {}): Promise<RunCleanupAnswer> {
    const body = { ...fieldsOf(options), ...this.#caller.scope(options) }
    return this.#caller.send({ method: 'POST', path: '/temporal/cleanup', body, repeat: 'safe' }, options)
  }

  /**
   * Yields events about memories as they happen and never ends: leave the loop or abort the signal to stop. Reconnects
   * automatically and continues after the last event read.
   */
  events(options: EventsOptions = {}): AsyncGenerator<MemoryEvent | MissedEvents, void, undefined> {
    return this.#events.follow(options)
  }

  /** One page of the event log: from the oldest event kept, or after `since`. */
  async eventsPage(options: EventsPageOptions = {}): Promise<ListEventsAnswer> {
    return this.#events.page(options)
  }

  /** One page of the users who have memories, by id. Needs the master key, unless authentication is off. */
  async usersPage({ q, limit, page, ...options }: UsersPageOptions = {}): Promise<ListUsersAnswer> {
    return this.#caller.send({ method: 'GET', path: '/users', query: { q, limit, page }, repeat: 'safe' }, options)
  }

  /** The projects of the user, those with the most memories first. */
  async projects(options: OwnerOptions = {}): Promise<ListProjectsAnswer['projects']> {
    return (await this.#read<ListProjectsAnswer>('/projects', options)).projects
  }

  /** How many memories were created per day in UTC, oldest first. */
  async activity(options: ScopeOptions = {}): Promise<GetActivityAnswer['days']> {
    const query = { ...this.#caller.scope(options) }
    const request = { method: 'GET', path: '/temporal/activity', query, repeat: 'safe' } as const
    return (await this.#caller.send<GetActivityAnswer>(request, options)).days
  }

  /** Also returns the answer of an unhealthy service. No response at all is an error, as for every call. */
  async health(options: CallOptions = {}): Promise<Health> {
    return this.#caller.send({ method: 'GET', path: '/health', repeat: 'safe', alsoAnswer: 503 }, options)
  }

  #read<Answer>(path: string, options: OwnerOptions): Promise<Answer> {
    return this.#caller.send({ method: 'GET', path, query: this.#caller.owner(options), repeat: 'safe' }, options)
  }
}

function openTransport(options: KeepsakeOptions): Transport {
  const { apiKey, timeoutMs = 30_000, maxRetries = 2, maxAnswerBytes = 64 * 1024 * 1024 } = options
  // Checked here because the platform's error about an invalid header would contain the key.
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('apiKey must be visible ASCII characters: does it contain a space or a line break?')
  }
  return new Transport({
    baseUrl: baseUrlOf(options.url),
    apiKey,
    timeoutMs: positive('timeoutMs', timeoutMs),
    maxRetries: wholeNumber('maxRetries', maxRetries),
    maxAnswerBytes: positive('maxAnswerBytes', maxAnswerBytes),
    // Looked up at each call, so that a later replacement is used. Browsers require it to be called on the global object.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  })
}

/** The service begins no further items after a minute. */
const batchTimeoutMs = 120_000

/** An item's own space and project override those of the batch; null means none. */
function batchItem(
  { text, ttl, space, project, ...fields }: BatchItem,
  defaults: Pick<Scope, 'space' | 'project'>,
): object {
  if (space !== undefined && space !== null) checkSpace(space)
  return {
    ...(typeof text === 'string' ? { content: text } : { messages: text }),
    ...fields,
    ttl: wireTtl(ttl),
    space: (space === undefined ? defaults.space : space) ?? undefined,
    project: (project === undefined ? defaults.project : project) ?? undefined,
  }
}

function memoryPath(id: string): string {
  return `/memories/${pathPart(id)}`
}

/** `Array.isArray` does not narrow a union with a readonly array. */
function isList(value: Exclude<Forgotten, string>): value is readonly string[] {
  return Array.isArray(value)
}
