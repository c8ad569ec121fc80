/** Everything of a scope that a picture of it needs, in one answer. */
import type { Scope } from '../../core/scope.js'
import type { Entity, Relationship } from './storage.js'

export interface GraphReads {
  /**
   * The entities with most memories first, and what holds between those: each relationship once, as it is stored. Equal
   * counts: most recently seen first.
   */
  graph(scope: Scope, query: GraphQuery): Promise<Graph>
}

export interface GraphQuery {
  readonly now: number
  /** The state of that moment; names, and which of them were merged, are those of now. */
  readonly asOf?: number
  /** Entities at most. */
  readonly limit: number
}

export interface Graph {
  readonly entities: readonly Entity[]
  readonly relationships: readonly Relationship[]
  /** Of the whole scope, so that a cut shows. */
  readonly totalEntities: number
  readonly totalRelationships: number
}

/** Nobody can look at more, and the answer stays small. The oldest come first. */
export const mostRelationships = 10_000
