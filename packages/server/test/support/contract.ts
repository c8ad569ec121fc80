/** Response bodies as specified, declared independently of the service's own types. */

export interface StoredItem {
  readonly id: string
  readonly content: string
  readonly action: 'ADD' | 'NOOP' | 'UPDATE'
  readonly entities: readonly string[]
  readonly project: string | null
  readonly created_at: string
  readonly expires_at: string | null
  readonly trust_score: number
  readonly checksum: string
  readonly source: string
  readonly supersedes?: readonly string[]
  readonly flagged?: boolean
}

export interface StoreAnswer {
  readonly status: 'success'
  readonly memories: readonly StoredItem[]
  readonly entities_extracted: number
  readonly relationships_created: number
  readonly redacted?: readonly { readonly kind: string; readonly count: number }[]
}

export interface RecalledItem {
  readonly id: string
  readonly content: string
  readonly score: number
  readonly created_at: string
  readonly explain?: { readonly [part: string]: unknown }
}

export interface RecallAnswer {
  readonly memories: readonly RecalledItem[]
  readonly context: string
  readonly total: number
  /** Present with `explain`. */
  readonly context_tokens?: number
  readonly searched_in?: 'memory' | 'storage'
  /** Parts that failed or were left out. */
  readonly degraded?: readonly string[]
}

export interface MemoryItem {
  readonly id: string
  readonly user_id: string
  readonly project: string | null
  readonly content: string
  readonly entities: readonly string[]
  readonly metadata: { readonly [key: string]: unknown }
  readonly created_at: string
  readonly updated_at: string
  readonly expires_at: string | null
  readonly access_count: number
  readonly last_accessed: string | null
  readonly decay_score: number
  readonly checksum: string
  readonly trust_score: number
  readonly source: string
}

export interface ListAnswer {
  readonly memories: readonly MemoryItem[]
  readonly total: number
  readonly page: number | null
  readonly limit: number
  readonly next_cursor: string | null
}

export interface UpdateAnswer {
  readonly status: 'success'
  readonly memory: { readonly id: string; readonly content: string }
}

export interface DeleteAnswer {
  readonly status: 'success'
  readonly deleted: number
  readonly memory_ids: readonly string[]
}

export interface CleanupAnswer {
  readonly status: 'success'
  readonly deleted: number
  readonly would_delete: number
  readonly dry_run: boolean
  readonly memories?: readonly { readonly id: string; readonly content: string; readonly expired_at: string }[]
}

export interface EntityItem {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly aliases: readonly string[]
  readonly memory_count: number
  readonly first_seen: string
  readonly last_seen: string
}

export interface EntitiesAnswer {
  readonly entities: readonly EntityItem[]
  readonly total: number
  readonly page: number
  readonly limit: number
}

export interface RelationshipItem {
  readonly id: string
  readonly source: string
  readonly target: string
  readonly type: string
  readonly properties: object
  readonly source_id: string
  readonly target_id: string
  readonly valid_from: string
  readonly valid_to: string | null
  readonly memory_ids: readonly string[]
}

export interface RelationshipsAnswer {
  readonly entity: EntityItem
  readonly relationships: readonly RelationshipItem[]
  readonly total: number
}

export interface DecayReportAnswer {
  readonly total_memories: number
  readonly healthy: number
  readonly decaying: number
  readonly expired: number
  readonly memories: readonly {
    readonly id: string
    readonly content: string
    readonly decay_score: number
    readonly last_accessed: string | null
  }[]
  readonly forecast: readonly {
    readonly days: number
    readonly healthy: number
    readonly decaying: number
    readonly expired: number
  }[]
}

export interface MemoryDecayAnswer {
  readonly id: string
  readonly decay_score: number
  readonly time_decay: number
  readonly access_boost: number
  readonly recency_boost: number
  readonly age_days: number
  readonly access_count: number
  readonly last_accessed: string | null
  readonly half_life_days: number
  readonly status: string
  readonly expires_at: string | null
  readonly forecast: readonly { readonly days: number; readonly decay_score: number }[]
}

export interface CreatedKeyAnswer {
  readonly access: 'full' | 'read' | 'write'
  readonly project: string | null
  readonly expires_at: string | null
  readonly id: string
  readonly key: string
  readonly user_id: string
  readonly name: string
  readonly created_at: string
}

export interface KeysAnswer {
  readonly keys: readonly {
    readonly id: string
    readonly user_id: string
    readonly name: string
    readonly preview: string
    readonly status: 'active' | 'revoked'
    readonly created_at: string
    readonly last_used_at: string | null
    readonly revoked_at: string | null
  }[]
  readonly total: number
}

export interface ErrorAnswer {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly details?: readonly { readonly path: string; readonly message: string; readonly [extra: string]: unknown }[]
    readonly request_id: string
  }
}

export const memoryIdPattern = /^mem_[0-7][0-9a-hjkmnp-tv-z]{25}$/
export const isoPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
