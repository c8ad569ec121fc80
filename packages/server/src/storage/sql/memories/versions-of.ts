import type { UserScope } from '../../../core/scope.js'
import { isStorable } from '../../domain/storable-text.js'
import { type KnownVersion, mostVersionsLookedUp } from '../../ports/version-lookup.js'
import type { FlagColumn } from '../columns.js'
import type { Session } from '../session.js'
import { dataOf } from '../user-data.js'

export async function versionsOf(
  session: Session,
  scope: UserScope,
  memoryIds: readonly string[],
): Promise<KnownVersion[]> {
  const user = await dataOf(session, scope.userId)
  if (!user) return []
  const versions = await user.all<Omit<KnownVersion, 'flagged'> & { readonly flagged: FlagColumn }>(
    `SELECT m.id AS "memoryId", v.row, v.project, v.valid_from AS "validFrom", v.valid_to AS "validTo",
       v.expires_at AS "expiresAt", v.flagged
     FROM memories m JOIN versions newest ON newest.user_id = m.user_id AND newest.row = m.current_row
       JOIN versions v ON v.user_id = m.user_id AND v.memory = m.key
     WHERE m.user_id = @user AND ${user.dialect.among('m.id', 'text')}
       AND v.version > newest.version - CAST(? AS bigint)
     ORDER BY m.key, v.version`,
    [...new Set(memoryIds)].filter(isStorable),
    mostVersionsLookedUp,
  )
  return versions.map((version) => ({ ...version, flagged: Boolean(version.flagged) }))
}
