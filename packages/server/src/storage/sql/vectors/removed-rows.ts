import type { ChangeMark } from '../../ports/index-feed.js'
import type { UserData } from '../user-data.js'

/** Past every row: all of a revision has been read. */
export const endOfRevision = Number.MAX_SAFE_INTEGER

/**
 * Rows removed by the revisions that a slice of changes reaches. Those of `since.revision` came with the slice that reached it; a reader
 * that starts at 0 has nothing to remove.
 */
export async function removedRows(user: UserData, since: ChangeMark, mark: ChangeMark): Promise<number[]> {
  if (since.revision === 0) return []
  const rows = await user.all<{ row: number }>(
    'SELECT row FROM tombstones WHERE user_id = @user AND revision > ? AND revision <= ? ORDER BY revision, row',
    since.revision,
    mark.revision,
  )
  return rows.map((tombstone) => tombstone.row)
}
