/** A merge as it is read from the database. */
import type { EntityType } from '../../core/entity.js'
import type { EntityMerge, MergeRule } from '../ports/entity-merges.js'

export interface MergeRow {
  readonly id: string
  readonly user_id: string
  readonly from_id: string
  readonly from_name: string
  readonly into_id: string
  readonly into_name: string
  readonly type: EntityType
  readonly rule: MergeRule
  readonly why: string
  readonly created_at: number
  readonly reverted_at: number | null
  readonly reverted_by: 'user' | 'rule' | null
}

/** People merge and separate an entity a few times at most. This limits what a program may do in a loop. */
export const mostMerges = 500

export function mergeOf(row: MergeRow): EntityMerge {
  return {
    id: row.id,
    userId: row.user_id,
    from: { id: row.from_id, name: row.from_name, type: row.type },
    into: { id: row.into_id, name: row.into_name, type: row.type },
    rule: row.rule,
    why: row.why,
    createdAt: row.created_at,
    revertedAt: row.reverted_at,
    revertedBy: row.reverted_by,
  }
}
