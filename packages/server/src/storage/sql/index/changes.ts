/** Changes since a mark, for the index. Revisions are committed in order, so nothing is missed. */
import type { UserScope } from '../../../core/scope.js'
import type { ChangeMark, ChangeSlice } from '../../ports/index-feed.js'
import { cannotAnswer } from '../refusals.js'
import type { Session } from '../session.js'
import { dataOf, type UserData } from '../user-data.js'

/** Greater than every row: all of a revision has been read. */
export const endOfRevision = Number.MAX_SAFE_INTEGER

/** Rows after a mark, in the form that the engine reads fastest. */
export interface RowsAfter<Row> {
  readonly rows: readonly Row[]
  /** The position of the last row, if more rows follow. */
  readonly cutAt: ChangeMark | undefined
}

/** Covers the whole user, even if the scope names a project: there is one index per user. */
export async function changesSince<Row>(
  session: Session,
  readRows: (user: UserData, since: ChangeMark, limit: number, until: ChangeMark) => Promise<RowsAfter<Row>>,
  scope: UserScope,
  since: ChangeMark,
  limit: number,
  end?: ChangeMark,
): Promise<{ readonly rows: readonly Row[]; readonly rest: Omit<ChangeSlice, 'changed'> }> {
  const user = await dataOf(session, scope.userId)
  const known = await user?.get<{ revision: number }>('SELECT revision FROM users WHERE user_id = @user')
  const epoch = session.epoch === undefined ? {} : { epoch: session.epoch }
  if (since.revision > 0 && since.epoch !== session.epoch) return startOver(since, epoch)
  const current = { revision: known?.revision ?? 0, row: endOfRevision, ...epoch }
  const upToDate = end && end.revision <= current.revision ? { ...end, ...epoch } : current
  const isUpToDate = since.revision >= upToDate.revision && since.row >= upToDate.row
  if (!user || !known || isUpToDate) return { rows: [], rest: { mark: upToDate, more: false, removedRows: [] } }
  const { rows, cutAt } = await readRows(user, since, limit, upToDate)
  const mark = cutAt ? { ...cutAt, ...epoch } : upToDate
  return { rows, rest: { mark, more: cutAt !== undefined, removedRows: await removedRows(user, since, mark) } }
}

/** Another host took over, which may never have had the revisions that this reader has seen. */
function startOver(since: ChangeMark, epoch: { readonly epoch?: number }) {
  if (since.row !== endOfRevision) throw cannotAnswer('moved', 1)
  return { rows: [], rest: { mark: { revision: 0, row: 0, ...epoch }, more: false, removedRows: [] } }
}

/**
 * Rows removed by the revisions of a slice. Those of `since.revision` came with the previous slice; a reader that starts at 0 has
 * nothing to remove.
 */
async function removedRows(user: UserData, since: ChangeMark, mark: ChangeMark): Promise<number[]> {
  if (since.revision === 0) return []
  const rows = await user.all<{ row: number }>(
    'SELECT row FROM tombstones WHERE user_id = @user AND revision > ? AND revision <= ? ORDER BY revision, row',
    since.revision,
    mark.revision,
  )
  return rows.map((tombstone) => tombstone.row)
}
