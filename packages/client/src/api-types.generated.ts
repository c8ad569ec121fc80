// Generated from the OpenAPI document by generate-types.ts; do not edit.
// biome-ignore-all format: generated

/** Fields whose keys are user data. The client does not rename keys inside them. */
export const openFields: ReadonlySet<string> = new Set(['checks', 'filter', 'filters', 'metadata', 'properties', 'value'])

export interface AcceptContradictionAnswer {
  status: 'success'
  contradiction: Contradiction
}

export interface ApiKey {
  id: string
  /** Null for an application key */
  userId: string | null
  name: string
  preview: string
  status: 'active' | 'revoked' | 'expired'
  createdAt: string
  lastUsedAt: string | null
  revokedAt: string | null
  /** full: everything. read: nothing is changed. write: only stores, and gets no memories back */
  access: 'full' | 'read' | 'write'
  /** The only project that it reaches; null: all memories of the user */
  project: string | null
  expiresAt: string | null
  /** user: reaches one user. application: acts for the user that each request names */
  kind: 'user' | 'application'
  /** The users of an application key; null: every user, or a key of one user */
  userPrefix: string | null
}

export interface BatchResult {
  /** Of the item in the request */
  index: number
  /** refused: sending it again would not help; failed: send it again, with the same idempotency key */
  status: 'stored' | 'refused' | 'failed'
  /** True if an earlier request with the same key has stored it; omitted otherwise */
  replayed?: boolean | undefined
  /** Only if it is stored: the response of a single store */
  result?: StoreMemoriesAnswer | undefined
  /** Only if it is not stored: the error of a single store */
  error?: ErrorBody | undefined
}

export interface CleanupExpiredAnswer {
  status: 'success'
  deleted: number
  /** Memories that had expired when the cleanup began */
  wouldDelete: number
  dryRun: boolean
}

export interface CleanupExpiredRequest {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** Only memories of this project; by default all projects */
  project?: string | undefined
  /** Only count, delete nothing; by default false */
  dryRun?: boolean | undefined
}

export interface ConsolidateAnswer {
  status: 'success'
  dryRun: boolean
  /** Memories that were compared with their nearest ones */
  examined: number
  /** Older memories were not examined; the scheduled pass examines all */
  hasMore: boolean
  /** Memories that were retired because another one says the same */
  merged: number
  /** Memories that were retired because they say nothing */
  retired: number
  proposals: {
    /** repeated: the new memory says the same in other words; chatter: the old memory says nothing */
    rule: 'repeated' | 'chatter'
    userId: string
    project: string | null
    /** The memory that is retired */
    old: {
      id: string
      /** Left out for the master key */
      content?: string | undefined
    }
    /** The memory that is kept; null for chatter */
    new: {
      id: string
      /** Left out for the master key */
      content?: string | undefined
    } | null
    /** To revert it; null with dry_run */
    contradictionId: string | null
  }[]
}

export interface ConsolidateRequest {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** Only memories of this project; by default all projects */
  project?: string | undefined
  /** Only propose; false retires the memories; by default true */
  dryRun?: boolean | undefined
}

export interface Contradiction {
  id: string
  userId: string
  project: string | null
  /** applied: the new memory replaced the old one, or a part of it; open: both are kept until somebody decides; accepted or reverted: somebody decided */
  status: 'applied' | 'open' | 'accepted' | 'reverted'
  /** The reason in plain English */
  why: string
  reason: {
    /** The fact that has one value at a time */
    slot: string
    oldValue: string
    newValue: string
    /** The rule that found it: contradicted; refined, where the new memory only adds detail; judged, by the judging model; advised, by a language model; repeated, where consolidation found the same in other words; chatter, where consolidation retired a memory that says nothing, which is then on both sides */
    rule: string
  } | null
  /** The part of the old memory that it is about; null if it is about all of it */
  part: {
    /** The words of the old memory that it is about */
    text: string
    /** Where they begin in the content, in UTF-16 code units */
    start: number
    /** Where they end: the first code unit after them */
    end: number
  } | null
  old: ContradictionSide
  new: ContradictionSide
  createdAt: string
  decidedAt: string | null
}

export interface ContradictionSide {
  /** The memory */
  id: string
  /** The content that contradicted; the memory may have changed since */
  content: string
  createdAt: string
  expiresAt: string | null
  supersededAt: string | null
  supersededBy: string | null
}

export interface CreateKeyAnswer {
  id: string
  /** The full key; shown only once */
  key: string
  /** Null for an application key */
  userId: string | null
  name: string
  createdAt: string
  /** full: everything. read: nothing is changed. write: only stores, and gets no memories back */
  access: 'full' | 'read' | 'write'
  /** The only project that it reaches; null: all memories of the user */
  project: string | null
  expiresAt: string | null
  /** user: reaches one user. application: acts for the user that each request names */
  kind: 'user' | 'application'
  /** The users of an application key; null: every user, or a key of one user */
  userPrefix: string | null
}

export interface CreateKeyRequest {
  /** user: reaches one user. application: acts for the user that each request names; by default user */
  kind?: 'user' | 'application' | undefined
  /** The user whose memories the key reaches; required unless kind is application */
  userId?: string | undefined
  /** Only for an application key: it acts for users whose id starts with this; by default for every user */
  userPrefix?: string | undefined
  /** A label that identifies the key */
  name: string
  /** full: everything. read: nothing is changed. write: only stores, and gets no memories back; by default full */
  access?: 'full' | 'read' | 'write' | undefined
  /** The only project that the key reaches; by default all memories of the user */
  project?: string | undefined
  /** How long the key works, such as 12h or 30d; by default until it is revoked */
  ttl?: string | undefined
}

export interface CreateSpaceAnswer {
  status: 'success'
  space: Space
}

export interface CreateSpaceRequest {
  /** A name for its members */
  name: string
  /** The member who acts; by default the user of the API key */
  userId?: string | undefined
}

export interface CreateWebhookAnswer {
  status: 'success'
  webhook: Webhook
  /** Shown only once; null if the caller chose it */
  secret: string | null
}

export interface CreateWebhookRequest {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** Where events are sent: an https URL with a public address */
  url: string
  /** Only these types of events; by default, or if empty, all types */
  events?: ('memory.stored' | 'memory.updated' | 'memory.superseded' | 'memory.outdated' | 'memory.restored' | 'memory.expired' | 'memory.forgotten' | 'item.put' | 'item.deleted')[] | undefined
  /** Only memories of this project; by default all projects */
  project?: string | undefined
  /** Signs the events: 16 to 256 visible ASCII characters; generated by default */
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

export interface DeleteItemAnswer {
  status: 'success'
  /** Number of deleted items */
  deleted: number
}

export interface DeleteMemoriesAnswer {
  status: 'success'
  deleted: number
  /** Ids of the deleted memories */
  memoryIds: string[]
}

export interface DeleteMemoriesRequest {
  /** Delete these memories */
  memoryIds?: string[] | undefined
  /** Delete the memories that pass this filter */
  filter?: Record<string, unknown> | undefined
  /** Delete all memories of the user, or of the project */
  all?: true | undefined
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** Only memories of this project; by default all projects */
  project?: string | undefined
}

export interface DeleteSpaceAnswer {
  status: 'success'
  id: string
  /** Number of deleted memories */
  deleted: number
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
  /** stated: a text says so; full_name, short_form, company_name: the name fits only this person or organisation; same_name: a product has the name of an organisation; manual: a user merged them */
  rule: 'stated' | 'full_name' | 'short_form' | 'company_name' | 'same_name' | 'manual'
  /** The reason in plain English */
  why: string
  createdAt: string
  revertedAt: string | null
  /** rule: the reason no longer applies, for example because the name now fits a second person */
  revertedBy: 'user' | 'rule' | null
}

export interface ErrorAnswer {
  error: ErrorBody
}

export interface ErrorBody {
  code: 'validation_error' | 'authentication_error' | 'forbidden' | 'not_found' | 'conflict' | 'rate_limit_exceeded' | 'internal_error' | 'unavailable'
  message: string
  details?: Problem[] | undefined
  /** Identifies the request in the log of the service */
  requestId: string
}

export interface Explanation {
  /** The score of a memory by one signal */
  semantic: {
    score: number
    /** The rank by this signal; 1 is best */
    rank: number | null
  } | null
  /** The score of a memory by one signal */
  keyword: {
    score: number
    /** The rank by this signal; 1 is best */
    rank: number | null
  } | null
  /** The score of a memory by one signal */
  graph: {
    score: number
    /** The rank by this signal; 1 is best */
    rank: number | null
  } | null
  /** Whether a person whom the query is about said it */
  speaker: {
    score: number
    /** The rank by this signal; 1 is best */
    rank: number | null
  } | null
  /** Whether a note of the user is about the person whom the query is about */
  subject: {
    score: number
    /** The rank by this signal; 1 is best */
    rank: number | null
  } | null
  /** Whether it is from the time that the query mentions */
  time: {
    score: number
    /** The rank by this signal; 1 is best */
    rank: number | null
  } | null
  /** Whether it answers somebody who asked a similar question */
  reply: {
    score: number
    /** The rank by this signal; 1 is best */
    rank: number | null
  } | null
  /** Whether it states something rather than asks */
  statement: {
    score: number
    /** The rank by this signal; 1 is best */
    rank: number | null
  } | null
  /** The score of a memory by one signal */
  rerank: {
    score: number
    /** The rank by this signal; 1 is best */
    rank: number | null
  } | null
  /** The score of a memory by one signal */
  decay: {
    score: number
    /** The rank by this signal; 1 is best */
    rank: number | null
  }
  /** How much content protection trusts it */
  trust: {
    score: number
    /** The rank by this signal; 1 is best */
    rank: number | null
  }
}

export interface GetActivityAnswer {
  /** Days on which memories were created, oldest first; at most the last ten years of them */
  days: {
    /** In UTC, such as 2026-11-16 */
    day: string
    created: number
  }[]
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
  /** decay_score below 0.3; these memories are still kept and recalled */
  expired: number
  /** Lowest score first */
  memories: {
    id: string
    content: string
    decayScore: number
    lastAccessed: string | null
  }[]
  /** Number of scores in each tenth; a score of 1 is in the last one */
  distribution: {
    from: number
    to: number
    count: number
  }[]
  /** The same three numbers after this many days if no memory is accessed; TTLs are ignored */
  forecast: {
    days: number
    healthy: number
    decaying: number
    expired: number
  }[]
  /** The half-life that the scores were calculated with */
  halfLifeDays: number
  accessBoostWeight: number
  /** Null when a cursor was given */
  page: number | null
  limit: number
  /** The next page begins here; null on the last page. Follow it if a page ended early because of its size */
  nextCursor: string | null
}

export interface GetEntityAnswer {
  entity: Entity
}

export interface GetEntityMemoriesAnswer {
  entity: Entity
  /** Newest first */
  memories: Memory[]
  total: number
  /** Null when a cursor was given */
  page: number | null
  limit: number
  /** The next page begins here; null on the last page. Follow it if a page ended early because of its size */
  nextCursor: string | null
}

export interface GetEntityRelationshipsAnswer {
  entity: Entity
  /** In both directions */
  relationships: Relationship[]
  total: number
}

export interface GetGraphAnswer {
  /** Entities with the most memories first */
  entities: Entity[]
  /** Relationships between these entities, each once; at most 10,000 */
  relationships: Relationship[]
  /** Number of all entities, including those beyond limit */
  totalEntities: number
  totalRelationships: number
}

export interface GetHealthAnswer {
  status: 'healthy'
  /** Only with a valid key, or while authentication is off */
  version?: string | undefined
  /** Only with a valid key, or while authentication is off */
  uptimeSeconds?: number | undefined
  /** Only with a valid key, or while authentication is off */
  checks?: Record<string, string> | undefined
  /** How well each language is supported. Only with a valid key, or while authentication is off */
  languages?: {
    /** ISO 639-1 */
    code: string
    /** tested: through the whole service; measured: vectors or keywords alone; unmeasured: another embedding model is configured */
    recall: 'tested' | 'measured' | 'unmeasured'
    /** partial: sentences and dates by rules of the language; none: texts are stored and found as written */
    understanding: 'full' | 'partial' | 'none'
  }[] | undefined
}

export interface GetHealthUnavailableAnswer {
  status: 'unhealthy'
  /** Only with a valid key, or while authentication is off */
  version?: string | undefined
  /** Only with a valid key, or while authentication is off */
  uptimeSeconds?: number | undefined
  /** Only with a valid key, or while authentication is off */
  checks?: Record<string, string> | undefined
  /** How well each language is supported. Only with a valid key, or while authentication is off */
  languages?: {
    /** ISO 639-1 */
    code: string
    /** tested: through the whole service; measured: vectors or keywords alone; unmeasured: another embedding model is configured */
    recall: 'tested' | 'measured' | 'unmeasured'
    /** partial: sentences and dates by rules of the language; none: texts are stored and found as written */
    understanding: 'full' | 'partial' | 'none'
  }[] | undefined
  error: ErrorBody
}

export interface GetItemAnswer {
  item: Item
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
  /** The score after this many days if the memory is not accessed */
  forecast: {
    days: number
    decayScore: number
  }[]
}

export interface GetMemoryHistoryAnswer {
  memoryId: string
  /** Oldest first */
  versions: MemoryVersion[]
  /** Oldest first; after the last version */
  provenance: Provenance[]
  /** The next page begins here; null on the last page. Follow it if a page ended early because of its size */
  nextCursor: string | null
}

export interface GetProfileAnswer {
  userId: string
  asOf: string
  /** The topics of which something is known, in a fixed order; in each, the surest and newest facts first */
  topics: {
    topic: 'identity' | 'people' | 'home' | 'work' | 'health' | 'preferences' | 'possessions' | 'plans' | 'projects' | 'other'
    lines: ProfileLine[]
  }[]
  /** The same for a prompt: a heading per topic and a line per fact */
  text: string
  /** Size of `text` */
  tokens: number
}

export interface GetSpaceAnswer {
  space: Space
}

export interface GetWebhookAnswer {
  webhook: Webhook
}

export interface Grant {
  id: string
  userId: string
  /** The OAuth client: a URL, or an id from its registration */
  clientId: string
  /** The name that the client gave itself */
  clientName: string
  status: 'active' | 'expired' | 'revoked'
  /** The API key that approved it; null: the master key */
  approvedBy: string | null
  createdAt: string
  lastUsedAt: string | null
  /** The end, unless the client refreshes its tokens */
  expiresAt: string
  revokedAt: string | null
}

export interface Item {
  namespace: string
  key: string
  project: string | null
  /** Any JSON: a text, an object, a list. At most 50,000 characters as JSON */
  value: unknown
  /** Grows with every change; numbers have gaps */
  version: number
  trustScore: number
  /** Content protection flagged it: a search leaves it out */
  flagged: boolean
  createdAt: string
  updatedAt: string
  expiresAt: string | null
}

export interface LeaveSpacesAnswer {
  status: 'success'
  /** Ids of the spaces that the user was a member of */
  left: string[]
  /** Those of them that have no owner now */
  ownerless: string[]
  /** Ids of the spaces that were deleted with their memories: nobody else was a member */
  deleted: string[]
}

export interface ListContradictionsAnswer {
  /** Newest first */
  contradictions: Contradiction[]
  total: number
  /** Null when a cursor was given */
  page: number | null
  limit: number
  /** The next page begins here; null on the last page. Follow it if a page ended early because of its size */
  nextCursor: string | null
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
  /** Pass this as `since` in the next request */
  next: string
  more: boolean
  /** Some events after `since` are no longer kept: list the memories again */
  missed: boolean
}

export interface ListGrantsAnswer {
  grants: Grant[]
  total: number
}

export interface ListItemVersionsAnswer {
  /** The newest first, at most 20 */
  versions: {
    /** Grows with every change; numbers have gaps */
    version: number
    /** Any JSON: a text, an object, a list. At most 50,000 characters as JSON */
    value: unknown
    validFrom: string
    /** Null: current */
    validTo: string | null
  }[]
}

export interface ListItemsAnswer {
  /** By namespace and key */
  items: Item[]
  limit: number
  /** The next page begins here; null on the last page */
  nextCursor: string | null
}

export interface ListKeysAnswer {
  keys: ApiKey[]
  total: number
}

export interface ListMembersAnswer {
  /** In the order in which they joined */
  members: Member[]
  total: number
  page: number
  limit: number
}

export interface ListMemoriesAnswer {
  /** Newest first, unless sort says otherwise */
  memories: Memory[]
  total: number
  /** Null when a cursor was given */
  page: number | null
  limit: number
  /** The next page begins here; null on the last page. Follow it if a page ended early because of its size */
  nextCursor: string | null
}

export interface ListNamespacesAnswer {
  namespaces: {
    namespace: string
    /** Number of items */
    items: number
  }[]
  limit: number
  /** The next page begins here; null on the last page */
  nextCursor: string | null
}

export interface ListProjectsAnswer {
  /** Those with the most memories first, at most 500 */
  projects: {
    name: string
    /** Current ones */
    memories: number
  }[]
}

export interface ListSpacesAnswer {
  /** In the order in which the user joined them */
  spaces: Space[]
  total: number
  page: number
  limit: number
}

export interface ListUsersAnswer {
  users: {
    userId: string
    /** Including superseded and expired ones that are kept */
    memories: number
  }[]
  total: number
  page: number
  limit: number
}

export interface ListWebhooksAnswer {
  webhooks: Webhook[]
  total: number
}

export interface Member {
  /** A user */
  member: string
  /** reader: reads. writer: also stores, updates and deletes memories. owner: also manages members and deletes the space */
  role: 'reader' | 'writer' | 'owner'
  joinedAt: string
}

export interface Memory {
  id: string
  /** The owner; for a memory of a space, the id of the space */
  userId: string
  content: string
  /** How it was created: UPDATE if it replaced the memories in supersedes */
  action: 'ADD' | 'UPDATE'
  /** Relevance to a query; null where there is no query */
  score: number | null
  project: string | null
  /** Any keys and values: at most 16 KiB as JSON, 8 levels deep */
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
  /** Ids of the memories that it replaced; omitted when there are none */
  supersedes?: string[] | undefined
  /** Parts of the content that no longer hold, because a later memory changed them; omitted when there are none */
  outdated?: OutdatedPart[] | undefined
  /** Only with include_expired */
  expired?: boolean | undefined
}

export interface MemoryEvent {
  /** Unique per user; later events have higher ids */
  id: string
  type: 'memory.stored' | 'memory.updated' | 'memory.superseded' | 'memory.outdated' | 'memory.restored' | 'memory.expired' | 'memory.forgotten' | 'item.put' | 'item.deleted'
  action: 'ADD' | 'UPDATE' | 'SUPERSEDE' | 'OUTDATE' | 'RESTORE' | 'EXPIRE' | 'FORGET' | 'CLEANUP'
  userId: string
  /** Null for an item */
  memoryId: string | null
  /** The item. Null for a memory, and with item.deleted if all items were erased: list them again */
  item: {
    namespace: string
    key: string
    /** Null if it was deleted */
    version: number | null
  } | null
  /** Null if the memory or item has no project, or the memory was forgotten */
  project: string | null
  /** Checksum of the content after the event */
  checksum: string | null
  /** The memories that it supersedes, or the memory that superseded it or made a part of it outdated */
  relatedMemoryIds: string[]
  time: string
}

export interface MemoryVersion {
  version: number
  content: string
  checksum: string
  /** Any keys and values: at most 16 KiB as JSON, 8 levels deep */
  metadata: Record<string, unknown>
  project: string | null
  trustScore: number
  validFrom: string
  validTo: string | null
  expiresAt: string | null
  /** Parts of the content that no longer hold, because a later memory changed them; omitted when there are none */
  outdated?: OutdatedPart[] | undefined
}

export interface MergeEntityAnswer {
  status: 'success'
  merge: EntityMerge
}

export interface MergeEntityRequest {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** The id of the entity to merge it into */
  into: string
}

export interface MergedName {
  id: string
  name: string
  type: 'PERSON' | 'ORG' | 'LOCATION' | 'PRODUCT' | 'EVENT' | 'CONCEPT'
}

export interface Message {
  role: 'user' | 'assistant' | 'system' | 'tool'
  /** At most 50,000 characters after trimming; a blank message is skipped, but one must not be blank */
  content: string
  /** Name of the speaker */
  name?: string | undefined
  /** When it was said, for importing the past; not in the future */
  createdAt?: string | undefined
}

export interface OutdatedPart {
  /** The words that no longer hold */
  text: string
  /** Where they begin in the content, in UTF-16 code units */
  start: number
  /** Where they end: the first code unit after them */
  end: number
  since: string
  /** Id of the memory that replaced them; null if it was deleted */
  by: string | null
}

/** One problem with the request. If content protection refused the text, it also has trust_score and findings. */
export interface Problem {
  /** The field, such as metadata.tags[2]; empty for the whole request */
  path: string
  message: string
  [extra: string]: unknown
}

export interface ProfileLine {
  /** The words of the memory that state the fact */
  text: string
  memoryId: string
  /** When the memory was created */
  createdAt: string
  /** How sure it is a lasting fact */
  confidence: number
  /** Name of the person it is about; null: the user */
  subject: string | null
}

export interface Provenance {
  documentId: string
  source: string
  storedAt: string
  /** The submitted text that the memory was extracted from, or that repeated it */
  text: string
}

export interface PutItemAnswer {
  status: 'success'
  /** False: there was such an item */
  created: boolean
  item: Item
  /** Secrets that were replaced by a mark such as [redacted: GitHub token]; omitted when there were none */
  redacted?: {
    /** Such as GitHub token */
    kind: string
    /** How many */
    count: number
  }[] | undefined
}

export interface PutItemRequest {
  /** Any JSON: a text, an object, a list. At most 50,000 characters as JSON */
  value: unknown
  /** Time to live: a positive integer and a unit (min minutes, h hours, d days, w weeks, m or mo months of 30 days, y years of 365), such as 7d; or permanent */
  ttl?: string | undefined
  /** What a search looks at: true (the default) for all of the value, false for nothing, or paths such as title, chapters[*].text and $ */
  index?: boolean | string[] | undefined
  /** Only if the item has this version, else 409; 0: only if there is no such item */
  ifVersion?: number | undefined
}

export interface RecallMemoriesAnswer {
  /** Highest score first */
  memories: RecalledMemory[]
  /** The memories as text, one per line: [YYYY-MM-DD] content; (low trust) precedes the text of a memory that content protection doubts; (outdated since YYYY-MM-DD: …) marks a part that no longer holds */
  context: string
  total: number
  /** Size of the context in tokens; only with explain */
  contextTokens?: number | undefined
  /** Where the search looked; only with explain. storage: a user has too many memories for an index in memory, so their stored index was read slice by slice */
  searchedIn?: 'memory' | 'storage' | undefined
  /** Parts that failed and were skipped; omitted when nothing failed */
  degraded?: string[] | undefined
  /** Only with explain_memory_ids */
  notReturned?: UnreturnedMemory[] | undefined
}

export interface RecallMemoriesRequest {
  /** 1 to 10,000 characters after trimming */
  query: string
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** Search these spaces instead of the memories of the user; own stands for the memories of the user */
  spaces?: string[] | undefined
  /** Only memories of this project; by default all projects */
  project?: string | undefined
  /** Maximum number of memories; by default 10 */
  limit?: number | undefined
  /** Minimum score of a returned memory; by default 0 */
  threshold?: number | undefined
  /** Maximum size of the context, in tokens; by default 4000. Given without limit, the context holds all memories that fit */
  maxTokens?: number | undefined
  /** Search by keywords and by the entity graph as well as by meaning; by default true */
  enableHybrid?: boolean | undefined
  /** Rerank the best candidates with a second model; by default false */
  enableRerank?: boolean | undefined
  /** The state at that moment, with the content that memories had then */
  asOf?: string | undefined
  /** Only memories whose metadata has these values; at most 20 keys */
  filters?: Record<string, string | number | boolean | null> | undefined
  /** Only memories that mention this entity; its id or one of its names */
  entity?: string | undefined
  /** Only memories that pass this filter: fields with conditions, and, or, not */
  filter?: Record<string, unknown> | undefined
  /** Include superseded memories; by default false */
  includeHistory?: boolean | undefined
  /** Include memories that content protection flagged; they are never part of the context; by default false */
  includeFlagged?: boolean | undefined
  /** Show what each signal contributed; by default false */
  explain?: boolean | undefined
  /** Explain why these memories were not returned; memories that were returned are omitted */
  explainMemoryIds?: string[] | undefined
}

export interface RecalledMemory {
  id: string
  content: string
  /** Relevance to the query, comparable across queries */
  score: number
  /** The score in words: strong from 0.5, possible from 0.15, weak from 0.05 */
  match: 'strong' | 'possible' | 'weak' | 'none'
  /** Only with spaces: where it comes from; null: the memories of the user */
  space?: string | null | undefined
  createdAt: string
  project: string | null
  /** Any keys and values: at most 16 KiB as JSON, 8 levels deep */
  metadata: Record<string, unknown>
  source: string
  trustScore: number
  expiresAt: string | null
  /** Only with include_history */
  supersededAt?: string | null | undefined
  /** Only with include_flagged */
  flagged?: boolean | undefined
  /** Parts of the content that no longer hold, because a later memory changed them; omitted when there are none */
  outdated?: OutdatedPart[] | undefined
  explain?: Explanation | undefined
}

export interface RedeliverEventsAnswer {
  status: 'success'
  redelivering: number
}

export interface RedeliverEventsRequest {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** Only these events; by default all dead letters */
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

export interface ReleaseMemoryAnswer {
  status: 'success'
  memory: Memory
}

export interface ReleaseMemoryRequest {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
}

export interface RenameSpaceRequest {
  /** A name for its members */
  name: string
  /** The member who acts; by default the user of the API key */
  userId?: string | undefined
}

export interface RevokeGrantAnswer {
  status: 'success'
  id: string
  revokedAt: string
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
  /** The first 100 of these memories */
  memories: {
    id: string
    content: string
    expiredAt: string
  }[]
}

export interface RunCleanupRequest {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** Only memories of this project; by default all projects */
  project?: string | undefined
  /** Only preview; false deletes the expired memories; by default true */
  dryRun?: boolean | undefined
}

export interface SearchItemsAnswer {
  items: {
    namespace: string
    key: string
    project: string | null
    /** Any JSON: a text, an object, a list. At most 50,000 characters as JSON */
    value: unknown
    /** Grows with every change; numbers have gaps */
    version: number
    trustScore: number
    /** Content protection flagged it: a search leaves it out */
    flagged: boolean
    createdAt: string
    updatedAt: string
    expiresAt: string | null
    /** Relevance to the query; null without one */
    score: number | null
  }[]
  /** Parts that failed and were skipped; omitted when nothing failed */
  degraded?: string[] | undefined
}

export interface SearchItemsRequest {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** The project that the items belong to; by default those outside every project */
  project?: string | undefined
  /** 1 to 10,000 characters; by default, the latest changes are returned */
  query?: string | undefined
  /** Labels separated by dots, such as users.42.settings */
  namespace?: string | undefined
  /** This namespace and those below it */
  prefix?: string | undefined
  /** Conditions on the value, as in a recall: {"value.status": "open", "value.priority": {"gte": 3}} */
  filter?: Record<string, unknown> | undefined
  /** Minimum score; 0 by default */
  threshold?: number | undefined
  /** Also items that content protection flagged */
  includeFlagged?: boolean | undefined
  /** Maximum number of items; 10 by default */
  limit?: number | undefined
  /** Number of items to skip */
  offset?: number | undefined
}

export interface SetMemberAnswer {
  status: 'success'
  id: string
  member: string
}

export interface SetMemberRequest {
  /** The user whom it is about */
  member: string
  /** reader: reads. writer: also stores, updates and deletes memories. owner: also manages members and deletes the space */
  role: 'reader' | 'writer' | 'owner'
  /** The member who acts; by default the user of the API key */
  userId?: string | undefined
}

export interface Space {
  id: string
  name: string
  /** The role of the caller */
  role: 'reader' | 'writer' | 'owner'
  createdAt: string
}

export interface StoreBatchAnswer {
  status: 'success'
  stored: number
  refused: number
  failed: number
  /** One per item, in order */
  results: BatchResult[]
}

export interface StoreBatchRequest {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** Texts with the fields of a single store, in the order in which they were said; all items together at most 1 MiB */
  items: StoreItem[]
}

export interface StoreItem {
  /** 1 to 50,000 characters after trimming */
  content?: string | undefined
  /** A conversation instead of content; at most 50,000 characters in total */
  messages?: Message[] | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** The project that it belongs to; by default none */
  project?: string | undefined
  /** Any keys and values: at most 16 KiB as JSON, 8 levels deep */
  metadata?: Record<string, unknown> | undefined
  /** Time to live: a positive integer and a unit (min minutes, h hours, d days, w weeks, m or mo months of 30 days, y years of 365), such as 7d; or permanent */
  ttl?: string | undefined
  /** When it was said, for importing the past; not in the future */
  createdAt?: string | undefined
  /** Where the text comes from; by default api */
  source?: string | undefined
  /** Turns of one conversation that are sent one by one: each is understood as if the previous ones, up to six hours earlier, had been in the same request; by default all turns with the same source */
  conversationId?: string | undefined
  /** Store everything that the assistant says; by default its questions, offers and repetitions of what the user just said make no memory */
  rememberAssistant?: boolean | undefined
  /** Like the Idempotency-Key of a single store, for this item; by default the header of the batch, if there is one, with the index of the item */
  idempotencyKey?: string | undefined
}

export interface StoreMemoriesAnswer {
  status: 'success'
  /** Empty if the text states nothing: greetings, thanks, reactions, questions */
  memories: StoredMemory[]
  entitiesExtracted: number
  relationshipsCreated: number
  /** Parts that failed and were skipped; omitted when nothing failed */
  degraded?: string[] | undefined
  /** Secrets that were replaced by a mark such as [redacted: GitHub token]; omitted when there were none */
  redacted?: {
    /** Such as GitHub token */
    kind: string
    /** How many */
    count: number
  }[] | undefined
}

export interface StoreMemoriesRequest {
  /** 1 to 50,000 characters after trimming */
  content?: string | undefined
  /** A conversation instead of content; at most 50,000 characters in total */
  messages?: Message[] | undefined
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** The project that it belongs to; by default none */
  project?: string | undefined
  /** Any keys and values: at most 16 KiB as JSON, 8 levels deep */
  metadata?: Record<string, unknown> | undefined
  /** Time to live: a positive integer and a unit (min minutes, h hours, d days, w weeks, m or mo months of 30 days, y years of 365), such as 7d; or permanent */
  ttl?: string | undefined
  /** When it was said, for importing the past; not in the future */
  createdAt?: string | undefined
  /** Where the text comes from; by default api */
  source?: string | undefined
  /** Turns of one conversation that are sent one by one: each is understood as if the previous ones, up to six hours earlier, had been in the same request; by default all turns with the same source */
  conversationId?: string | undefined
  /** Store everything that the assistant says; by default its questions, offers and repetitions of what the user just said make no memory */
  rememberAssistant?: boolean | undefined
}

export interface StoredMemory {
  id: string
  content: string
  /** NOOP: the user already has this memory; UPDATE: it replaces the memories in supersedes */
  action: 'ADD' | 'NOOP' | 'UPDATE'
  entities: string[]
  project: string | null
  createdAt: string
  expiresAt: string | null
  trustScore: number
  /** SHA-256 of the content */
  checksum: string
  source: string
  /** True if content protection flagged it: it is kept, but not recalled; omitted otherwise */
  flagged?: boolean | undefined
  /** Ids of the memories that it replaces; omitted when there are none */
  supersedes?: string[] | undefined
  /** Parts of the content that no longer hold, because a later memory changed them; omitted when there are none */
  outdated?: OutdatedPart[] | undefined
}

export interface UnreturnedMemory {
  id: string
  /** not_found: the user has no memory with this id; not_a_candidate: other memories were closer to the query */
  reason: 'below_threshold' | 'beyond_limit' | 'not_a_candidate' | 'expired' | 'superseded' | 'created_later' | 'flagged' | 'other_project' | 'filtered' | 'failed_checksum' | 'not_found'
  /** The score it got, or would have got as a candidate; omitted if it was not searched */
  score?: number | undefined
  /** The rank by this score */
  rank?: number | undefined
  explain?: Explanation | undefined
}

export interface UpdateMemoryAnswer {
  status: 'success'
  memory: Memory
  /** Parts that failed and were skipped; omitted when nothing failed */
  degraded?: string[] | undefined
  /** Secrets that were replaced by a mark such as [redacted: GitHub token]; omitted when there were none */
  redacted?: {
    /** Such as GitHub token */
    kind: string
    /** How many */
    count: number
  }[] | undefined
}

export interface UpdateMemoryRequest {
  /** 1 to 50,000 characters after trimming */
  content?: string | undefined
  /** Any keys and values: at most 16 KiB as JSON, 8 levels deep */
  metadata?: Record<string, unknown> | undefined
  /** Time to live from now; permanent removes the expiry */
  ttl?: string | undefined
  /** Moves the memory to this project; null removes it from its project */
  project?: string | null | undefined
  /** The owner of the memory; checked if given */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
}

export interface Webhook {
  id: string
  userId: string
  url: string
  events: ('memory.stored' | 'memory.updated' | 'memory.superseded' | 'memory.outdated' | 'memory.restored' | 'memory.expired' | 'memory.forgotten' | 'item.put' | 'item.deleted')[]
  project: string | null
  status: 'active' | 'retrying' | 'failing'
  /** Attempts to deliver the current event */
  attempts: number
  nextAttemptAt: string | null
  lastAttemptAt: string | null
  lastSuccessAt: string | null
  lastStatus: number | null
  lastError: string | null
  deadLetters: number
  createdAt: string
  /** The id of the key that created it */
  createdBy: string | null
}

export interface AcceptContradictionQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
}

export interface DeleteItemQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** The project that the items belong to; by default those outside every project */
  project?: string | undefined
  /** Only if the item has this version, else 409; 0: only if there is no such item */
  ifVersion?: number | undefined
}

export interface DeleteItemsQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** The project that the items belong to; by default those outside every project */
  project?: string | undefined
  /** Labels separated by dots, such as users.42.settings */
  namespace?: string | undefined
  /** This namespace and those below it */
  prefix?: string | undefined
}

export interface DeleteMemoriesQuery {
  /** Delete these memories: ids separated by commas */
  memoryIds?: string | undefined
  /** Delete the memories that pass this filter: JSON */
  filter?: string | undefined
  /** Delete all memories of the user, or of the project */
  all?: true | undefined
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** Only memories of this project; by default all projects */
  project?: string | undefined
}

export interface DeleteMemoryQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
}

export interface DeleteSpaceQuery {
  /** The member who acts; by default the user of the API key */
  userId?: string | undefined
}

export interface DeleteWebhookQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
}

export interface GetActivityQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** Only memories of this project; by default all projects */
  project?: string | undefined
}

export interface GetContradictionQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
}

export interface GetDecayReportQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** Only memories of this project; by default all projects */
  project?: string | undefined
  /** Calculate with this half-life instead of the configured one */
  halfLifeDays?: number | undefined
  /** Calculate with this weight per access instead of the configured one */
  accessBoostWeight?: number | undefined
  /** Items per page, at most 500 */
  limit?: number | undefined
  /** Page number, from 1 (the default); cannot be combined with cursor */
  page?: number | undefined
  /** next_cursor of the previous page */
  cursor?: string | undefined
}

export interface GetEntityQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** The state at that moment; names and merges are the current ones */
  asOf?: string | undefined
}

export interface GetEntityMemoriesQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** The state at that moment; names and merges are the current ones */
  asOf?: string | undefined
  /** Items per page, at most 500 */
  limit?: number | undefined
  /** Page number, from 1 (the default); cannot be combined with cursor */
  page?: number | undefined
  /** next_cursor of the previous page */
  cursor?: string | undefined
}

export interface GetEntityRelationshipsQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** Only relationships that were valid at that moment */
  asOf?: string | undefined
  /** Include relationships that are no longer valid */
  includeHistory?: boolean | undefined
}

export interface GetGraphQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** Only memories of this project; by default all projects */
  project?: string | undefined
  /** The state at that moment; names and merges are the current ones */
  asOf?: string | undefined
  /** Maximum number of entities, up to 2000 */
  limit?: number | undefined
}

export interface GetItemQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** The project that the items belong to; by default those outside every project */
  project?: string | undefined
  /** The item as it was then; a deleted item has no past */
  asOf?: string | undefined
}

export interface GetMemoryQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
}

export interface GetMemoryDecayQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** Calculate with this half-life instead of the configured one */
  halfLifeDays?: number | undefined
  /** Calculate with this weight per access instead of the configured one */
  accessBoostWeight?: number | undefined
  /** Days from now to forecast, separated by commas; by default 7,30,90,365 */
  forecastDays?: string | undefined
}

export interface GetMemoryHistoryQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** Versions and texts per page, at most 500 */
  limit?: number | undefined
  /** next_cursor of the previous page */
  cursor?: string | undefined
}

export interface GetProfileQuery {
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** Only memories of this project; by default all projects */
  project?: string | undefined
  /** Maximum size of `text`, in tokens */
  maxTokens?: number | undefined
  /** The state at that moment: what was known then */
  asOf?: string | undefined
  /** Only these topics, separated by commas; by default all: identity, people, home, work, health, preferences, possessions, plans, projects, other */
  topics?: string | undefined
}

export interface GetSpaceQuery {
  /** The member who acts; by default the user of the API key */
  userId?: string | undefined
}

export interface GetWebhookQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
}

export interface ListContradictionsQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** Only memories of this project; by default all projects */
  project?: string | undefined
  status?: 'applied' | 'open' | 'accepted' | 'reverted' | undefined
  /** Include contradictions with an expired memory */
  includeExpired?: boolean | undefined
  /** Items per page, at most 500 */
  limit?: number | undefined
  /** Page number, from 1 (the default); cannot be combined with cursor */
  page?: number | undefined
  /** next_cursor of the previous page */
  cursor?: string | undefined
}

export interface ListDeadLettersQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** Items per page, at most 1000 */
  limit?: number | undefined
}

export interface ListEntitiesQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** Only memories of this project; by default all projects */
  project?: string | undefined
  type?: 'PERSON' | 'ORG' | 'LOCATION' | 'PRODUCT' | 'EVENT' | 'CONCEPT' | undefined
  /** Only entities whose name or alias contains this text */
  q?: string | undefined
  /** The state at that moment; names and merges are the current ones */
  asOf?: string | undefined
  /** Items per page, at most 500 */
  limit?: number | undefined
  /** Page number, from 1 */
  page?: number | undefined
}

export interface ListEntityMergesQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
}

export interface ListEventsQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** Only memories of this project; by default all projects */
  project?: string | undefined
  /** Only events after this one; 0 for all events that are kept. The Last-Event-ID header takes precedence */
  since?: string | undefined
  /** Items per page, at most 1000 */
  limit?: number | undefined
}

export interface ListGrantsQuery {
  /** Only grants of this user; by default the user of the API key, or all with the master key */
  userId?: string | undefined
}

export interface ListItemVersionsQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** The project that the items belong to; by default those outside every project */
  project?: string | undefined
}

export interface ListItemsQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** The project that the items belong to; by default those outside every project */
  project?: string | undefined
  /** Labels separated by dots, such as users.42.settings */
  namespace?: string | undefined
  /** This namespace and those below it */
  prefix?: string | undefined
  /** Items per page, at most 500 */
  limit?: number | undefined
  /** next_cursor of the previous page */
  cursor?: string | undefined
}

export interface ListKeysQuery {
  /** Only keys of this user */
  userId?: string | undefined
}

export interface ListMembersQuery {
  /** The member who acts; by default the user of the API key */
  userId?: string | undefined
  /** Items per page, at most 500 */
  limit?: number | undefined
  /** Page number, from 1 */
  page?: number | undefined
}

export interface ListMemoriesQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** Only memories of this project; by default all projects */
  project?: string | undefined
  /** Items per page, at most 500 */
  limit?: number | undefined
  /** Page number, from 1 (the default); cannot be combined with cursor */
  page?: number | undefined
  /** next_cursor of the previous page */
  cursor?: string | undefined
  /** Include expired memories that are not purged yet */
  includeExpired?: boolean | undefined
  /** true: only memories that content protection flagged; false: only the others */
  flagged?: boolean | undefined
  /** Only memories whose content contains this text, ignoring case */
  q?: string | undefined
  /** Only memories that pass this filter: JSON, as in a recall */
  filter?: string | undefined
  /** The state at that moment, with the content that memories had then */
  asOf?: string | undefined
  /** created_at: newest first. expires_at: only memories that expire, soonest first. A cursor continues the same order */
  sort?: 'created_at' | 'expires_at' | undefined
}

export interface ListNamespacesQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** The project that the items belong to; by default those outside every project */
  project?: string | undefined
  /** This namespace and those below it */
  prefix?: string | undefined
  /** Items per page, at most 1000 */
  limit?: number | undefined
  /** next_cursor of the previous page */
  cursor?: string | undefined
}

export interface ListProjectsQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
}

export interface ListSpacesQuery {
  /** The member who acts; by default the user of the API key */
  userId?: string | undefined
  /** Items per page, at most 100 */
  limit?: number | undefined
  /** Page number, from 1 */
  page?: number | undefined
}

export interface ListUsersQuery {
  /** Only users whose id contains this text, ignoring case */
  q?: string | undefined
  /** Items per page, at most 500 */
  limit?: number | undefined
  /** Page number, from 1 (the default); cannot be combined with cursor */
  page?: number | undefined
}

export interface ListWebhooksQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
}

export interface MergeEntityQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
}

export interface PutItemQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
  /** The project that the items belong to; by default those outside every project */
  project?: string | undefined
}

export interface RedeliverEventsQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
}

export interface ReleaseMemoryQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
}

export interface RemoveMemberQuery {
  /** The member to remove; by default the caller */
  member?: string | undefined
  /** The member who acts; by default the user of the API key */
  userId?: string | undefined
}

export interface RevertContradictionQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
}

export interface RevertMergeQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
}

export interface RevokeGrantQuery {
  /** Only grants of this user; by default the user of the API key, or all with the master key */
  userId?: string | undefined
}

export interface UpdateMemoryQuery {
  /** The owner of the memories; by default the user of the API key */
  userId?: string | undefined
  /** The id of a space: its memories instead of those of the user. Without a membership it does not exist */
  space?: string | undefined
}
