/**
 * The storage as services see it: the engine, plus an announcement within this process after each call that changes memories or
 * items or revokes a key, once its data is on disk. Every call is written out, so that go-to-definition works.
 */
import type { Scope } from '../core/scope.js'
import type { Storage } from '../storage/ports/storage.js'
import type { Announced } from './announcements.js'

/** The calls that write events, and the one that revokes a key. */
type AnnouncedCall =
  | 'commit'
  | 'commitAll'
  | 'update'
  | 'forget'
  | 'purgeExpired'
  | 'decide'
  | 'retire'
  | 'tellOfExpiry'
  | 'items'
  | 'revokeKey'

export function announcing(storage: Storage, announced: Announced): Storage {
  return { ...unannounced(storage), ...announcedCalls(storage, announced) }
}

function announcedCalls(storage: Storage, announced: Announced): Pick<Storage, AnnouncedCall> {
  function tell<Result>(scope: Scope, result: Result): Result {
    if (scope.kind !== 'nobody') announced.changed(scope.kind === 'user' ? scope.userId : null)
    return result
  }
  return {
    commit: async (scope, store) => tell(scope, await storage.commit(scope, store)),
    commitAll: async (scope, stores) => tell(scope, await storage.commitAll(scope, stores)),
    update: async (scope, memoryId, change) => tell(scope, await storage.update(scope, memoryId, change)),
    forget: async (scope, what, now) => tell(scope, await storage.forget(scope, what, now)),
    purgeExpired: async (scope, now) => tell(scope, await storage.purgeExpired(scope, now)),
    decide: async (scope, contradictionId, decision) =>
      tell(scope, await storage.decide(scope, contradictionId, decision)),
    retire: async (scope, retirement) => tell(scope, await storage.retire(scope, retirement)),
    tellOfExpiry: async (scope, now) => tell(scope, await storage.tellOfExpiry(scope, now)),
    items: {
      ...storage.items,
      put: async (scope, item) => tell(scope, await storage.items.put(scope, item)),
      remove: async (scope, place, expected) => tell(scope, await storage.items.remove(scope, place, expected)),
      removeAll: async (scope, below, now) => tell(scope, await storage.items.removeAll(scope, below, now)),
      purgeExpired: async (scope, now) => tell(scope, await storage.items.purgeExpired(scope, now)),
    },
    async revokeKey(keyId, at) {
      const isRevoked = await storage.revokeKey(keyId, at)
      if (isRevoked) announced.revoked(keyId)
      return isRevoked
    },
  }
}

/** All other calls, unchanged. The compiler reports a missing one. */
function unannounced(storage: Storage): Omit<Storage, AnnouncedCall> {
  return {
    recordAccess: (accesses) => storage.recordAccess(accesses),

    recognise: (scope, facts) => storage.recognise(scope, facts),
    recent: (scope, query) => storage.recent(scope, query),
    contested: (scope, memoryIds) => storage.contested(scope, memoryIds),
    find: (scope, memoryId, at) => storage.find(scope, memoryId, at),
    history: (scope, memoryId, page) => storage.history(scope, memoryId, page),
    provenance: (scope, memoryId, page) => storage.provenance(scope, memoryId, page),
    list: (scope, page) => storage.list(scope, page),
    decayReport: (scope, query) => storage.decayReport(scope, query),
    expired: (scope, now, limit) => storage.expired(scope, now, limit),
    versionsOf: (scope, memoryIds) => storage.versionsOf(scope, memoryIds),

    changes: (scope, since, limit, until) => storage.changes(scope, since, limit, until),
    indexSegments: storage.indexSegments,
    activeUsers: storage.activeUsers,
    hydrate: (scope, rows, options) => storage.hydrate(scope, rows, options),
    matching: (scope, filter) => storage.matching(scope, filter),
    connected: (scope, nameKeys, limit) => storage.connected(scope, nameKeys, limit),

    countOutdated: (scope, modelId) => storage.countOutdated(scope, modelId),
    outdated: (scope, modelId, after, limit) => storage.outdated(scope, modelId, after, limit),
    replaceVectors: (scope, modelId, vectors) => storage.replaceVectors(scope, modelId, vectors),

    listContradictions: (scope, query) => storage.listContradictions(scope, query),
    findContradiction: (scope, contradictionId, now) => storage.findContradiction(scope, contradictionId, now),
    knownPairs: (scope, memoryIds) => storage.knownPairs(scope, memoryIds),

    bestFacts: (scope, query) => storage.bestFacts(scope, query),
    unreadContents: (scope, modelId, after, limit) => storage.unreadContents(scope, modelId, after, limit),
    writeFacts: (scope, modelId, contents, isLast) => storage.writeFacts(scope, modelId, contents, isLast),

    listEntities: (scope, query) => storage.listEntities(scope, query),
    findEntity: (scope, entityId, now, asOf) => storage.findEntity(scope, entityId, now, asOf),
    relationships: (scope, entityId, query) => storage.relationships(scope, entityId, query),
    graph: (scope, query) => storage.graph(scope, query),
    listMerges: (scope, entityId) => storage.listMerges(scope, entityId),
    mergeEntities: (scope, entityId, into) => storage.mergeEntities(scope, entityId, into),
    revertMerge: (scope, mergeId, now) => storage.revertMerge(scope, mergeId, now),

    keepRaw: (scope, raw) => storage.keepRaw(scope, raw),
    pendingRaw: (scope, after, limit) => storage.pendingRaw(scope, after, limit),
    dropRaw: (scope, id) => storage.dropRaw(scope, id),
    lastTurns: (scope, conversation, storedAfter) => storage.lastTurns(scope, conversation, storedAfter),
    dropConversations: (scope, until) => storage.dropConversations(scope, until),
    findAnswer: (scope, keyHash, after) => storage.findAnswer(scope, keyHash, after),
    dropAnswers: (scope, until, limit) => storage.dropAnswers(scope, until, limit),

    claim: (name, holder, leaseMs) => storage.claim(name, holder, leaseMs),
    release: (name, holder) => storage.release(name, holder),

    events: (scope, after, limit) => storage.events(scope, after, limit),
    revisionsOf: (userIds) => storage.revisionsOf(userIds),
    usersToTellOfExpiry: (scope, since, now) => storage.usersToTellOfExpiry(scope, since, now),
    trimEvents: (scope, before) => storage.trimEvents(scope, before),

    createWebhook: (scope, webhook, most) => storage.createWebhook(scope, webhook, most),
    listWebhooks: (scope) => storage.listWebhooks(scope),
    findWebhook: (scope, webhookId) => storage.findWebhook(scope, webhookId),
    deleteWebhook: (scope, webhookId) => storage.deleteWebhook(scope, webhookId),
    claimWebhooks: (scope, claim, limit) => storage.claimWebhooks(scope, claim, limit),
    settleWebhook: (scope, webhookId, token, progress) => storage.settleWebhook(scope, webhookId, token, progress),
    deadLetters: (scope, webhookId, limit) => storage.deadLetters(scope, webhookId, limit),
    redeliver: (scope, webhookId, marks) => storage.redeliver(scope, webhookId, marks),

    spaces: storage.spaces,
    overview: storage.overview,

    createKey: (key) => storage.createKey(key),
    findKey: (keyId) => storage.findKey(keyId),
    listKeys: (userId) => storage.listKeys(userId),
    touchKeys: (uses) => storage.touchKeys(uses),

    createGrant: (grant, most) => storage.createGrant(grant, most),
    redeemCode: (grantId, code, tokens) => storage.redeemCode(grantId, code, tokens),
    rotateTokens: (grantId, refresh, tokens) => storage.rotateTokens(grantId, refresh, tokens),
    findGrant: (grantId) => storage.findGrant(grantId),
    listGrants: (scope) => storage.listGrants(scope),
    revokeGrant: (scope, grantId, at) => storage.revokeGrant(scope, grantId, at),
    touchGrants: (uses) => storage.touchGrants(uses),
    dropGrants: (before) => storage.dropGrants(before),

    ping: () => storage.ping(),
    refusesWrites: () => storage.refusesWrites(),
    stats: () => storage.stats(),
    close: () => storage.close(),
  }
}
