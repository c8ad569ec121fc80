import type { UserScope } from '../../core/scope.js'
import { type KnownVersion, mostVersionsLookedUp } from '../ports/version-lookup.js'
import type { Database } from './database.js'
import { findUser } from './user-rows.js'

export function versionsOf(db: Database, scope: UserScope, memoryIds: readonly string[]): KnownVersion[] {
  const user = findUser(db, scope.userId)
  if (!user) return []
  return db
    .all<Omit<KnownVersion, 'flagged'> & { flagged: number }>(
      `SELECT m.id AS memoryId, v.row, v.project, v.valid_from AS validFrom, v.valid_to AS validTo,
         v.expires_at AS expiresAt, v.flagged
       FROM json_each(?) wanted CROSS JOIN memories m ON m.id = wanted.value
         CROSS JOIN versions newest ON newest.row = m.current_row CROSS JOIN versions v ON v.memory = m.key
       WHERE m.user = ? AND v.version > newest.version - ? ORDER BY m.key, v.version`,
      JSON.stringify([...new Set(memoryIds)]),
      user.key,
      mostVersionsLookedUp,
    )
    .map((version) => ({ ...version, flagged: version.flagged === 1 }))
}
