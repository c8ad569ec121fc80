/** Conditions on the table `v` (versions) for the state at a given time. */
import type { Scope } from '../../../core/scope.js'
import { isStorable } from '../../domain/storable-text.js'
import type { Condition } from '../dialect.js'
import type { Session } from '../session.js'
import { usersIn } from '../user-data.js'

/** Versions within the scope, by the project that each version had. Null: the scope is empty. */
export async function versionsIn(session: Session, scope: Scope): Promise<Condition | null> {
  const users = await usersIn(session, scope, 'v')
  if (!users || scope.kind === 'nobody' || scope.project === undefined) return users
  if (!isStorable(scope.project)) return null
  return { sql: `${users.sql} AND v.project = ?`, values: [...users.values, scope.project] }
}

/** Valid at that time. At the exact time of a change the old state still holds, as in a recall. */
export function heldAt(asOf: number): Condition {
  return { sql: 'v.valid_from < ? AND (v.valid_to IS NULL OR v.valid_to >= ?)', values: [asOf, asOf] }
}

/** The memory's latest version at that time, whether or not another memory had superseded it by then. */
export function latestAt(asOf: number): Condition {
  return {
    sql: `v.valid_from < ? AND NOT EXISTS (SELECT 1 FROM versions later WHERE later.user_id = v.user_id
      AND later.memory = v.memory AND later.version > v.version AND later.valid_from < ?)`,
    values: [asOf, asOf],
  }
}

export const versionNotExpired = '(v.expires_at IS NULL OR v.expires_at > ?)'
