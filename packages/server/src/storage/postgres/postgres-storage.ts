/** The engine for more than one machine: PostgreSQL with pgvector. Each call is one transaction on a connection of a pool. */
import { availableParallelism } from 'node:os'
import type { EventMark } from '../../core/memory-event.js'
import type { NobodyScope, Scope, UserScope } from '../../core/scope.js'
import type { ContradictionQuery, Decision } from '../ports/contradictions.js'
import type { ManualMerge } from '../ports/entity-merges.js'
import type { GraphQuery } from '../ports/graph.js'
import type { RawText } from '../ports/inbox.js'
import type { NewKey } from '../ports/key-store.js'
import type {
  Access,
  ChangeMark,
  EntityQuery,
  EntityReads,
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
import { dropAnswers, findAnswer } from './answers.js'
import { claim, release } from './claims.js'
import { commit } from './commit.js'
import { Connection, type ConnectionOptions } from './connection.js'
import type { Database, Sight } from './database.js'
import { decayReport } from './decay-report.js'
import { decide } from './decide.js'
import { events, revisionsOf, tellOfExpiry, trimEvents, usersToTellOfExpiry } from './events.js'
import { changes } from './feed.js'
import { forget, purgeExpired } from './forget.js'
import { graph } from './graph.js'
import { hydrate } from './hydrate.js'
import { dropRaw, keepRaw, pendingRaw } from './inbox.js'
import { createKey, findKey, listKeys, recordAccess, revokeKey, touchKeys } from './keys.js'
import { list } from './list.js'
import { mergeEntities, revertMerge } from './manual-merges.js'
import { connected, matching } from './match.js'
import { countOutdated, outdated } from './outdated.js'
import { Pool } from './pool.js'
import { prepare } from './prepare.js'
import { findContradiction, listContradictions } from './read-contradictions.js'
import { findEntity, listEntities } from './read-entities.js'
import { expired, find, history, ping, provenance, recognise, stats } from './read-memories.js'
import { listMerges } from './read-merges.js'
import { relationships } from './read-relationships.js'
import { replaceVectors } from './replace-vectors.js'
import { Statistics } from './statistics.js'
import { Transactions } from './transactions.js'
import { update } from './update.js'
import { versionsOf } from './version-lookup.js'
import {
  claimWebhooks,
  createWebhook,
  deadLetters,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  redeliver,
  settleWebhook,
} from './webhooks.js'

export interface PostgresOptions {
  /** `postgres://…`, with the password if there is one: never logged. */
  readonly url: string
  /** Into how many hash partitions an empty database is laid out; 0: none. */
  readonly partitions?: number
  readonly poolSize?: number
  readonly timeouts?: Partial<Timeouts>
  /** How long a start waits for the database: started together, it may need a moment longer than the service. */
  readonly patienceMs?: number
  readonly log?: (message: string) => void
}

type Timeouts = Omit<ConnectionOptions, 'url'>

const usualTimeouts: Timeouts = { connectTimeoutMs: 2_000, statementTimeoutMs: 10_000, graceMs: 3_000 }

export async function openPostgresStorage(options: PostgresOptions): Promise<Storage> {
  const { url, partitions = 0, timeouts, log = () => undefined } = options
  const limits = { ...usualTimeouts, ...timeouts, url }
  const connect = () => new Connection(limits)
  // A new schema, or an instance that is making it, may take minutes.
  const connectPatiently = () => new Connection({ ...limits, statementTimeoutMs: 0 })
  await prepare({ url, connect: connectPatiently, partitions, patienceMs: options.patienceMs ?? 10_000, log })
  const pool = new Pool({
    connect,
    // A few more than the processors that this service has: PostgreSQL may be waiting for its disk.
    size: options.poolSize ?? Math.min(16, Math.max(4, 2 * availableParallelism())),
    mostWaiting: 1_000,
    longestWaitMs: 10_000,
    retryMs: 500,
    log,
  })
  return new PostgresStorage(pool, log)
}

const nobody: Sight = { kind: 'nobody' }

class PostgresStorage implements Storage {
  readonly #transactions: Transactions
  readonly #statistics: Statistics
  readonly #refusal = new WriteRefusal()

  constructor(pool: Pool<Connection>, log: (message: string) => void) {
    this.#transactions = new Transactions(pool)
    this.#statistics = new Statistics(pool, log)
  }

  #read<T>(sight: Sight, work: (db: Database) => Promise<T>): Promise<T> {
    return this.#transactions.run('read', sight, work)
  }

  #write<T>(sight: Sight, work: (db: Database) => Promise<T>): Promise<T> {
    return this.#refusal.watch(this.#transactions.run('write', sight, work))
  }

  async commit(scope: UserScope, store: StoreCommit) {
    const committed = await this.#write(scope, (db) => commit(db, scope, store))
    this.#statistics.wrote()
    return committed
  }

  update(scope: Scope, memoryId: string, change: VersionChange) {
    return this.#write(scope, (db) => update(db, scope, memoryId, change))
  }

  forget(scope: Scope, what: Parameters<MemoryWrites['forget']>[1], now = 0) {
    return forget((sight, work) => this.#write(sight, work), scope, what, now)
  }

  purgeExpired(scope: Scope, now: number) {
    return purgeExpired((sight, work) => this.#write(sight, work), scope, now)
  }

  recordAccess(accesses: readonly Access[]) {
    return this.#write(nobody, (db) => recordAccess(db, accesses))
  }

  recognise(scope: UserScope, facts: FactsToRecognise) {
    return this.#read(scope, (db) => recognise(db, scope, facts))
  }

  find(scope: Scope, memoryId: string, at: Parameters<MemoryReads['find']>[2]) {
    return this.#read(scope, (db) => find(db, scope, memoryId, at))
  }

  history(scope: Scope, memoryId: string) {
    return this.#read(scope, (db) => history(db, scope, memoryId))
  }

  provenance(scope: Scope, memoryId: string) {
    return this.#read(scope, (db) => provenance(db, scope, memoryId))
  }

  list(scope: Scope, page: ListQuery) {
    return this.#read(scope, (db) => list(db, scope, page))
  }

  decayReport(scope: Scope, query: DecayQuery) {
    return this.#read(scope, (db) => decayReport(db, scope, query))
  }

  expired(scope: Scope, now: number, limit: number) {
    return this.#read(scope, (db) => expired(db, scope, now, limit))
  }

  changes(scope: UserScope, since: ChangeMark, limit: number) {
    return this.#read(scope, (db) => changes(db, scope, since, limit))
  }

  hydrate(scope: UserScope, rows: readonly number[], options: { readonly vectors: boolean | number }) {
    return this.#read(scope, (db) => hydrate(db, scope, rows, options))
  }

  versionsOf(scope: UserScope, memoryIds: readonly string[]) {
    return this.#read(scope, (db) => versionsOf(db, scope, memoryIds))
  }

  matching(scope: UserScope, filter: MatchFilter) {
    return this.#read(scope, (db) => matching(db, scope, filter))
  }

  connected(scope: UserScope, nameKeys: readonly string[], limit: number) {
    return this.#read(scope, (db) => connected(db, scope, nameKeys, limit))
  }

  countOutdated(scope: Scope, modelId: string) {
    return this.#read(scope, (db) => countOutdated(db, scope, modelId))
  }

  outdated(scope: Scope, modelId: string, after: OutdatedMark | null, limit: number) {
    return this.#read(scope, (db) => outdated(db, scope, modelId, after, limit))
  }

  replaceVectors(scope: Scope, modelId: string, vectors: readonly ReplacedVector[]) {
    return this.#write(nobody, (db) => replaceVectors(db, scope, modelId, vectors))
  }

  listContradictions(scope: Scope, query: ContradictionQuery) {
    return this.#read(scope, (db) => listContradictions(db, scope, query))
  }

  findContradiction(scope: Scope, contradictionId: string, now: number) {
    return this.#read(scope, (db) => findContradiction(db, scope, contradictionId, now))
  }

  decide(scope: Scope, contradictionId: string, decision: Decision) {
    return this.#write(scope, (db) => decide(db, scope, contradictionId, decision))
  }

  keepRaw(scope: UserScope, raw: RawText) {
    return this.#write(scope, (db) => keepRaw(db, scope, raw))
  }

  pendingRaw(scope: Scope, after: string | null, limit: number) {
    return this.#read(scope, (db) => pendingRaw(db, scope, after, limit))
  }

  dropRaw(scope: UserScope, id: string) {
    return this.#write(scope, (db) => dropRaw(db, scope, id))
  }

  findAnswer(scope: UserScope, keyHash: string, after: number) {
    return this.#read(scope, (db) => findAnswer(db, scope, keyHash, after))
  }

  dropAnswers(scope: Scope, until: number, limit: number) {
    return this.#write(scope, (db) => dropAnswers(db, scope, until, limit))
  }

  claim(name: string, holder: string, leaseMs: number) {
    return this.#write(nobody, (db) => claim(db, name, holder, leaseMs))
  }

  release(name: string, holder: string) {
    return this.#write(nobody, (db) => release(db, name, holder))
  }

  listEntities(scope: Scope, query: EntityQuery) {
    return this.#read(scope, (db) => listEntities(db, scope, query))
  }

  findEntity(scope: Scope, entityId: string, now: number, asOf?: number) {
    return this.#read(scope, (db) => findEntity(db, scope, entityId, now, asOf))
  }

  graph(scope: Scope, query: GraphQuery) {
    return this.#read(scope, (db) => graph(db, scope, query))
  }

  listMerges(scope: Scope, entityId: string) {
    return this.#read(scope, (db) => listMerges(db, scope, entityId))
  }

  mergeEntities(scope: Scope, entityId: string, into: ManualMerge) {
    return this.#write(scope, (db) => mergeEntities(db, scope, entityId, into))
  }

  revertMerge(scope: Scope, mergeId: string, now: number) {
    return this.#write(scope, (db) => revertMerge(db, scope, mergeId, now))
  }

  relationships(scope: Scope, entityId: string, query: Parameters<EntityReads['relationships']>[2]) {
    return this.#read(scope, (db) => relationships(db, scope, entityId, query))
  }

  events(scope: UserScope | NobodyScope, after: EventMark | null, limit: number) {
    return this.#read(scope, (db) => events(db, scope, after, limit))
  }

  revisionsOf(userIds: readonly string[]) {
    return this.#read('totals', (db) => revisionsOf(db, userIds))
  }

  usersToTellOfExpiry(scope: Scope, since: number, now: number) {
    return this.#read(scope, (db) => usersToTellOfExpiry(db, scope, since, now))
  }

  tellOfExpiry(scope: UserScope, now: number) {
    return this.#write(scope, (db) => tellOfExpiry(db, scope, now))
  }

  trimEvents(scope: Scope, before: number) {
    return trimEvents((sight, work) => this.#write(sight, work), scope, before)
  }

  createWebhook(scope: UserScope, webhook: NewWebhook, most: number) {
    return this.#write(scope, (db) => createWebhook(db, scope, webhook, most))
  }

  listWebhooks(scope: Scope) {
    return this.#read(scope, (db) => listWebhooks(db, scope))
  }

  findWebhook(scope: Scope, webhookId: string) {
    return this.#read(scope, (db) => findWebhook(db, scope, webhookId))
  }

  deleteWebhook(scope: Scope, webhookId: string) {
    return this.#write(scope, (db) => deleteWebhook(db, scope, webhookId))
  }

  claimWebhooks(scope: Scope, claim: WebhookClaim, limit: number) {
    return this.#write(scope, (db) => claimWebhooks(db, scope, claim, limit))
  }

  settleWebhook(scope: UserScope, webhookId: string, token: string, progress: WebhookProgress) {
    return this.#write(scope, (db) => settleWebhook(db, scope, webhookId, token, progress))
  }

  deadLetters(scope: Scope, webhookId: string, limit: number) {
    return this.#read(scope, (db) => deadLetters(db, scope, webhookId, limit))
  }

  redeliver(scope: Scope, webhookId: string, marks: readonly EventMark[] | null) {
    return this.#write(scope, (db) => redeliver(db, scope, webhookId, marks))
  }

  createKey(key: NewKey) {
    return this.#write('keys', (db) => createKey(db, key))
  }

  findKey(keyId: string) {
    return this.#read('keys', (db) => findKey(db, keyId))
  }

  listKeys(userId?: string) {
    return this.#read('keys', (db) => listKeys(db, userId))
  }

  revokeKey(keyId: string, at: number) {
    return this.#write('keys', (db) => revokeKey(db, keyId, at))
  }

  touchKeys(uses: readonly { readonly keyId: string; readonly at: number }[]) {
    return this.#write('keys', (db) => touchKeys(db, uses))
  }

  ping() {
    return this.#read(nobody, ping)
  }

  refusesWrites() {
    return this.#refusal.reason()
  }

  stats() {
    return this.#read('totals', stats)
  }

  close(): Promise<void> {
    return this.#transactions.close()
  }
}
