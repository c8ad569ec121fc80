// Generated from the OpenAPI document by generate-types.ts; do not edit.
// biome-ignore-all format: generated

/** Fields whose keys are user data. The client does not rename keys inside them. */
export const openFields: ReadonlySet<string> = new Set(['checks', 'filters', 'metadata', 'properties'])

export interface AcceptContradictionAnswer {
  status: 'success'
  contradiction: Contradiction
}

export interface AcceptContradictionRequest {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
}

export interface ApiKey {
  id: string
  userId: string
  name: string
  preview: string
  status: 'active' | 'revoked'
  createdAt: string
  lastUsedAt: string | null
  revokedAt: string | null
}

export interface CleanupExpiredAnswer {
  status: 'success'
  deleted: number
  /** Memories that had expired when the cleanup began */
  wouldDelete: number
  dryRun: boolean
}

export interface CleanupExpiredRequest {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
  /** Only this project; without it, all of them */
  project?: string | undefined
  /** Only count */
  dryRun?: boolean | undefined
}

export interface Contradiction {
  id: string
  userId: string
  project: string | null
  /** applied: the new memory replaced the old one; open: both stay until somebody decides; accepted; reverted */
  status: 'applied' | 'open' | 'accepted' | 'reverted'
  /** In plain English */
  why: string
  reason: {
    /** The fact that has one value at a time */
    slot: string
    oldValue: string
    newValue: string
    /** What saw it, contradicted, or refined where the new one only says more */
    rule: string
  } | null
  old: ContradictionSide
  new: ContradictionSide
  createdAt: string
  decidedAt: string | null
}

export interface ContradictionSide {
  /** The memory */
  id: string
  /** The words that contradicted */
  content: string
  createdAt: string
  expiresAt: string | null
  supersededAt: string | null
  supersededBy: string | null
}

export interface CreateKeyAnswer {
  id: string
  /** The full key, shown this once */
  key: string
  userId: string
  name: string
  createdAt: string
}

export interface CreateKeyRequest {
  /** The user whose memories the key reaches */
  userId: string
  /** A label to tell keys apart */
  name: string
}

export interface CreateWebhookAnswer {
  status: 'success'
  webhook: Webhook
  /** Shown this once; null where the caller gave it */
  secret: string | null
}

export interface CreateWebhookRequest {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
  /** Where events are sent: https, and a public address */
  url: string
  /** Only these types; empty or absent: all */
  events?: ('memory.stored' | 'memory.updated' | 'memory.superseded' | 'memory.restored' | 'memory.expired' | 'memory.forgotten')[] | undefined
  /** Only this project; without it, all of them */
  project?: string | undefined
  /** For the signature: 16 to 256 visible ASCII characters; absent: one is made */
  secret?: string | undefined
}

export interface DeadLetter {
  event: MemoryEvent
  attempts: number
  lastStatus: number | null
  lastError: string | null
  failedAt: string
  redelivering: boolean
}

export interface DeleteMemoriesAnswer {
  status: 'success'
  deleted: number
  /** What was deleted */
  memoryIds: string[]
}

export interface DeleteMemoriesRequest {
  /** Delete these memories */
  memoryIds?: string[] | undefined
  /** Delete all memories of the user, or of the project */
  all?: true | undefined
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
  /** Only this project; without it, all of them */
  project?: string | undefined
}

export interface DeleteWebhookAnswer {
  status: 'success'
  id: string
}

export interface Entity {
  id: string
  userId: string
  name: string
  type: 'PERSON' | 'ORG' | 'LOCATION' | 'PRODUCT' | 'EVENT' | 'CONCEPT'
  aliases: string[]
  memoryCount: number
  firstSeen: string
  lastSeen: string
}

export interface EntityMerge {
  id: string
  userId: string
  from: MergedName
  into: MergedName
  /** stated: a text says so; full_name, short_form: the only person whom the name fits; manual: by hand */
  rule: 'stated' | 'full_name' | 'short_form' | 'manual'
  /** In plain English */
  why: string
  createdAt: string
  revertedAt: string | null
  /** rule: its reason is gone, as when a second person fits the name */
  revertedBy: 'user' | 'rule' | null
}

export interface ErrorAnswer {
  error: ErrorBody
}

export interface ErrorBody {
  code: 'validation_error' | 'authentication_error' | 'not_found' | 'conflict' | 'rate_limit_exceeded' | 'internal_error' | 'unavailable'
  message: string
  details?: Problem[] | undefined
  /** Finds the request in the log of the service */
  requestId: string
}

export interface Explanation {
  /** What one signal says of a memory */
  semantic: {
    score: number
    /** Place that it gave, 1 is best */
    rank: number | null
  } | null
  /** What one signal says of a memory */
  keyword: {
    score: number
    /** Place that it gave, 1 is best */
    rank: number | null
  } | null
  /** What one signal says of a memory */
  graph: {
    score: number
    /** Place that it gave, 1 is best */
    rank: number | null
  } | null
  /** Whether those said it whom the query is about */
  speaker: {
    score: number
    /** Place that it gave, 1 is best */
    rank: number | null
  } | null
  /** Whether it is of the time that the query speaks of */
  time: {
    score: number
    /** Place that it gave, 1 is best */
    rank: number | null
  } | null
  /** Whether it answers somebody who asked much the same */
  reply: {
    score: number
    /** Place that it gave, 1 is best */
    rank: number | null
  } | null
  /** Whether it tells something, rather than asks */
  statement: {
    score: number
    /** Place that it gave, 1 is best */
    rank: number | null
  } | null
  /** What one signal says of a memory */
  rerank: {
    score: number
    /** Place that it gave, 1 is best */
    rank: number | null
  } | null
  /** What one signal says of a memory */
  decay: {
    score: number
    /** Place that it gave, 1 is best */
    rank: number | null
  }
  /** How far content protection trusts it */
  trust: {
    score: number
    /** Place that it gave, 1 is best */
    rank: number | null
  }
}

export interface GetContradictionAnswer {
  contradiction: Contradiction
}

export interface GetDecayReportAnswer {
  totalMemories: number
  /** decay_score above 0.7 */
  healthy: number
  /** decay_score from 0.3 to 0.7 */
  decaying: number
  /** decay_score below 0.3; such memories are kept and recalled all the same */
  expired: number
  /** Lowest score first */
  memories: {
    id: string
    content: string
    decayScore: number
    lastAccessed: string | null
  }[]
  /** How many scores are from each tenth up to the next; 1 is in the last */
  distribution: {
    from: number
    to: number
    count: number
  }[]
  /** What the scores are made with */
  halfLifeDays: number
  accessBoostWeight: number
  page: number
  limit: number
}

export interface GetEntityAnswer {
  entity: Entity
}

export interface GetEntityMemoriesAnswer {
  entity: Entity
  /** Newest first */
  memories: Memory[]
  total: number
  page: number
  limit: number
}

export interface GetEntityRelationshipsAnswer {
  entity: Entity
  /** In both directions */
  relationships: Relationship[]
  total: number
}

export interface GetGraphAnswer {
  /** Those with most memories first */
  entities: Entity[]
  /** Between these entities, each once; 10,000 at most */
  relationships: Relationship[]
  /** Of all, so that a cut shows */
  totalEntities: number
  totalRelationships: number
}

export interface GetHealthAnswer {
  status: 'healthy'
  /** With a valid key */
  version?: string | undefined
  /** With a valid key */
  uptimeSeconds?: number | undefined
  /** With a valid key */
  checks?: Record<string, string> | undefined
}

export interface GetHealthUnavailableAnswer {
  status: 'unhealthy'
  /** With a valid key */
  version?: string | undefined
  /** With a valid key */
  uptimeSeconds?: number | undefined
  /** With a valid key */
  checks?: Record<string, string> | undefined
  error: ErrorBody
}

export interface GetMemoryAnswer {
  memory: Memory
}

export interface GetMemoryDecayAnswer {
  id: string
  decayScore: number
  timeDecay: number
  accessBoost: number
  recencyBoost: number
  ageDays: number
  accessCount: number
  lastAccessed: string | null
  halfLifeDays: number
  accessBoostWeight: number
  status: 'healthy' | 'decaying' | 'expired'
  expiresAt: string | null
  /** The score so many days from now if nobody touches it */
  forecast: {
    days: number
    decayScore: number
  }[]
}

export interface GetMemoryHistoryAnswer {
  memoryId: string
  /** Oldest first */
  versions: MemoryVersion[]
  provenance: Provenance[]
}

export interface GetWebhookAnswer {
  webhook: Webhook
}

export interface ListContradictionsAnswer {
  /** Newest first */
  contradictions: Contradiction[]
  total: number
  page: number
  limit: number
}

export interface ListDeadLettersAnswer {
  deadLetters: DeadLetter[]
  total: number
}

export interface ListEntitiesAnswer {
  /** Most recently seen first */
  entities: Entity[]
  total: number
  page: number
  limit: number
}

export interface ListEntityMergesAnswer {
  entity: Entity
  /** Newest first */
  merges: EntityMerge[]
  total: number
}

export interface ListEventsAnswer {
  events: MemoryEvent[]
  /** Pass it as `since` next time */
  next: string
  more: boolean
  /** Some events after `since` are not kept any more: list the memories anew */
  missed: boolean
}

export interface ListKeysAnswer {
  keys: ApiKey[]
  total: number
}

export interface ListMemoriesAnswer {
  /** Newest first, unless sorted otherwise */
  memories: Memory[]
  total: number
  /** Null when a cursor was given */
  page: number | null
  limit: number
  nextCursor: string | null
}

export interface ListWebhooksAnswer {
  webhooks: Webhook[]
  total: number
}

export interface Memory {
  id: string
  userId: string
  content: string
  /** What made it: UPDATE where it replaced what supersedes names */
  action: 'ADD' | 'UPDATE'
  /** Relevance to a query: null where there is none */
  score: number | null
  project: string | null
  /** Keys and values of the caller: at most 16 KiB, 8 levels */
  metadata: Record<string, unknown>
  /** SHA-256 of the content */
  checksum: string
  trustScore: number
  source: string
  entities: string[]
  createdAt: string
  updatedAt: string
  expiresAt: string | null
  lastAccessed: string | null
  accessCount: number
  decayScore: number
  flagged: boolean
  supersededAt: string | null
  /** Id of the memory that replaced it */
  supersededBy: string | null
  /** Ids of the memories that it replaced; left out when there are none */
  supersedes?: string[] | undefined
  /** With include_expired */
  expired?: boolean | undefined
}

export interface MemoryEvent {
  /** Within its user; later ones are higher */
  id: string
  type: 'memory.stored' | 'memory.updated' | 'memory.superseded' | 'memory.restored' | 'memory.expired' | 'memory.forgotten'
  action: 'ADD' | 'UPDATE' | 'SUPERSEDE' | 'RESTORE' | 'EXPIRE' | 'FORGET' | 'CLEANUP'
  userId: string
  memoryId: string
  /** Null also for what was forgotten */
  project: string | null
  /** Of the content since */
  checksum: string | null
  /** What it supersedes, or what superseded it */
  relatedMemoryIds: string[]
  time: string
}

export interface MemoryVersion {
  version: number
  content: string
  checksum: string
  /** Keys and values of the caller: at most 16 KiB, 8 levels */
  metadata: Record<string, unknown>
  project: string | null
  trustScore: number
  validFrom: string
  validTo: string | null
  expiresAt: string | null
}

export interface MergeEntityAnswer {
  status: 'success'
  merge: EntityMerge
}

export interface MergeEntityRequest {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of the entity that it is */
  into: string
}

export interface MergedName {
  id: string
  name: string
  type: 'PERSON' | 'ORG' | 'LOCATION' | 'PRODUCT' | 'EVENT' | 'CONCEPT'
}

export interface Message {
  role: 'user' | 'assistant' | 'system' | 'tool'
  /** 1 to 50,000 characters after trimming */
  content: string
  /** Who speaks */
  name?: string | undefined
  /** When it was said, for an import of the past; not in the future */
  createdAt?: string | undefined
}

/** One thing that is wrong. A refusal by content protection adds trust_score and findings. */
export interface Problem {
  /** The field, such as metadata.tags[2]; empty for the whole */
  path: string
  message: string
  [extra: string]: unknown
}

export interface Provenance {
  documentId: string
  source: string
  storedAt: string
  /** What was submitted and yielded or repeated the memory */
  text: string
}

export interface RecallMemoriesAnswer {
  /** Highest score first */
  memories: RecalledMemory[]
  /** The memories as text, one a line: [YYYY-MM-DD] content; (low trust) stands before the text of one that content protection doubts */
  context: string
  total: number
  /** With explain: the size of the context */
  contextTokens?: number | undefined
  /** Parts that failed and were done without; left out when all went well */
  degraded?: string[] | undefined
  /** With explain_memory_ids */
  notReturned?: UnreturnedMemory[] | undefined
}

export interface RecallMemoriesRequest {
  /** 1 to 10,000 characters after trimming */
  query: string
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
  /** Only this project; without it, all of them */
  project?: string | undefined
  /** At most this many memories */
  limit?: number | undefined
  /** Nothing that scores below it is returned */
  threshold?: number | undefined
  /** Size of the context at most */
  maxTokens?: number | undefined
  /** Search by words and by the graph of entities as well as by meaning */
  enableHybrid?: boolean | undefined
  /** Look at the best candidates a second time */
  enableRerank?: boolean | undefined
  /** The state of that moment, with the content that memories had then */
  asOf?: string | undefined
  /** Only memories whose metadata has these values, at most 20 */
  filters?: Record<string, string | number | boolean | null> | undefined
  /** Only memories that mention this entity: its id or a name */
  entity?: string | undefined
  /** Also what was superseded */
  includeHistory?: boolean | undefined
  /** Also what content protection flagged; never part of the context */
  includeFlagged?: boolean | undefined
  /** Show what each signal contributed */
  explain?: boolean | undefined
  /** Memories to tell of why they were not returned; those that were are left out */
  explainMemoryIds?: string[] | undefined
}

export interface RecalledMemory {
  id: string
  content: string
  /** Relevance to the query, comparable between queries */
  score: number
  createdAt: string
  project: string | null
  /** Keys and values of the caller: at most 16 KiB, 8 levels */
  metadata: Record<string, unknown>
  source: string
  trustScore: number
  expiresAt: string | null
  /** With include_history */
  supersededAt?: string | null | undefined
  /** With include_flagged */
  flagged?: boolean | undefined
  explain?: Explanation | undefined
}

export interface RedeliverEventsAnswer {
  status: 'success'
  redelivering: number
}

export interface RedeliverEventsRequest {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
  /** Only these; absent: all */
  eventIds?: string[] | undefined
}

export interface Relationship {
  id: string
  /** Name of the source entity */
  source: string
  sourceId: string
  /** Name of the target entity */
  target: string
  targetId: string
  type: 'WORKS_AT' | 'STUDIES_AT' | 'LIVES_IN' | 'LOCATED_IN' | 'BORN_IN' | 'MANAGES' | 'REPORTS_TO' | 'FOUNDED' | 'OWNS' | 'CREATED' | 'MEMBER_OF' | 'SPOUSE_OF' | 'PARENT_OF' | 'SIBLING_OF' | 'FRIEND_OF' | 'KNOWS' | 'LIKES' | 'DISLIKES' | 'USES' | 'VISITED' | 'ATTENDED' | 'RELATED_TO'
  properties: Record<string, string>
  validFrom: string
  validTo: string | null
  /** Memories that support it */
  memoryIds: string[]
}

export interface RevokeKeyAnswer {
  status: 'success'
  id: string
  revokedAt: string
}

export interface RunCleanupAnswer {
  status: 'success'
  deleted: number
  /** Memories that had expired when the cleanup began */
  wouldDelete: number
  dryRun: boolean
  /** The first 100 of them */
  memories: {
    id: string
    content: string
    expiredAt: string
  }[]
}

export interface RunCleanupRequest {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
  /** Only this project; without it, all of them */
  project?: string | undefined
  /** Only preview; false purges */
  dryRun?: boolean | undefined
}

export interface StoreMemoriesAnswer {
  status: 'success'
  memories: StoredMemory[]
  entitiesExtracted: number
  relationshipsCreated: number
  /** Parts that failed and were done without; left out when all went well */
  degraded?: string[] | undefined
}

export interface StoreMemoriesRequest {
  /** 1 to 50,000 characters after trimming */
  content?: string | undefined
  /** A conversation instead of content, at most 50,000 characters together */
  messages?: Message[] | undefined
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
  /** The project it belongs to; without it, none */
  project?: string | undefined
  /** Keys and values of the caller: at most 16 KiB, 8 levels */
  metadata?: Record<string, unknown> | undefined
  /** How long it lives: a positive integer and h, d, w, m or y, such as 7d; or permanent */
  ttl?: string | undefined
  /** When it was said, for an import of the past; not in the future */
  createdAt?: string | undefined
  /** Where it comes from; api by default */
  source?: string | undefined
}

export interface StoredMemory {
  id: string
  content: string
  /** NOOP: the user has it already; UPDATE: it replaces what supersedes names */
  action: 'ADD' | 'NOOP' | 'UPDATE'
  entities: string[]
  project: string | null
  createdAt: string
  expiresAt: string | null
  trustScore: number
  /** SHA-256 of the content */
  checksum: string
  source: string
  /** True: kept, but out of recall; left out otherwise */
  flagged?: boolean | undefined
  /** Ids of the memories that it replaces; left out when there are none */
  supersedes?: string[] | undefined
}

export interface UnreturnedMemory {
  id: string
  /** not_found: the user has none with this id; not_a_candidate: others were nearer to the query */
  reason: 'below_threshold' | 'beyond_limit' | 'not_a_candidate' | 'expired' | 'superseded' | 'created_later' | 'flagged' | 'other_project' | 'filtered' | 'failed_checksum' | 'not_found'
  /** What it got, or would have got as a candidate; left out where it was not searched */
  score?: number | undefined
  /** The place that its score gives it */
  rank?: number | undefined
  explain?: Explanation | undefined
}

export interface UpdateMemoryAnswer {
  status: 'success'
  memory: Memory
  /** Parts that failed and were done without; left out when all went well */
  degraded?: string[] | undefined
}

export interface UpdateMemoryRequest {
  /** 1 to 50,000 characters after trimming */
  content?: string | undefined
  /** Keys and values of the caller: at most 16 KiB, 8 levels */
  metadata?: Record<string, unknown> | undefined
  /** Counts from now; permanent clears it */
  ttl?: string | undefined
  /** Moves it there; null moves it out of any project */
  project?: string | null | undefined
  /** The owner, checked if given */
  userId?: string | undefined
}

export interface Webhook {
  id: string
  userId: string
  url: string
  events: ('memory.stored' | 'memory.updated' | 'memory.superseded' | 'memory.restored' | 'memory.expired' | 'memory.forgotten')[]
  project: string | null
  status: 'active' | 'retrying' | 'failing'
  /** Of the event that it is at */
  attempts: number
  nextAttemptAt: string | null
  lastAttemptAt: string | null
  lastSuccessAt: string | null
  lastStatus: number | null
  lastError: string | null
  deadLetters: number
  createdAt: string
  /** The id of the key that made it */
  createdBy: string | null
}

export interface AcceptContradictionQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
}

export interface DeleteMemoriesQuery {
  /** Delete these memories: ids with commas between them */
  memoryIds?: string | undefined
  /** Delete all memories of the user, or of the project */
  all?: true | undefined
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
  /** Only this project; without it, all of them */
  project?: string | undefined
}

export interface DeleteWebhookQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
}

export interface GetContradictionQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
}

export interface GetDecayReportQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
  /** Only this project; without it, all of them */
  project?: string | undefined
  /** What if the half-life were this */
  halfLifeDays?: number | undefined
  /** What if an access counted this */
  accessBoostWeight?: number | undefined
  /** Items on a page, at most 500 */
  limit?: number | undefined
  /** Page, from 1 */
  page?: number | undefined
}

export interface GetEntityQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
  /** What memories told at that moment; names and merges are those of now */
  asOf?: string | undefined
}

export interface GetEntityMemoriesQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
  /** What memories told at that moment; names and merges are those of now */
  asOf?: string | undefined
  /** Items on a page, at most 500 */
  limit?: number | undefined
  /** Page, from 1 */
  page?: number | undefined
}

export interface GetEntityRelationshipsQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
  /** What held at that moment */
  asOf?: string | undefined
  /** Also what holds no more */
  includeHistory?: boolean | undefined
}

export interface GetGraphQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
  /** Only this project; without it, all of them */
  project?: string | undefined
  /** What memories told at that moment; names and merges are those of now */
  asOf?: string | undefined
  /** Entities at most, up to 2000 */
  limit?: number | undefined
}

export interface GetMemoryQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
}

export interface GetMemoryDecayQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
  /** What if the half-life were this */
  halfLifeDays?: number | undefined
  /** What if an access counted this */
  accessBoostWeight?: number | undefined
  /** Days from now to forecast, with commas between them: 7,30,90,365 by default */
  forecastDays?: string | undefined
}

export interface GetMemoryHistoryQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
}

export interface GetWebhookQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
}

export interface ListContradictionsQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
  /** Only this project; without it, all of them */
  project?: string | undefined
  status?: 'applied' | 'open' | 'accepted' | 'reverted' | undefined
  /** Also those with a memory that has expired */
  includeExpired?: boolean | undefined
  /** Items on a page, at most 500 */
  limit?: number | undefined
  /** Page, from 1 */
  page?: number | undefined
}

export interface ListDeadLettersQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
  /** Items on a page, at most 1000 */
  limit?: number | undefined
}

export interface ListEntitiesQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
  /** Only this project; without it, all of them */
  project?: string | undefined
  type?: 'PERSON' | 'ORG' | 'LOCATION' | 'PRODUCT' | 'EVENT' | 'CONCEPT' | undefined
  /** Only entities whose name or an alias has this text */
  q?: string | undefined
  /** What memories told at that moment; names and merges are those of now */
  asOf?: string | undefined
  /** Items on a page, at most 500 */
  limit?: number | undefined
  /** Page, from 1 */
  page?: number | undefined
}

export interface ListEntityMergesQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
}

export interface ListEventsQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
  /** Only this project; without it, all of them */
  project?: string | undefined
  /** Events after this one; 0: all that are kept. The header Last-Event-ID goes before it */
  since?: string | undefined
  /** Items on a page, at most 1000 */
  limit?: number | undefined
}

export interface ListKeysQuery {
  /** Only keys of this user */
  userId?: string | undefined
}

export interface ListMemoriesQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
  /** Only this project; without it, all of them */
  project?: string | undefined
  /** Items on a page, at most 500 */
  limit?: number | undefined
  /** Page, from 1 (the default); not together with cursor */
  page?: number | undefined
  /** next_cursor of the page before */
  cursor?: string | undefined
  /** Also what has expired and was not cleaned up yet */
  includeExpired?: boolean | undefined
  /** Only memories whose content has this text, whatever the case */
  q?: string | undefined
  /** The state of that moment, with the content that memories had then */
  asOf?: string | undefined
  /** created_at: newest first. expires_at: only what expires, soonest first; not together with cursor */
  sort?: 'created_at' | 'expires_at' | undefined
}

export interface ListWebhooksQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
}

export interface MergeEntityQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
}

export interface RedeliverEventsQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
}

export interface RevertContradictionQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
}

export interface RevertMergeQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
}

export interface UpdateMemoryQuery {
  /** Whose memories; by default the user of the API key */
  userId?: string | undefined
}
