/**
 * The storage port: the only interface between the service and the engine that keeps its data. Every engine passes
 * `storage.contract.ts`.
 *
 * - The scope always comes before the payload.
 * - Each writing call is one transaction; when its promise resolves, the data are on disk.
 * - Times are milliseconds since 1970 and come from the caller: an engine reads no clock.
 * - A memory has versions, and searches look at versions. Each has a `row`, a number that is unique within
 *   its user and never reused, and is valid from one moment to another.
 * - Every write raises the user's `revision` by one; `changes` returns what happened since a revision,
 *   so that an index above the storage port can be brought up to date before it answers, on every engine.
 */
import type { EntityMention, EntityType, RelationshipFound, RelationshipType, Slot } from '../../core/entity.js'
import type { BareMemory, Json, Memory, MemoryVersion, Metadata } from '../../core/memory.js'
import type { Scope, UserScope } from '../../core/scope.js'
import type { Answers, NewAnswer } from './answers.js'
import type { Claims } from './claims.js'
import type { Contradictions, NewContradiction } from './contradictions.js'
import type { EntityMerges } from './entity-merges.js'
import type { EventLog } from './event-log.js'
import type { GraphReads } from './graph.js'
import type { Inbox } from './inbox.js'
import type { KeyStore } from './key-store.js'
import type { TemporalReads } from './temporal-reads.js'
import type { VectorUpkeep } from './vector-upkeep.js'
import type { VersionLookup } from './version-lookup.js'
import type { WebhookStore } from './webhook-store.js'

export interface Storage
  extends MemoryWrites,
    MemoryReads,
    TemporalReads,
    IndexFeed,
    VectorUpkeep,
    Contradictions,
    VersionLookup,
    EntityReads,
    GraphReads,
    EntityMerges,
    Inbox,
    Answers,
    Claims,
    EventLog,
    WebhookStore,
    KeyStore {
  /** Fails if the engine cannot be reached. */
  ping(): Promise<void>
  /** Why the last write was refused while reads may still work (a full disk, for example); null: writes are not refused. */
  refusesWrites(): string | null
  stats(): Promise<StorageStats>
  close(): Promise<void>
}

export interface StorageStats {
  readonly users: number
  readonly memories: number
  readonly bytes: number
}

/* ------------------------------------------------------------------ writing */

export interface MemoryWrites {
  /**
   * One store: new memories, sightings of known ones, the memories that they supersede, and their provenance. Nothing is written
   * if it throws.
   * @throws RevisionConflict if the user's revision is no longer `expectedRevision`; the caller reads and reconciles again.
   * @throws AlreadyAnswered if an answer with the key of `answer` is already kept.
   * @throws RawTextGone if `rawId` names a text that is no longer in the inbox.
   */
  commit(scope: UserScope, store: StoreCommit): Promise<Committed>
  /** Adds a version to one memory. Null if the scope has no such memory, or it has expired or is superseded. */
  update(scope: Scope, memoryId: string, change: VersionChange): Promise<Memory | null>
  /**
   * Erases memories with their versions, vectors and provenance, the memories that they superseded (which were kept as
   * their history), and the entities and relationships that nothing else supports. `all` also empties the inbox of the scope.
   * `now` is the time of the resulting events; without it they count as too old to keep.
   */
  forget(
    scope: Scope,
    what: { readonly memoryIds: readonly string[] } | { readonly all: true },
    now?: number,
  ): Promise<Erased[]>
  /** Erases the memories that expired at or before `now`, and nothing else. */
  purgeExpired(scope: Scope, now: number): Promise<Erased[]>
  /** Adds to access counts and skips ids that no longer exist. Does not raise revisions. */
  recordAccess(accesses: readonly Access[]): Promise<void>
}

export interface Erased {
  readonly userId: string
  readonly memoryId: string
}

export class RevisionConflict extends Error {
  override readonly name = 'RevisionConflict'
}

export interface StoreCommit {
  readonly expectedRevision: number
  readonly now: number
  /** The inbox text that this is made from; the same transaction removes it from the inbox. */
  readonly rawId?: string
  /**
   * The submitted text, cut into consecutive pieces: joined, they are the original word for word. Between two turns of a
   * dialogue there is a piece that equals `turnBreak`.
   */
  readonly document: { readonly id: string; readonly segments: readonly string[]; readonly source: string }
  readonly memories: readonly NewMemory[]
  /** Known memories that the text repeats. */
  readonly sightings: readonly Sighting[]
  /** The answer to this store, to be kept with it. */
  readonly answer?: NewAnswer
}

export interface Sighting {
  readonly memoryId: string
  readonly segments: SegmentRange
  /** If present, the memory gets a new version with this expiry. */
  readonly expiresAt?: number | null
}

export const turnBreak = '\n'

/** First and last segment (inclusive) that a memory was made from. */
export type SegmentRange = readonly [first: number, last: number]

export interface NewMemory {
  readonly id: string
  readonly createdAt: number
  readonly source: string
  readonly segments: SegmentRange
  /** Ids of current memories that this one replaces; they are kept as history. */
  readonly supersedes: readonly string[]
  /** The memories that it contradicts, both those it supersedes and those that stay current. */
  readonly contradictions?: readonly NewContradiction[]
  readonly version: VersionDraft
}

export interface VersionDraft {
  readonly content: string
  readonly contentKey: string
  readonly checksum: string
  readonly metadata: Metadata
  readonly project: string | null
  readonly expiresAt: number | null
  readonly trustScore: number
  readonly flagged: boolean
  readonly vector: Float32Array
  readonly modelId: string
  readonly entities: readonly (EntityMention & { readonly newId: string })[]
  readonly relationships: readonly (RelationshipFound & { readonly newId: string })[]
  readonly slots: readonly Slot[]
}

export interface Committed {
  readonly revision: number
  readonly relationshipsCreated: number
  /** Canonical names of the entities of each new memory, in the order of `StoreCommit.memories`. */
  readonly entityNames: readonly (readonly string[])[]
}

export interface VersionChange {
  readonly now: number
  /** Absent fields stay unchanged. */
  readonly metadata?: Metadata
  readonly project?: string | null
  readonly expiresAt?: number | null
  readonly content?: Pick<
    VersionDraft,
    | 'content'
    | 'contentKey'
    | 'checksum'
    | 'trustScore'
    | 'flagged'
    | 'vector'
    | 'modelId'
    | 'entities'
    | 'relationships'
    | 'slots'
  >
}

export interface Access {
  readonly userId: string
  readonly memoryId: string
  readonly count: number
  readonly at: number
}

/* ------------------------------------------------------------------ reading */

export interface MemoryReads {
  /** The user's memories that new facts may repeat or contradict: current, not expired, and in exactly this project. */
  recognise(scope: UserScope, facts: FactsToRecognise): Promise<Recognised>
  find(
    scope: Scope,
    memoryId: string,
    at: { readonly now: number; readonly includeExpired?: boolean },
  ): Promise<Memory | null>
  /** The latest 500 versions, oldest first, also of expired and superseded memories; empty if the scope has no such memory. */
  history(scope: Scope, memoryId: string): Promise<MemoryVersion[]>
  /** The text that the memory was made from, word for word: the segments of each store that created or repeated it. */
  provenance(scope: Scope, memoryId: string): Promise<Provenance[]>
  /** Newest first (`createdAt`, then id), unless `order` says otherwise. Superseded memories are left out. */
  list(scope: Scope, page: ListQuery): Promise<Page<Memory>>
}

export interface FactsToRecognise {
  readonly now: number
  readonly project: string | null
  readonly contentKeys: readonly string[]
  readonly slots: readonly string[]
}

export interface Recognised {
  readonly revision: number
  readonly sameContent: readonly KnownMemory[]
  readonly sameSlot: readonly KnownMemory[]
}

export interface KnownMemory {
  readonly memory: Memory
  readonly contentKey: string
  readonly slots: readonly Slot[]
}

export interface Provenance {
  readonly documentId: string
  readonly source: string
  readonly storedAt: number
  readonly text: string
}

export interface ListQuery {
  readonly now: number
  readonly limit: number
  /** Either an offset or the cursor of the previous page. */
  readonly offset?: number
  readonly cursor?: ListCursor
  readonly includeExpired?: boolean
  /** The state at that moment: memories superseded later are included, each with the content and project that it had. */
  readonly asOf?: number
  /** `expiry`: only memories that expire, soonest first, and without a cursor. */
  readonly order?: 'age' | 'expiry'
  /** Only memories whose content contains this text, ignoring case. */
  readonly q?: string
  /** Only memories that mention this entity. */
  readonly entityId?: string
}

export interface ListCursor {
  readonly createdAt: number
  readonly id: string
}

export interface Page<T> {
  readonly items: readonly T[]
  readonly total: number
  readonly next: ListCursor | null
}

/* ------------------------------------------------------------------ feeding the search index */

export interface IndexFeed {
  /**
   * What changed after revision `since` (0: everything), oldest first, at most `limit` versions.
   * An unknown user has revision 0 and no versions.
   */
  changes(scope: UserScope, since: ChangeMark, limit: number): Promise<ChangeSlice>
  /**
   * Everything that a recall shows of these versions. Rows that no longer exist or belong to another user are left out. If
   * `vectors` is a number, only that many rows, from the first, come with their vectors.
   */
  hydrate(
    scope: UserScope,
    rows: readonly number[],
    options: { readonly vectors: boolean | number },
  ): Promise<HydratedVersion[]>
  /** Versions (of any time) whose memory matches: metadata equal by key, and mentioning the entity (id or name). */
  matching(scope: UserScope, filter: MatchFilter): Promise<number[]>
  /** Versions that mention an entity with one of these name keys, or an entity one relationship away. */
  connected(scope: UserScope, nameKeys: readonly string[], limit: number): Promise<ConnectedVersion[]>
}

/** How far a reader of changes has come: it has read all of `revision` up to and including `row`. */
export interface ChangeMark {
  readonly revision: number
  readonly row: number
}

export interface ChangeSlice {
  /** Pass it as `since` next time. */
  readonly mark: ChangeMark
  /** False: this slice reaches the user's current revision. */
  readonly more: boolean
  readonly changed: readonly IndexedVersion[]
  readonly removedRows: readonly number[]
}

export interface IndexedVersion {
  readonly row: number
  readonly content: string
  readonly project: string | null
  readonly validFrom: number
  readonly validTo: number | null
  readonly expiresAt: number | null
  readonly flagged: boolean
  readonly modelId: string
  /** Quantized to int8: component i is about `quantized[i] * scale`. */
  readonly quantized: Int8Array
  readonly scale: number
}

export interface HydratedVersion {
  readonly row: number
  /** `createdAt`, access and supersession come from the memory; content, checksum and the rest from this version. */
  readonly memory: BareMemory
  readonly vector: Float32Array | null
  readonly modelId: string
}

export interface MatchFilter {
  readonly metadata?: { readonly [key: string]: Json }
  readonly entity?: string
}

export interface ConnectedVersion {
  readonly row: number
  /** 0: mentions a named entity; 1: mentions a neighbour of one. */
  readonly hops: 0 | 1
}

/* ------------------------------------------------------------------ entities */

export interface EntityReads {
  /** Entities with at least one memory that is not expired, most recently seen first. */
  listEntities(scope: Scope, query: EntityQuery): Promise<{ items: readonly Entity[]; total: number }>
  findEntity(scope: Scope, entityId: string, now: number, asOf?: number): Promise<Entity | null>
  /** In both directions. Without `asOf` and `includeHistory`: those that hold now. */
  relationships(
    scope: Scope,
    entityId: string,
    query: { readonly now: number; readonly asOf?: number; readonly includeHistory?: boolean },
  ): Promise<Relationship[]>
}

export interface EntityQuery {
  readonly now: number
  /** Entities seen before that moment in memories not yet expired then; names and merges are the current ones. */
  readonly asOf?: number
  readonly type?: EntityType
  /** Only entities whose name or alias contains this text, ignoring case. */
  readonly q?: string
  readonly limit: number
  readonly offset: number
}

export interface Entity {
  readonly id: string
  readonly userId: string
  readonly name: string
  readonly type: EntityType
  readonly aliases: readonly string[]
  /** Current memories that mention it. */
  readonly memoryCount: number
  readonly firstSeen: number
  readonly lastSeen: number
}

export interface Relationship {
  readonly id: string
  readonly source: string
  readonly sourceId: string
  readonly target: string
  readonly targetId: string
  readonly type: RelationshipType
  readonly properties: Readonly<Record<string, string>>
  readonly validFrom: number
  readonly validTo: number | null
  readonly memoryIds: readonly string[]
}
