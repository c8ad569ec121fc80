/** The state of a moment, in SQL on the table `v` (versions). */
import type { Scope } from '../../core/scope.js'
import { isStorable } from '../domain/storable-text.js'
import { type Condition, usersIn } from './user-rows.js'

/** Versions of the scope, in the project that each had. Null: the scope holds nothing. */
export function versionsIn(scope: Scope): Condition | null {
  const users = usersIn(scope, 'v')
  if (!users || scope.kind === 'nobody' || scope.project === undefined) return users
  if (!isStorable(scope.project)) return null
  return { sql: `${users.sql} AND v.project = ?`, values: [...users.values, scope.project] }
}

/** Begun before that moment. At the very moment of a change what was before still holds, as in a recall. */
export function heldAt(asOf: number): Condition {
  return { sql: 'v.valid_from < ? AND (v.valid_to IS NULL OR v.valid_to >= ?)', values: [asOf, asOf] }
}

/** The memory's latest of that moment, whether or not another memory had superseded it by then. */
export function latestAt(asOf: number): Condition {
  return {
    sql: `v.valid_from < ? AND NOT EXISTS (SELECT 1 FROM versions later WHERE later.user_id = v.user_id
      AND later.memory = v.memory AND later.version > v.version AND later.valid_from < ?)`,
    values: [asOf, asOf],
  }
}

export const versionNotExpired = '(v.expires_at IS NULL OR v.expires_at > ?)'
