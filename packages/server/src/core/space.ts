/**
 * A space owns memories like a user: its id is the user id of its memories. No caller may name it as a `user_id`, so the only way to a
 * space is a membership (ADR 25).
 */
import { isId } from './ids.js'

/** Each role may do everything that the roles before it may do. */
export const roles = ['reader', 'writer', 'owner'] as const
export type Role = (typeof roles)[number]

export function isSpaceId(text: string): boolean {
  return isId('spc', text)
}

export function includesRole(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least)
}
