/**
 * The part of the seam that joins names of one entity. A merged entity keeps its own names and mentions and is shown
 * as part of the one that it was merged into, so that a merge can be taken back with nothing lost.
 */
import type { EntityType } from '../../core/entity.js'
import type { Scope } from '../../core/scope.js'
import type { Entity } from './storage.js'

export interface EntityMerges {
  /** Every merge of the entity, or of one that is part of it, newest first; reverted ones too. */
  listMerges(scope: Scope, entityId: string): Promise<EntityMerge[]>
  /** By hand: `entityId` becomes part of `intoId`, for the reason given. */
  mergeEntities(scope: Scope, entityId: string, into: ManualMerge): Promise<Merged>
  /** Takes one back; the same two are not merged by a rule again. Null when the scope has no such merge. */
  revertMerge(scope: Scope, mergeId: string, now: number): Promise<EntityMerge | null>
}

export interface ManualMerge {
  readonly id: string
  readonly intoId: string
  readonly now: number
}

/** What stood in the way, or the merge. An entity that is there already is merged again by its own merge. */
export type Merged =
  | { readonly merge: EntityMerge }
  | { readonly refused: 'no_entity' | 'no_target' | 'same' | 'other_type' | 'other_user' }

/** `stated`: a text says so. `full_name`, `short_form`: the only person of the user whom the name fits. */
export const mergeRules = ['stated', 'full_name', 'short_form', 'manual'] as const
export type MergeRule = (typeof mergeRules)[number]

export interface EntityMerge {
  readonly id: string
  readonly userId: string
  readonly from: MergedName
  readonly into: MergedName
  readonly rule: MergeRule
  /** For a person. */
  readonly why: string
  readonly createdAt: number
  readonly revertedAt: number | null
  /** `rule`: the reason for it is gone, such as when a second person appeared whom the name fits. */
  readonly revertedBy: 'user' | 'rule' | null
}

interface MergedName extends Pick<Entity, 'id' | 'name'> {
  readonly type: EntityType
}
