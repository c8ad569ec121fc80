/**
 * The storage port in SQL, written once. An engine adds how a transaction runs (`read`, `write`, `erase`) and the few operations
 * that need an engine-specific form: feeding the index, and claims.
 */
import type { EventMark } from '../../core/memory-event.js'
import type { NobodyScope, Scope, UserScope } from '../../core/scope.js'
import type { Claims } from '../ports/claims.js'
import type { ContradictionQuery, Decision, Retirement } from '../ports/contradictions.js'
import type { EntityQuery, EntityReads } from '../ports/entities.js'
import type { ManualMerge } from '../ports/entity-merges.js'
import type { FactQuery, ReadContent } from '../ports/facts.js'
import type { GrantUse, IssuedTokens, NewGrant, PresentedCode, PresentedRefresh } from '../ports/grant-store.js'
import type { GraphQuery } from '../ports/graph.js'
import type { RawText } from '../ports/inbox.js'
import type { ChangeMark, IndexFeed, MatchFilter } from '../ports/index-feed.js'
import type { KeyUse, NewKey } from '../ports/key-store.js'
import type { FactsToRecognise, HistoryPage, ListQuery, MemoryReads } from '../ports/memory-reads.js'
import type { Access, MemoryWrites, StoreCommit, VersionChange } from '../ports/memory-writes.js'
import type { Storage } from '../ports/storage.js'
import type { DecayQuery } from '../ports/temporal-reads.js'
import type { OutdatedMark, ReplacedVector } from '../ports/vector-upkeep.js'
import type { NewWebhook, WebhookClaim, WebhookProgress } from '../ports/webhook-store.js'
import { decide } from './contradictions/decide.js'
import { findContradiction, listContradictions } from './contradictions/read-contradictions.js'
import { knownPairs, retire } from './contradictions/retire.js'
import { dropConversations, lastTurns } from './conversations/conversations.js'
import { graph } from './entities/graph.js'
import { mergeEntities, revertMerge } from './entities/manual-merges.js'
import { findEntity, listEntities } from './entities/read-entities.js'
import { listMerges } from './entities/read-merges.js'
import { events, revisionsOf, tellOfExpiry, trimEvents, usersToTellOfExpiry } from './events/events.js'
import { bestFacts, unreadContents } from './facts/read-facts.js'
import { writeFacts } from './facts/write-facts.js'
import {
  createGrant,
  dropGrants,
  findGrant,
  listGrants,
  redeemCode,
  revokeGrant,
  rotateTokens,
  touchGrants,
} from './grants.js'
import { activeUserStore } from './index/active-users.js'
import { matching } from './index/match.js'
import { segmentStore } from './index/segments.js'
import { itemStore } from './items/item-store.js'
import { createKey, listKeys, lookUpKey, revokeKey, touchKeys } from './keys.js'
import { dropAnswers, findAnswer } from './memories/answers.js'
import { commit, commitAll } from './memories/commit.js'
import { decayReport } from './memories/decay-report.js'
import { forget, purgeExpired } from './memories/forget.js'
import { history, provenance } from './memories/history.js'
import { dropRaw, keepRaw, pendingRaw } from './memories/inbox.js'
import { list } from './memories/list.js'
import { contested, expired, find, recent, recognise } from './memories/read-memories.js'
import { recordAccess } from './memories/record-access.js'
import { update } from './memories/update.js'
import { versionsOf } from './memories/versions-of.js'
import { overviewOf } from './overview.js'
import { relationships } from './relationships/read-relationships.js'
import type { Sight, Transact } from './session.js'
import { spaceStore } from './spaces/space-store.js'
import { ping, stats } from './stats.js'
import { countOutdated, outdated } from './vectors/outdated.js'
import { replaceVectors } from './vectors/replace-vectors.js'
import {
  claimWebhooks,
  createWebhook,
  deadLetters,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  redeliver,
  settleWebhook,
} from './webhooks/webhooks.js'
import { WriteRefusal } from './write-refusal.js'

const nobody: Sight = { kind: 'nobody' }

export type OwnForms = Pick<IndexFeed, 'changes' | 'hydrate' | 'connected'> & Claims

export abstract class SqlStorage implements Storage {
  protected readonly refusal = new WriteRefusal()
  /** One transaction on one snapshot. */
  protected abstract read: Transact
  /** One transaction; when its promise resolves, the data is on disk. */
  protected abstract write: Transact
  /**
   * A write whose success says nothing about whether other writes would succeed: an erasure, for which space is kept, or one that often
   * changes nothing.
   */
  protected abstract writeAside: Transact

  /** The operations that each engine implements in its own form. */
  protected abstract readonly own: OwnForms

  readonly #engine = () => ({ read: this.read, write: this.write, writeAside: this.writeAside })
  readonly spaces = spaceStore(this.#engine)
  readonly items = itemStore(this.#engine)
  readonly overview = overviewOf(this.#engine)
  readonly indexSegments = segmentStore(this.#engine)
  readonly activeUsers = activeUserStore(this.#engine)

  abstract close(): Promise<void>

  commit(scope: UserScope, store: StoreCommit) {
    return this.write(scope, commit, scope, store)
  }
  commitAll(scope: UserScope, stores: readonly StoreCommit[]) {
    return this.write(scope, commitAll, scope, stores)
  }
  update(scope: Scope, memoryId: string, change: VersionChange) {
    return this.write(scope, update, scope, memoryId, change)
  }

  forget(scope: Scope, what: Parameters<MemoryWrites['forget']>[1], now = 0) {
    return forget(this.writeAside, scope, what, now)
  }

  purgeExpired(scope: Scope, now: number) {
    return purgeExpired(this.writeAside, scope, now)
  }
  recordAccess(accesses: readonly Access[]) {
    return this.write(nobody, recordAccess, accesses)
  }

  recent(scope: UserScope, query: Parameters<MemoryReads['recent']>[1]) {
    return this.read(scope, recent, scope, query)
  }
  contested(scope: UserScope, memoryIds: readonly string[]) {
    return this.read(scope, contested, scope, memoryIds)
  }
  recognise(scope: UserScope, facts: FactsToRecognise) {
    return this.read(scope, recognise, scope, facts)
  }

  find(scope: Scope, memoryId: string, at: Parameters<MemoryReads['find']>[2]) {
    return this.read(scope, find, scope, memoryId, at)
  }

  history(scope: Scope, memoryId: string, page: HistoryPage) {
    return this.read(scope, history, scope, memoryId, page)
  }

  provenance(scope: Scope, memoryId: string, page: HistoryPage) {
    return this.read(scope, provenance, scope, memoryId, page)
  }

  list(scope: Scope, page: ListQuery) {
    return this.read(scope, list, scope, page)
  }

  decayReport(scope: Scope, query: DecayQuery) {
    return this.read(scope, decayReport, scope, query)
  }

  expired(scope: Scope, now: number, limit: number) {
    return this.read(scope, expired, scope, now, limit)
  }

  changes(scope: UserScope, since: ChangeMark, limit: number, until?: ChangeMark) {
    return this.own.changes(scope, since, limit, until)
  }

  hydrate(scope: UserScope, rows: readonly number[], options: Parameters<IndexFeed['hydrate']>[2]) {
    return this.own.hydrate(scope, rows, options)
  }

  connected(scope: UserScope, nameKeys: readonly string[], limit: number) {
    return this.own.connected(scope, nameKeys, limit)
  }
  claim(name: string, holder: string, leaseMs: number) {
    return this.own.claim(name, holder, leaseMs)
  }
  release(name: string, holder: string) {
    return this.own.release(name, holder)
  }

  matching(scope: UserScope, filter: MatchFilter) {
    return this.read(scope, matching, scope, filter)
  }

  versionsOf(scope: UserScope, memoryIds: readonly string[]) {
    return this.read(scope, versionsOf, scope, memoryIds)
  }

  countOutdated(scope: Scope, modelId: string) {
    return this.read(scope, countOutdated, scope, modelId)
  }

  outdated(scope: Scope, modelId: string, after: OutdatedMark | null, limit: number) {
    return this.read(scope, outdated, scope, modelId, after, limit)
  }

  replaceVectors(scope: Scope, modelId: string, vectors: readonly ReplacedVector[]) {
    return this.write(nobody, replaceVectors, scope, modelId, vectors)
  }

  listContradictions(scope: Scope, query: ContradictionQuery) {
    return this.read(scope, listContradictions, scope, query)
  }

  findContradiction(scope: Scope, contradictionId: string, now: number) {
    return this.read(scope, findContradiction, scope, contradictionId, now)
  }

  decide(scope: Scope, contradictionId: string, decision: Decision) {
    return this.write(scope, decide, scope, contradictionId, decision)
  }

  retire(scope: UserScope, retirement: Retirement) {
    return this.write(scope, retire, scope, retirement)
  }

  knownPairs(scope: UserScope, memoryIds: readonly string[]) {
    return this.read(scope, knownPairs, scope, memoryIds)
  }

  bestFacts(scope: UserScope | NobodyScope, query: FactQuery) {
    return this.read(scope, bestFacts, scope, query)
  }

  unreadContents(scope: UserScope, modelId: string, after: number, limit: number) {
    return this.read(scope, unreadContents, scope, modelId, after, limit)
  }

  writeFacts(scope: UserScope, modelId: string, contents: readonly ReadContent[], isLast: boolean) {
    return this.write(scope, writeFacts, scope, modelId, contents, isLast)
  }

  keepRaw(scope: UserScope, raw: RawText) {
    return this.write(scope, keepRaw, scope, raw)
  }

  pendingRaw(scope: Scope, after: string | null, limit: number) {
    return this.read(scope, pendingRaw, scope, after, limit)
  }

  dropRaw(scope: UserScope, id: string) {
    return this.write(scope, dropRaw, scope, id)
  }

  lastTurns(scope: UserScope, conversation: string, storedAfter: number) {
    return this.read(scope, lastTurns, scope, conversation, storedAfter)
  }

  dropConversations(scope: Scope, until: number) {
    return this.writeAside(scope, dropConversations, scope, until)
  }

  findAnswer(scope: UserScope, keyHash: string, after: number) {
    return this.read(scope, findAnswer, scope, keyHash, after)
  }

  dropAnswers(scope: Scope, until: number, limit: number) {
    return this.write(scope, dropAnswers, scope, until, limit)
  }

  listEntities(scope: Scope, query: EntityQuery) {
    return this.read(scope, listEntities, scope, query)
  }
  findEntity(scope: Scope, entityId: string, now: number, asOf?: number) {
    return this.read(scope, findEntity, scope, entityId, now, asOf)
  }

  graph(scope: Scope, query: GraphQuery) {
    return this.read(scope, graph, scope, query)
  }
  listMerges(scope: Scope, entityId: string) {
    return this.read(scope, listMerges, scope, entityId)
  }

  mergeEntities(scope: Scope, entityId: string, into: ManualMerge) {
    return this.write(scope, mergeEntities, scope, entityId, into)
  }

  revertMerge(scope: Scope, mergeId: string, now: number) {
    return this.write(scope, revertMerge, scope, mergeId, now)
  }

  relationships(scope: Scope, entityId: string, query: Parameters<EntityReads['relationships']>[2]) {
    return this.read(scope, relationships, scope, entityId, query)
  }

  events(scope: UserScope | NobodyScope, after: EventMark | null, limit: number) {
    return this.read(scope, events, scope, after, limit)
  }

  revisionsOf(userIds: readonly string[]) {
    return this.read('totals', revisionsOf, userIds)
  }

  usersToTellOfExpiry(scope: Scope, since: number, now: number) {
    return this.read(scope, usersToTellOfExpiry, scope, since, now)
  }

  tellOfExpiry(scope: UserScope, now: number) {
    return this.writeAside(scope, tellOfExpiry, scope, now)
  }

  trimEvents(scope: Scope, before: number) {
    return trimEvents(this.writeAside, scope, before)
  }

  createWebhook(scope: UserScope, webhook: NewWebhook, most: number) {
    return this.writeAside(scope, createWebhook, scope, webhook, most)
  }

  listWebhooks(scope: Scope) {
    return this.read(scope, listWebhooks, scope)
  }

  findWebhook(scope: Scope, webhookId: string) {
    return this.read(scope, findWebhook, scope, webhookId)
  }

  deleteWebhook(scope: Scope, webhookId: string) {
    return this.writeAside(scope, deleteWebhook, scope, webhookId)
  }

  claimWebhooks(scope: Scope, claim: WebhookClaim, limit: number) {
    return this.writeAside(scope, claimWebhooks, scope, claim, limit)
  }

  settleWebhook(scope: UserScope, webhookId: string, token: string, progress: WebhookProgress) {
    return this.writeAside(scope, settleWebhook, scope, webhookId, token, progress)
  }

  deadLetters(scope: Scope, webhookId: string, limit: number) {
    return this.read(scope, deadLetters, scope, webhookId, limit)
  }

  redeliver(scope: Scope, webhookId: string, marks: readonly EventMark[] | null) {
    return this.writeAside(scope, redeliver, scope, webhookId, marks)
  }

  createKey(key: NewKey) {
    return this.write('keys', createKey, key)
  }

  async findKey(keyId: string) {
    const { isFound, key } = await this.read('keys', lookUpKey, keyId)
    return isFound ? key : null
  }

  listKeys(userId?: string) {
    return this.read('keys', listKeys, userId)
  }

  revokeKey(keyId: string, at: number) {
    return this.write('keys', revokeKey, keyId, at)
  }

  touchKeys(uses: readonly KeyUse[]) {
    return this.write('keys', touchKeys, uses)
  }

  createGrant(grant: NewGrant, most: number) {
    return this.write('keys', createGrant, grant, most)
  }

  redeemCode(grantId: string, code: PresentedCode, tokens: IssuedTokens) {
    return this.write('keys', redeemCode, grantId, code, tokens)
  }

  rotateTokens(grantId: string, refresh: PresentedRefresh, tokens: IssuedTokens) {
    return this.write('keys', rotateTokens, grantId, refresh, tokens)
  }

  findGrant(grantId: string) {
    return this.read('keys', findGrant, grantId)
  }

  listGrants(scope: Scope) {
    return this.read('keys', listGrants, scope)
  }

  revokeGrant(scope: Scope, grantId: string, at: number) {
    return this.write('keys', revokeGrant, scope, grantId, at)
  }

  touchGrants(uses: readonly GrantUse[]) {
    return this.write('keys', touchGrants, uses)
  }

  dropGrants(before: number) {
    return this.writeAside('keys', dropGrants, before)
  }

  ping() {
    return this.read(nobody, ping)
  }

  readonly stats = () => this.read('totals', stats)

  readonly refusesWrites = () => this.refusal.reason()
}
