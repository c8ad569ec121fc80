import type { UserScope } from '../../core/scope.js'
import { isStorable } from '../domain/storable-text.js'
import { type KnownVersion, mostVersionsLookedUp } from '../ports/version-lookup.js'
import type { Database } from './database.js'
import { dataOf } from './user-rows.js'

export async function versionsOf(
  db: Database,
  scope: UserScope,
  memoryIds: readonly string[],
): Promise<KnownVersion[]> {
  const user = dataOf(db, scope)
  if (!user) return []
  return user.all<KnownVersion>(
    `SELECT m.id AS "memoryId", v.row, v.project, v.valid_from AS "validFrom", v.valid_to AS "validTo",
       v.expires_at AS "expiresAt", v.flagged
     FROM memories m JOIN versions newest ON newest.user_id = m.user_id AND newest.row = m.current_row
       JOIN versions v ON v.user_id = m.user_id AND v.memory = m.key
     WHERE m.user_id = @user AND m.id = ANY (?::text[]) AND v.version > newest.version - ?::bigint
     ORDER BY m.key, v.version`,
    [...new Set(memoryIds)].filter(isStorable),
    mostVersionsLookedUp,
  )
}
