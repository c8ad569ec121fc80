import type {
  GetDecayReportQuery,
  GetEntityMemoriesQuery,
  GetEntityRelationshipsQuery,
  GetGraphQuery,
  GetMemoryDecayQuery,
  GetMemoryHistoryQuery,
  GetProfileAnswer,
  GetProfileQuery,
  ListContradictionsQuery,
  ListEntitiesQuery,
  ListMemoriesQuery,
  ListUsersQuery,
  Message,
  RecallMemoriesRequest,
  StoreItem,
  StoreMemoriesRequest,
  UpdateMemoryRequest,
} from './api-types.generated.js'
import type { Clock } from './clock.js'
import type { Ttl } from './ttl.js'

export interface KeepsakeOptions {
  /** Address of the service: `http://127.0.0.1:8787`, with or without `/api/v1`. */
  readonly url: string | URL
  /** An API key gives access to its user's memories; the master key manages keys. Not needed if authentication is off. */
  readonly apiKey?: string | undefined
  /** Default user of all calls. Defaults to the user of the API key. */
  readonly userId?: string | undefined
  /** Default space of all calls: its memories instead of those of the user. */
  readonly space?: string | undefined
  /** Default project of all calls. */
  readonly project?: string | undefined
  /** Time limit of a call, including retries and waits. Default: 30,000. */
  readonly timeoutMs?: number | undefined
  /** Maximum number of retries per call. Default: 2. */
  readonly maxRetries?: number | undefined
  /** Sends an idempotency key with every store, so that it can be retried. Requires a service that supports the header. */
  readonly idempotent?: boolean | undefined
  /** Maximum size of a response. Default: 64 MiB. */
  readonly maxAnswerBytes?: number | undefined
  /** Replaces the `fetch` of the platform. */
  readonly fetch?: typeof fetch | undefined
  readonly clock?: Clock | undefined
  readonly random?: (() => number) | undefined
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  readonly maxRetries?: number | undefined
}

/** Overrides the client's default user. */
export interface UserOptions extends CallOptions {
  readonly userId?: string | undefined
}

export interface OwnerOptions extends UserOptions {
  /** The memories of this space instead of those of the user. Null means the user, whatever the client's default. */
  readonly space?: string | null | undefined
}

export interface ScopeOptions extends OwnerOptions {
  /** Overrides the client's default project. Null means no project when storing, and all projects otherwise. */
  readonly project?: string | null | undefined
}

type Moment = Date | string

export type ProfileTopic = GetProfileAnswer['topics'][number]['topic']

/** The fields of a request, without those that the client handles separately. */
type Rest<Request, Taken extends string = never> = Readonly<Omit<Request, 'userId' | 'space' | 'project' | Taken>>

export interface StoreOptions
  extends ScopeOptions,
    Rest<StoreMemoriesRequest, 'content' | 'messages' | 'ttl' | 'createdAt'> {
  readonly ttl?: Ttl | undefined
  /** When it was said, if not now. */
  readonly createdAt?: Moment | undefined
  /** Whether to send a generated idempotency key with this store. */
  readonly idempotent?: boolean | undefined
  /** Stores once, however often it is sent with this key, even from another process. 1 to 255 visible ASCII characters. */
  readonly idempotencyKey?: string | undefined
}

/** One text of a batch, with the options of a single store. */
export interface BatchItem
  extends Pick<ScopeOptions, 'space' | 'project'>,
    Rest<StoreItem, 'content' | 'messages' | 'ttl' | 'createdAt'> {
  readonly text: string | readonly Message[]
  readonly ttl?: Ttl | undefined
  /** When it was said, if not now. */
  readonly createdAt?: Moment | undefined
}

export interface BatchOptions extends ScopeOptions {
  /** Whether to send a generated idempotency key with the batch. */
  readonly idempotent?: boolean | undefined
  /** Stores each item once, however often the batch is sent with this key. 1 to 255 visible ASCII characters. */
  readonly idempotencyKey?: string | undefined
}

type FilterValue = string | number | boolean | null | Date

/** A value to equal, or operators that must all hold. */
export type FilterCondition =
  | FilterValue
  | {
      readonly eq?: FilterValue | undefined
      readonly in?: readonly FilterValue[] | undefined
      readonly exists?: boolean | undefined
      readonly gt?: string | number | Date | undefined
      readonly gte?: string | number | Date | undefined
      readonly lt?: string | number | Date | undefined
      readonly lte?: string | number | Date | undefined
    }

/**
 * Conditions that must all hold, by field of the API: `created_at`, `trust_score`, `project`, `source`, `entity` and `metadata.<key>`.
 * Names are not converted.
 */
export interface Filter {
  readonly and?: readonly Filter[] | undefined
  readonly or?: readonly Filter[] | undefined
  readonly not?: Filter | undefined
  readonly [field: string]: FilterCondition | Filter | readonly Filter[] | undefined
}

interface Filtered {
  /** Only memories that pass it. */
  readonly filter?: Filter | undefined
}

export interface RecallOptions
  extends ScopeOptions,
    Filtered,
    Rest<RecallMemoriesRequest, 'query' | 'asOf' | 'filter'> {
  /** Returns the state at this time. */
  readonly asOf?: Moment | undefined
}

/** At least one change is required. */
export interface MemoryChanges extends Rest<UpdateMemoryRequest, 'ttl'> {
  /** Counts from now; `permanent` removes the expiry. */
  readonly ttl?: Ttl | undefined
  /** Moves the memory to this project; null removes it from its project. */
  readonly project?: string | null | undefined
}

/** Which memories to erase: ids, those that pass a filter, or explicitly all of the user (limited to the project, if there is one). */
export type Forgotten = string | readonly string[] | { readonly filter: Filter } | { readonly all: true }

interface Past {
  /** Returns the state at this time. */
  readonly asOf?: Moment | undefined
}

export interface ListOptions
  extends ScopeOptions,
    Past,
    Filtered,
    Rest<ListMemoriesQuery, 'page' | 'asOf' | 'filter'> {}
export interface ListPageOptions extends ScopeOptions, Past, Filtered, Rest<ListMemoriesQuery, 'asOf' | 'filter'> {}
export interface HistoryPageOptions extends OwnerOptions, Rest<GetMemoryHistoryQuery> {}
export interface EntityOptions extends OwnerOptions, Past {}
export interface EntityListOptions extends ScopeOptions, Past, Rest<ListEntitiesQuery, 'page' | 'asOf'> {}
export interface EntityPageOptions extends ScopeOptions, Past, Rest<ListEntitiesQuery, 'asOf'> {}
export interface EntityMemoriesOptions extends OwnerOptions, Past, Rest<GetEntityMemoriesQuery, 'page' | 'asOf'> {}
export interface EntityMemoriesPageOptions extends OwnerOptions, Past, Rest<GetEntityMemoriesQuery, 'asOf'> {}
export interface GraphOptions extends ScopeOptions, Past, Rest<GetGraphQuery, 'asOf'> {}
export interface ContradictionListOptions extends ScopeOptions, Rest<ListContradictionsQuery, 'page'> {}
export interface ContradictionPageOptions extends ScopeOptions, Rest<ListContradictionsQuery> {}

export interface RelationshipOptions extends OwnerOptions, Rest<GetEntityRelationshipsQuery, 'asOf'> {
  /** Relationships that were valid at this time. */
  readonly asOf?: Moment | undefined
}

export interface ProfileOptions extends ScopeOptions, Past, Rest<GetProfileQuery, 'asOf' | 'topics'> {
  /** Only these topics. Default: all. */
  readonly topics?: readonly ProfileTopic[] | undefined
}

export interface DecayReportOptions extends ScopeOptions, Rest<GetDecayReportQuery> {}

export interface MemoryDecayOptions extends OwnerOptions, Rest<GetMemoryDecayQuery, 'forecastDays'> {
  /** Days from now to forecast. Default: 7, 30, 90 and 365. */
  readonly forecastDays?: readonly number[] | undefined
}

export interface CleanupOptions extends ScopeOptions {
  /** Only reports what would be deleted. Default: true. */
  readonly dryRun?: boolean | undefined
}

export interface EventsOptions extends UserOptions {
  readonly project?: string | null | undefined
  /** Id of the last event read. `'0'` starts at the oldest event kept. If omitted, starts now. */
  readonly since?: string | undefined
}

export interface EventsPageOptions extends EventsOptions {
  readonly limit?: number | undefined
}

export interface UsersPageOptions extends CallOptions, Rest<ListUsersQuery> {}
