/** The embedded engine: SQLite on threads of its own. This class only carries calls to them. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { EventMark } from '../../core/memory-event.js'
import type { NobodyScope, Scope, UserScope } from '../../core/scope.js'
import { workerUrl } from '../../core/worker-url.js'
import type { ContradictionQuery, Decision } from '../ports/contradictions.js'
import type { ManualMerge } from '../ports/entity-merges.js'
import type { GraphQuery } from '../ports/graph.js'
import type { RawText } from '../ports/inbox.js'
import type { NewKey } from '../ports/key-store.js'
import type {
  Access,
  ChangeMark,
  EntityQuery,
  FactsToRecognise,
  ListQuery,
  MatchFilter,
  MemoryReads,
  MemoryWrites,
  Storage,
  StoreCommit,
  VersionChange,
} from '../ports/storage.js'
import type { DecayQuery } from '../ports/temporal-reads.js'
import type { OutdatedMark, ReplacedVector } from '../ports/vector-upkeep.js'
import type { NewWebhook, WebhookClaim, WebhookProgress } from '../ports/webhook-store.js'
import { WriteRefusal } from '../write-refusal.js'
import { claimsInProcess } from './claims.js'
import { DataDirectoryUnusable, type DirectoryLock, lockDirectory } from './directory-lock.js'
import { unpack } from './feed-slice.js'
import { unpackVersions } from './hydrate.js'
import { unpackConnected } from './match.js'
import type { Reads } from './reads.js'
import { type StartWorker, Thread } from './thread.js'
import type { VacuumSettings } from './vacuum.js'
import type { Writes } from './writes.js'

export { DataDirectoryInUse } from './directory-lock.js'

export interface SqliteOptions {
  readonly dataDir: string
  readonly log?: (message: string) => void
  /** When and up to which size the file is written anew after erasures. */
  readonly vacuum?: Partial<VacuumSettings>
  /** Tests have threads that are ready. */
  readonly startWorker?: StartWorker | undefined
}

export async function openSqliteStorage(options: SqliteOptions): Promise<Storage> {
  const { dataDir, log = () => undefined, startWorker } = options
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const lock = lockDirectory(dataDir)
  const path = join(dataDir, 'keepsake.db')
  const thread = { path, log, startWorker }
  const writer = new Thread<Writes>({
    ...thread,
    url: workerUrl(import.meta.url, './writer-worker.js'),
    vacuum: options.vacuum,
  })
  const readerUrl = workerUrl(import.meta.url, './reader-worker.js')
  const first = new Thread<Reads>({ ...thread, url: readerUrl })
  const second = new Thread<Reads>({ ...thread, url: readerUrl })
  try {
    // The writer first: it brings the schema up to date. The second reader starts when the first is busy.
    await writer.start()
    await first.start()
  } catch (error) {
    await Promise.all([writer, first, second].map((each) => each.terminate()))
    lock.release()
    throw new DataDirectoryUnusable(error instanceof Error ? error.message : String(error), { cause: error })
  }
  return new SqliteStorage(lock, writer, first, second)
}

class SqliteStorage implements Storage {
  readonly #lock: DirectoryLock
  readonly #writer: Thread<Writes>
  readonly #first: Thread<Reads>
  readonly #second: Thread<Reads>
  readonly #claims = claimsInProcess()
  readonly #refusal = new WriteRefusal()
  #closing: Promise<void> | undefined

  constructor(lock: DirectoryLock, writer: Thread<Writes>, first: Thread<Reads>, second: Thread<Reads>) {
    this.#lock = lock
    this.#writer = writer
    this.#first = first
    this.#second = second
  }

  get #write(): Thread<Writes>['call'] {
    return (method, ...args) => this.#refusal.watch(this.#writer.call(method, ...args))
  }

  get #reader(): Thread<Reads> {
    return this.#first.load <= this.#second.load ? this.#first : this.#second
  }

  commit(scope: UserScope, store: StoreCommit) {
    const memories = store.memories.map((memory) => ({ ...memory, version: compact(memory.version) }))
    return this.#write('commit', scope, { ...store, memories })
  }

  update(scope: Scope, memoryId: string, change: VersionChange) {
    const content = change.content && compact(change.content)
    return this.#write('update', scope, memoryId, content ? { ...change, content } : change)
  }

  // Room is kept for these two: that they succeed says nothing of other writes.
  forget(scope: Scope, what: Parameters<MemoryWrites['forget']>[1], now = 0) {
    return this.#writer.call('forget', scope, what, now)
  }

  purgeExpired(scope: Scope, now: number) {
    return this.#writer.call('purgeExpired', scope, now)
  }

  recordAccess(accesses: readonly Access[]) {
    return this.#write('recordAccess', accesses)
  }

  recognise(scope: UserScope, facts: FactsToRecognise) {
    return this.#reader.call('recognise', scope, facts)
  }

  find(scope: Scope, memoryId: string, at: Parameters<MemoryReads['find']>[2]) {
    return this.#reader.call('find', scope, memoryId, at)
  }

  history(scope: Scope, memoryId: string) {
    return this.#reader.call('history', scope, memoryId)
  }

  provenance(scope: Scope, memoryId: string) {
    return this.#reader.call('provenance', scope, memoryId)
  }

  list(scope: Scope, page: ListQuery) {
    return this.#reader.call('list', scope, page)
  }

  decayReport(scope: Scope, query: DecayQuery) {
    return this.#reader.call('decayReport', scope, query)
  }

  expired(scope: Scope, now: number, limit: number) {
    return this.#reader.call('expired', scope, now, limit)
  }

  async changes(scope: UserScope, since: ChangeMark, limit: number) {
    return unpack(await this.#reader.call('changes', scope, since, limit))
  }

  async hydrate(scope: UserScope, rows: readonly number[], options: { readonly vectors: boolean | number }) {
    return unpackVersions(await this.#reader.call('hydrate', scope, rows, options), scope.userId)
  }

  versionsOf(scope: UserScope, memoryIds: readonly string[]) {
    return this.#reader.call('versionsOf', scope, memoryIds)
  }

  matching(scope: UserScope, filter: MatchFilter) {
    return this.#reader.call('matching', scope, filter)
  }

  async connected(scope: UserScope, nameKeys: readonly string[], limit: number) {
    return unpackConnected(await this.#reader.call('connected', scope, nameKeys, limit))
  }

  countOutdated(scope: Scope, modelId: string) {
    return this.#reader.call('countOutdated', scope, modelId)
  }

  outdated(scope: Scope, modelId: string, after: OutdatedMark | null, limit: number) {
    return this.#reader.call('outdated', scope, modelId, after, limit)
  }

  replaceVectors(scope: Scope, modelId: string, vectors: readonly ReplacedVector[]) {
    return this.#write('replaceVectors', scope, modelId, vectors.map(compact))
  }

  listContradictions(scope: Scope, query: ContradictionQuery) {
    return this.#reader.call('listContradictions', scope, query)
  }

  findContradiction(scope: Scope, contradictionId: string, now: number) {
    return this.#reader.call('findContradiction', scope, contradictionId, now)
  }

  decide(scope: Scope, contradictionId: string, decision: Decision) {
    return this.#write('decide', scope, contradictionId, decision)
  }

  keepRaw(scope: UserScope, raw: RawText) {
    return this.#write('keepRaw', scope, raw)
  }

  pendingRaw(scope: Scope, after: string | null, limit: number) {
    return this.#reader.call('pendingRaw', scope, after, limit)
  }

  dropRaw(scope: UserScope, id: string) {
    return this.#write('dropRaw', scope, id)
  }

  findAnswer(scope: UserScope, keyHash: string, after: number) {
    return this.#reader.call('findAnswer', scope, keyHash, after)
  }

  dropAnswers(scope: Scope, until: number, limit: number) {
    return this.#write('dropAnswers', scope, until, limit)
  }

  claim(name: string, holder: string, leaseMs: number) {
    return this.#claims.claim(name, holder, leaseMs)
  }

  release(name: string, holder: string) {
    return this.#claims.release(name, holder)
  }

  listEntities(scope: Scope, query: EntityQuery) {
    return this.#reader.call('listEntities', scope, query)
  }

  findEntity(scope: Scope, entityId: string, now: number, asOf?: number) {
    return this.#reader.call('findEntity', scope, entityId, now, asOf)
  }

  graph(scope: Scope, query: GraphQuery) {
    return this.#reader.call('graph', scope, query)
  }

  listMerges(scope: Scope, entityId: string) {
    return this.#reader.call('listMerges', scope, entityId)
  }

  mergeEntities(scope: Scope, entityId: string, into: ManualMerge) {
    return this.#write('mergeEntities', scope, entityId, into)
  }

  revertMerge(scope: Scope, mergeId: string, now: number) {
    return this.#write('revertMerge', scope, mergeId, now)
  }

  relationships(
    scope: Scope,
    entityId: string,
    query: { readonly now: number; readonly asOf?: number; readonly includeHistory?: boolean },
  ) {
    return this.#reader.call('relationships', scope, entityId, query)
  }

  events(scope: UserScope | NobodyScope, after: EventMark | null, limit: number) {
    return this.#reader.call('events', scope, after, limit)
  }

  revisionsOf(userIds: readonly string[]) {
    return this.#reader.call('revisionsOf', userIds)
  }

  usersToTellOfExpiry(scope: Scope, since: number, now: number) {
    return this.#reader.call('usersToTellOfExpiry', scope, since, now)
  }

  tellOfExpiry(scope: UserScope, now: number) {
    return this.#writer.call('tellOfExpiry', scope, now)
  }

  trimEvents(scope: Scope, before: number) {
    return this.#writer.call('trimEvents', scope, before)
  }

  createWebhook(scope: UserScope, webhook: NewWebhook, most: number) {
    return this.#writer.call('createWebhook', scope, webhook, most)
  }

  listWebhooks(scope: Scope) {
    return this.#reader.call('listWebhooks', scope)
  }

  findWebhook(scope: Scope, webhookId: string) {
    return this.#reader.call('findWebhook', scope, webhookId)
  }

  deleteWebhook(scope: Scope, webhookId: string) {
    return this.#writer.call('deleteWebhook', scope, webhookId)
  }

  claimWebhooks(scope: Scope, claim: WebhookClaim, limit: number) {
    return this.#writer.call('claimWebhooks', scope, claim, limit)
  }

  settleWebhook(scope: UserScope, webhookId: string, token: string, progress: WebhookProgress) {
    return this.#writer.call('settleWebhook', scope, webhookId, token, progress)
  }

  deadLetters(scope: Scope, webhookId: string, limit: number) {
    return this.#reader.call('deadLetters', scope, webhookId, limit)
  }

  redeliver(scope: Scope, webhookId: string, marks: readonly EventMark[] | null) {
    return this.#writer.call('redeliver', scope, webhookId, marks)
  }

  createKey(key: NewKey) {
    return this.#write('createKey', key)
  }

  async findKey(keyId: string) {
    const { isFound, key } = await this.#reader.call('findKey', keyId)
    return isFound ? key : null
  }

  listKeys(userId?: string) {
    return userId === undefined ? this.#reader.call('listKeys') : this.#reader.call('listKeys', userId)
  }

  revokeKey(keyId: string, at: number) {
    return this.#write('revokeKey', keyId, at)
  }

  touchKeys(uses: readonly { readonly keyId: string; readonly at: number }[]) {
    return this.#write('touchKeys', uses)
  }

  ping() {
    return this.#reader.call('ping')
  }

  refusesWrites() {
    return this.#refusal.reason()
  }

  stats() {
    return this.#reader.call('stats')
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await Promise.all([this.#first.close(), this.#second.close()])
    // Last: it alone is left then, and empties the log into the database.
    await this.#writer.close()
    this.#lock.release()
  }
}

/** A message carries a view's whole buffer: cut the vector out of the batch that it was made in. */
function compact<T extends { readonly vector: Float32Array }>(draft: T): T {
  const { vector } = draft
  return vector.byteLength === vector.buffer.byteLength ? draft : { ...draft, vector: vector.slice() }
}
