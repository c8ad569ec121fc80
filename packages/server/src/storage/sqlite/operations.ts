/**
 * Every operation that a thread can run, by name: a function cannot be sent to a thread, but its name can. `Thread.call` refuses
 * an operation that is not listed.
 */
import { decide } from '../sql/contradictions/decide.js'
import { findContradiction, listContradictions } from '../sql/contradictions/read-contradictions.js'
import { knownPairs, retire } from '../sql/contradictions/retire.js'
import { dropConversations, emptyConversations, lastTurns } from '../sql/conversations/conversations.js'
import { graph } from '../sql/entities/graph.js'
import { mergeEntities, revertMerge } from '../sql/entities/manual-merges.js'
import { findEntity, listEntities } from '../sql/entities/read-entities.js'
import { listMerges } from '../sql/entities/read-merges.js'
import {
  events,
  findOldEvents,
  revisionsOf,
  tellOfExpiry,
  trimUser,
  usersToTellOfExpiry,
} from '../sql/events/events.js'
import { bestFacts, unreadContents } from '../sql/facts/read-facts.js'
import { writeFacts } from '../sql/facts/write-facts.js'
import {
  createGrant,
  dropGrants,
  findGrant,
  listGrants,
  redeemCode,
  revokeGrant,
  rotateTokens,
  touchGrants,
} from '../sql/grants.js'
import { lastActive, recordActive } from '../sql/index/active-users.js'
import { matching } from '../sql/index/match.js'
import { dropSegments, saveSegment, segmentSpans, segments, segmentsBefore } from '../sql/index/segments.js'
import { eraseItemChunk, findItemOwners, removeItem } from '../sql/items/erase-items.js'
import { itemChanges } from '../sql/items/item-feed.js'
import { putItem } from '../sql/items/put-item.js'
import {
  findItem,
  hydrateItems,
  itemVersions,
  listItems,
  listNamespaces,
  matchingItems,
  newestItems,
} from '../sql/items/read-items.js'
import { createKey, listKeys, lookUpKey, revokeKey, touchKeys } from '../sql/keys.js'
import { dropAnswers, findAnswer } from '../sql/memories/answers.js'
import { commit, commitAll } from '../sql/memories/commit.js'
import { decayReport } from '../sql/memories/decay-report.js'
import { eraseChunk, eraseLastChunk, findErasable, forgetNamed } from '../sql/memories/forget.js'
import { history, provenance } from '../sql/memories/history.js'
import { dropRaw, emptyInbox, keepRaw, pendingRaw } from '../sql/memories/inbox.js'
import { list } from '../sql/memories/list.js'
import { contested, expired, find, recent, recognise } from '../sql/memories/read-memories.js'
import { recordAccess } from '../sql/memories/record-access.js'
import { update } from '../sql/memories/update.js'
import { versionsOf } from '../sql/memories/versions-of.js'
import { activity, projects, users } from '../sql/overview.js'
import { relationships } from '../sql/relationships/read-relationships.js'
import { leaveSpaces, listMembers, removeMember, setMember } from '../sql/spaces/members.js'
import { closeSpace, createSpace, dropSpace, findSpace, listSpaces, renameSpace, roleIn } from '../sql/spaces/spaces.js'
import { ping, stats } from '../sql/stats.js'
import { countOutdated, outdated } from '../sql/vectors/outdated.js'
import { replaceVectors } from '../sql/vectors/replace-vectors.js'
import {
  claimWebhooks,
  createWebhook,
  deadLetters,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  redeliver,
  settleWebhook,
} from '../sql/webhooks/webhooks.js'
import { packedConnected } from './connected.js'
import { packedChanges } from './feed.js'
import { packedVersions } from './hydrate.js'
import type { SqliteSession } from './session.js'

type AnyOperation = (session: SqliteSession, ...args: never[]) => Promise<unknown>

export type Operations = Readonly<Record<string, AnyOperation>>

export const reads: Operations = {
  bestFacts,
  countOutdated,
  deadLetters,
  decayReport,
  events,
  expired,
  find,
  findAnswer,
  findContradiction,
  findEntity,
  findGrant,
  findItem,
  findSpace,
  findWebhook,
  graph,
  history,
  hydrateItems,
  itemChanges,
  itemVersions,
  knownPairs,
  lastActive,
  lastTurns,
  list,
  listContradictions,
  listEntities,
  listGrants,
  listItems,
  listKeys,
  listMembers,
  listMerges,
  listNamespaces,
  listSpaces,
  listWebhooks,
  lookUpKey,
  matching,
  matchingItems,
  newestItems,
  outdated,
  packedChanges,
  packedConnected,
  packedVersions,
  pendingRaw,
  ping,
  provenance,
  recognise,
  recent,
  contested,
  relationships,
  revisionsOf,
  roleIn,
  segmentSpans,
  segments,
  segmentsBefore,
  stats,
  users,
  projects,
  activity,
  unreadContents,
  usersToTellOfExpiry,
  versionsOf,
}

/** Parts of a longer erasure. They may use the space that is kept for erasing. */
export const erasureParts: Operations = {
  closeSpace,
  eraseChunk,
  findErasable,
  findItemOwners,
  leaveSpaces,
  removeMember,
}

/** Likewise; and nothing of what these and the parts before them removed may be left on the disk once they are answered. */
export const erasures: Operations = {
  deleteWebhook,
  dropSpace,
  emptyConversations,
  emptyInbox,
  eraseItemChunk,
  eraseLastChunk,
  forgetNamed,
  removeItem,
}

export const writes: Operations = {
  ...erasureParts,
  ...erasures,
  claimWebhooks,
  commit,
  commitAll,
  createGrant,
  createKey,
  createSpace,
  createWebhook,
  decide,
  dropAnswers,
  dropConversations,
  dropGrants,
  dropRaw,
  dropSegments,
  findOldEvents,
  keepRaw,
  mergeEntities,
  putItem,
  recordAccess,
  recordActive,
  redeemCode,
  redeliver,
  renameSpace,
  replaceVectors,
  retire,
  revertMerge,
  revokeGrant,
  revokeKey,
  rotateTokens,
  saveSegment,
  setMember,
  settleWebhook,
  tellOfExpiry,
  touchGrants,
  touchKeys,
  trimUser,
  update,
  writeFacts,
}
