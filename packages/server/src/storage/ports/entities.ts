/** The entities that memories mention, and their relationships. */
import type { EntityType, RelationshipType } from '../../core/entity.js'
import type { Scope } from '../../core/scope.js'

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
  /** Entities seen before that moment in memories that had not expired by then; names and merges are the current ones. */
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
