/** The state of a moment, in SQL on the table `v` (versions). */
import type { Scope } from '../../core/scope.js'
import type { Database } from './database.js'
import { type Condition, findUser, rowsOf } from './user-rows.js'

/** Versions of the scope, in the project that each had. Null: the scope holds nothing. */
export function versionsIn(db: Database, scope: Scope): Condition | null {
  if (scope.kind === 'nobody') return null
  const inProject = scope.project === undefined ? '' : ' AND v.project = ?'
  const project = scope.project === undefined ? [] : [scope.project]
  if (scope.kind === 'everyone') return { sql: `TRUE${inProject}`, values: project }
  const user = findUser(db, scope.userId)
  return user ? { sql: `v.row BETWEEN ? AND ?${inProject}`, values: [...rowsOf(user), ...project] } : null
}

/** Begun before that moment. At the very moment of a change what was before still holds, as in a recall. */
export function heldAt(asOf: number): Condition {
  return { sql: 'v.valid_from < ? AND (v.valid_to IS NULL OR v.valid_to >= ?)', values: [asOf, asOf] }
}

/** The memory's latest of that moment, whether or not another memory had superseded it by then. */
export function latestAt(asOf: number): Condition {
  return {
    sql: `v.valid_from < ? AND NOT EXISTS (
      SELECT 1 FROM versions later WHERE later.memory = v.memory AND later.version > v.version AND later.valid_from < ?)`,
    values: [asOf, asOf],
  }
}

export const versionNotExpired = '(v.expires_at IS NULL OR v.expires_at > ?)'
