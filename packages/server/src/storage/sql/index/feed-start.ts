/** Where a slice of changes begins. */
import type { UserScope } from '../../../core/scope.js'
import type { ChangeMark } from '../../ports/index-feed.js'
import type { Session } from '../session.js'
import { dataOf, type UserData } from '../user-data.js'

/** Past every row: all of a revision has been read. */
const endOfRevision = Number.MAX_SAFE_INTEGER

export interface FeedStart {
  /** Where a reader stands that has read everything. */
  readonly upToDate: ChangeMark
  /** Undefined: there is nothing to read. */
  readonly user: UserData | undefined
}

/** The whole user, even when the scope names a project: there is one index per user. */
export async function feedStart(session: Session, scope: UserScope, since: ChangeMark): Promise<FeedStart> {
  const user = await dataOf(session, scope.userId)
  const known = await user?.get<{ revision: number }>('SELECT revision FROM users WHERE user_id = @user')
  const upToDate = { revision: known?.revision ?? 0, row: endOfRevision }
  const isUpToDate = since.revision >= upToDate.revision && since.row >= upToDate.row
  return { upToDate, user: known && !isUpToDate ? user : undefined }
}

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
