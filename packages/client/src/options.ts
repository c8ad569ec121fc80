import type {
  GetDecayReportQuery,
  GetEntityMemoriesQuery,
  GetEntityRelationshipsQuery,
  GetGraphQuery,
  GetMemoryDecayQuery,
  ListContradictionsQuery,
  ListEntitiesQuery,
  ListMemoriesQuery,
  RecallMemoriesRequest,
  StoreMemoriesRequest,
  UpdateMemoryRequest,
} from './api-types.generated.js'
import type { Clock } from './clock.js'
import type { Ttl } from './ttl.js'

export interface KeepsakeOptions {
  /** Where the service is: `http://127.0.0.1:8787`, with or without `/api/v1`. */
  readonly url: string | URL
  /** An API key reaches its user's memories; the master key manages keys. Left out where authentication is off. */
  readonly apiKey?: string | undefined
  /** Whose memories, unless a call says otherwise. With an API key, the key's user by default. */
  readonly userId?: string | undefined
  /** Which project, unless a call says otherwise. */
  readonly project?: string | undefined
  /** The longest that a call may take, its repetitions and waits included: 30,000 unless told. */
  readonly timeoutMs?: number | undefined
  /** How often a request is sent again at most: 2 unless told. */
  readonly maxRetries?: number | undefined
  /** Sends an idempotency key with every store, so that it may be sent again. For services that know the header. */
  readonly idempotent?: boolean | undefined
  /** The largest answer that is read: 64 MiB unless told. */
  readonly maxAnswerBytes?: number | undefined
  /** Instead of the platform's. */
  readonly fetch?: typeof fetch | undefined
  readonly clock?: Clock | undefined
  readonly random?: (() => number) | undefined
}

/** What every call takes. */
export interface CallOptions {
  /** Ends the call; it then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  readonly maxRetries?: number | undefined
}

/** Whose memories: instead of what the client was made with. */
export interface OwnerOptions extends CallOptions {
  readonly userId?: string | undefined
}

export interface ScopeOptions extends OwnerOptions {
  /** Null: no project when storing, all of them otherwise, whatever the client was made with. */
  readonly project?: string | null | undefined
}

type Moment = Date | string

/** Fields of a request but those that the client takes in another way. */
type Rest<Request, Taken extends string = never> = Readonly<Omit<Request, 'userId' | 'project' | Taken>>

export interface StoreOptions
  extends ScopeOptions,
    Rest<StoreMemoriesRequest, 'content' | 'messages' | 'ttl' | 'createdAt'> {
  readonly ttl?: Ttl | undefined
  /** When it was said, for an import of the past. */
  readonly createdAt?: Moment | undefined
  /** Sends an idempotency key of the client's making with this store, or not. */
  readonly idempotent?: boolean | undefined
  /** The same for the same store, also from another process: 1 to 255 visible ASCII characters. */
  readonly idempotencyKey?: string | undefined
}

export interface RecallOptions extends ScopeOptions, Rest<RecallMemoriesRequest, 'query' | 'asOf'> {
  /** The state of that moment. */
  readonly asOf?: Moment | undefined
}

/** At least one of them. */
export interface MemoryChanges extends Rest<UpdateMemoryRequest, 'ttl'> {
  /** Counts from now; permanent clears it. */
  readonly ttl?: Ttl | undefined
  /** Moves it there; null moves it out of any project. */
  readonly project?: string | null | undefined
}

/** Which memories are erased: ids, or in so many words all of the user's (of the project's, where there is one). */
export type Forgotten = string | readonly string[] | { readonly all: true }

interface Past {
  /** The state of that moment. */
  readonly asOf?: Moment | undefined
}

export interface ListOptions extends ScopeOptions, Past, Rest<ListMemoriesQuery, 'page' | 'asOf'> {}
export interface ListPageOptions extends ScopeOptions, Past, Rest<ListMemoriesQuery, 'asOf'> {}
export interface EntityOptions extends OwnerOptions, Past {}
export interface EntityListOptions extends ScopeOptions, Past, Rest<ListEntitiesQuery, 'page' | 'asOf'> {}
export interface EntityPageOptions extends ScopeOptions, Past, Rest<ListEntitiesQuery, 'asOf'> {}
export interface EntityMemoriesOptions extends OwnerOptions, Past, Rest<GetEntityMemoriesQuery, 'page' | 'asOf'> {}
export interface EntityMemoriesPageOptions extends OwnerOptions, Past, Rest<GetEntityMemoriesQuery, 'asOf'> {}
export interface GraphOptions extends ScopeOptions, Past, Rest<GetGraphQuery, 'asOf'> {}
export interface ContradictionListOptions extends ScopeOptions, Rest<ListContradictionsQuery, 'page'> {}
export interface ContradictionPageOptions extends ScopeOptions, Rest<ListContradictionsQuery> {}

export interface RelationshipOptions extends OwnerOptions, Rest<GetEntityRelationshipsQuery, 'asOf'> {
  /** What held at that moment. */
  readonly asOf?: Moment | undefined
}

export interface DecayReportOptions extends ScopeOptions, Rest<GetDecayReportQuery> {}

export interface MemoryDecayOptions extends OwnerOptions, Rest<GetMemoryDecayQuery, 'forecastDays'> {
  /** Days from now to forecast: 7, 30, 90 and 365 unless told. */
  readonly forecastDays?: readonly number[] | undefined
}

export interface CleanupOptions extends ScopeOptions {
  /** True unless told: only shows what would go. */
  readonly dryRun?: boolean | undefined
}

export interface EventsOptions extends OwnerOptions {
  readonly project?: string | null | undefined
  /** The id of the last event that was read; `'0'`: from the oldest that is kept. Left out: from now on. */
  readonly since?: string | undefined
}

export interface EventsPageOptions extends EventsOptions {
  readonly limit?: number | undefined
}
