/**
 * The part of the storage port that merges names of one entity. A merged entity keeps its names and mentions and is shown as part
 * of the entity that it was merged into, so reverting a merge loses nothing.
 */
import type { EntityType } from '../../core/entity.js'
import type { Scope } from '../../core/scope.js'
import type { Entity } from './entities.js'

export interface EntityMerges {
  /** Every merge of the entity or of one that is part of it, newest first, including reverted ones. */
  listMerges(scope: Scope, entityId: string): Promise<EntityMerge[]>
  /** A manual merge: `entityId` becomes part of `intoId`. */
  mergeEntities(scope: Scope, entityId: string, into: ManualMerge): Promise<Merged>
  /** Reverts a merge; no rule merges the same two again. Null if the scope has no such merge. */
  revertMerge(scope: Scope, mergeId: string, now: number): Promise<EntityMerge | null>
}

export interface ManualMerge {
  readonly id: string
  readonly intoId: string
  readonly now: number
}

/** The merge, or the reason why there is none. If an entity is already part of another, that other one is merged. */
export type Merged =
  | { readonly merge: EntityMerge }
  | { readonly refused: 'no_entity' | 'no_target' | 'same' | 'other_type' | 'other_user' }

/**
 * `stated`: a text says so. `full_name`, `short_form`: the name fits only this person of the user. `company_name`: it fits only this
 * organisation ("Volvo", "Volvo Cars"). `same_name`: a product has the name of an organisation.
 */
export const mergeRules = ['stated', 'full_name', 'short_form', 'company_name', 'same_name', 'manual'] as const
export type MergeRule = (typeof mergeRules)[number]

export interface EntityMerge {
  readonly id: string
  readonly userId: string
  readonly from: MergedName
  readonly into: MergedName
  readonly rule: MergeRule
  /** An explanation for people. */
  readonly why: string
  readonly createdAt: number
  readonly revertedAt: number | null
  /** `rule`: the reason no longer applies, for example because a second person fits the name. */
  readonly revertedBy: 'user' | 'rule' | null
}

interface MergedName extends Pick<Entity, 'id' | 'name'> {
  readonly type: EntityType
}
