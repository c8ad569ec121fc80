/** The calls that a reader thread answers, by name. */
import { findAnswer } from './answers.js'
import { decayReport } from './decay-report.js'
import { events, revisionsOf, usersToTellOfExpiry } from './events.js'
import { changes } from './feed.js'
import { graph } from './graph.js'
import { hydrate } from './hydrate.js'
import { pendingRaw } from './inbox.js'
import { findKey, listKeys } from './keys.js'
import { list } from './list.js'
import { connected, matching } from './match.js'
import { countOutdated, outdated } from './outdated.js'
import { findContradiction, listContradictions } from './read-contradictions.js'
import { findEntity, listEntities } from './read-entities.js'
import { expired, find, history, ping, provenance, recognise, stats } from './read-memories.js'
import { listMerges } from './read-merges.js'
import { relationships } from './read-relationships.js'
import { versionsOf } from './version-lookup.js'
import { deadLetters, findWebhook, listWebhooks } from './webhooks.js'

export const reads = {
  changes,
  connected,
  countOutdated,
  deadLetters,
  decayReport,
  events,
  expired,
  find,
  findAnswer,
  findContradiction,
  findEntity,
  findKey,
  findWebhook,
  graph,
  history,
  hydrate,
  list,
  listContradictions,
  listEntities,
  listKeys,
  listMerges,
  listWebhooks,
  matching,
  outdated,
  pendingRaw,
  ping,
  provenance,
  recognise,
  relationships,
  revisionsOf,
  stats,
  usersToTellOfExpiry,
  versionsOf,
}

export type Reads = typeof reads
