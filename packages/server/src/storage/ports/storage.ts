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
import type { Scope } from '../../core/scope.js'
import type { ActiveUsers } from './active-users.js'
import type { Answers } from './answers.js'
import type { Claims } from './claims.js'
import type { Contradictions } from './contradictions.js'
import type { Conversations } from './conversations.js'
import type { EntityReads } from './entities.js'
import type { EntityMerges } from './entity-merges.js'
import type { EventLog } from './event-log.js'
import type { FactStore } from './facts.js'
import type { GrantStore } from './grant-store.js'
import type { GraphReads } from './graph.js'
import type { Inbox } from './inbox.js'
import type { IndexFeed } from './index-feed.js'
import type { IndexSegments } from './index-segments.js'
import type { ItemStore } from './item-store.js'
import type { KeyStore } from './key-store.js'
import type { MemoryReads } from './memory-reads.js'
import type { MemoryWrites } from './memory-writes.js'
import type { SpaceStore } from './space-store.js'
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
    FactStore,
    Inbox,
    Conversations,
    Answers,
    Claims,
    EventLog,
    WebhookStore,
    KeyStore,
    GrantStore {
  readonly spaces: SpaceStore
  readonly items: ItemStore
  readonly overview: Overview
  readonly indexSegments: IndexSegments
  readonly activeUsers: ActiveUsers
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

/** What the store contains, as counts. */
export interface Overview {
  /** Users with memories, by id; of spaces, none. For operators: it is not limited to a scope. */
  users(query: UserQuery): Promise<UserPage>
  /** The projects of current memories, those with the most memories first. */
  projects(scope: Scope, now: number): Promise<ProjectCount[]>
  /** How many memories were made per day, oldest first, without days on which there were none. */
  activity(scope: Scope): Promise<DayCount[]>
}

export interface UserQuery {
  /** Only ids that contain this text, ignoring case. */
  readonly q?: string
  readonly limit: number
  readonly offset: number
}

export interface UserPage {
  readonly items: readonly UserCount[]
  readonly total: number
}

export interface UserCount {
  readonly userId: string
  /** Including superseded and expired ones. */
  readonly memories: number
}

export interface ProjectCount {
  readonly name: string
  readonly memories: number
}

export interface DayCount {
  /** Days since 1970, in UTC. */
  readonly day: number
  readonly created: number
}
