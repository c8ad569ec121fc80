/** Everything needed to draw the graph of a scope, in one result. */
import type { Scope } from '../../core/scope.js'
import type { Entity, Relationship } from './entities.js'

export interface GraphReads {
  /**
   * The entities with the most memories first (most recently seen first among equal counts), and the relationships that hold
   * between them: each one once, as it is stored.
   */
  graph(scope: Scope, query: GraphQuery): Promise<Graph>
}

export interface GraphQuery {
  readonly now: number
  /** The state at that moment; names and merges are the current ones. */
  readonly asOf?: number
  /** The maximum number of entities. */
  readonly limit: number
}

export interface Graph {
  readonly entities: readonly Entity[]
  readonly relationships: readonly Relationship[]
  /** Counts of the whole scope, so that the caller sees whether something was left out. */
  readonly totalEntities: number
  readonly totalRelationships: number
}

/** More would be unreadable, and this keeps the result small. The oldest come first. */
export const mostRelationships = 10_000
