import type { UserScope } from '../../core/scope.js'
import type { Role } from '../../core/space.js'

/**
 * Spaces and their members. A scope `of` is that of the space, whose id is the user id of its memories; a scope `member` is that of a
 * user who may be a member.
 */
export interface SpaceStore {
  /** The user becomes its owner. False if the user has founded `most` spaces. */
  create(member: UserScope, space: NewSpace, most: number): Promise<boolean>
  /** Null if the user is not a member, or if there is no such space. */
  roleIn(member: UserScope, spaceId: string): Promise<Role | null>
  /** In the order in which the user joined them. */
  list(member: UserScope, page: Page): Promise<{ total: number; items: MemberSpace[] }>
  find(of: UserScope): Promise<Space | null>
  rename(of: UserScope, name: string): Promise<boolean>
  /** In the order in which they joined. */
  listMembers(of: UserScope, page: Page): Promise<{ total: number; items: Member[] }>
  /** Adds a member or changes the role of one. */
  setMember(of: UserScope, member: Member, rules: MemberRules): Promise<MemberChange>
  removeMember(of: UserScope, userId: string): Promise<MemberChange>
  /**
   * Ends all memberships of a user, except in spaces where the user is alone: they are returned as `alone`, and their memories have to
   * be erased first. A space that keeps members but no owner is returned as `ownerless` too.
   */
  leaveAll(member: UserScope): Promise<LeftSpaces>
  /** From now on nothing can be stored in the space, and only this member can reach it. Its memories can be erased. */
  close(of: UserScope, lastMember: string): Promise<boolean>
  /** Removes the space and its members. Its memories must have been erased. */
  drop(of: UserScope): Promise<void>
}

export interface Page {
  readonly limit: number
  readonly offset: number
}

export interface NewSpace {
  readonly id: string
  readonly name: string
  readonly createdAt: number
}

export type Space = NewSpace

export interface MemberSpace extends Space {
  readonly role: Role
}

export interface Member {
  readonly userId: string
  readonly role: Role
  readonly joinedAt: number
}

export interface MemberRules {
  /** The number of members that a space may have. */
  readonly most: number
  /** Only if the space has no owner. */
  readonly onlyIfOwnerless: boolean
}

/** `last_owner`: a space must keep an owner. `not_found`: there is no such space or member. */
export type MemberChange = 'done' | 'last_owner' | 'full' | 'has_owner' | 'not_found'

export interface LeftSpaces {
  readonly left: readonly string[]
  readonly ownerless: readonly string[]
  readonly alone: readonly string[]
}
