/** What the index above the seam reads: changes since a mark. */
import type { UserScope } from '../../core/scope.js'
import type { ChangeMark } from '../ports/storage.js'
import type { Database } from './database.js'
import { type FeedRow, type PackedSlice, pack } from './feed-slice.js'
import { findUser } from './user-rows.js'

/** Past every row: all of a revision has been read. */
const endOfRevision = Number.MAX_SAFE_INTEGER

/** A slice ends early at long texts: three threads hold it at once, and 2,000 versions may have 50,000 characters each. */
const mostCharacters = 2_000_000

/** The whole user, also when the scope names a project: an index is kept by user. */
export function changes(db: Database, scope: UserScope, since: ChangeMark, limit: number): PackedSlice {
  const user = findUser(db, scope.userId)
  const upToDate = { revision: user?.revision ?? 0, row: endOfRevision }
  const isUpToDate = since.revision >= upToDate.revision && since.row >= upToDate.row
  if (!user || isUpToDate) return pack([], { mark: upToDate, more: false, removedRows: [] })
  const rows = db.iterate<FeedRow>(
    `SELECT v.row, v.content, v.project, v.valid_from, v.valid_to, v.expires_at, v.flagged, v.model_id, v.revision,
       q.scale, q.quantized
     FROM versions v INDEXED BY versions_by_revision CROSS JOIN vectors_quantized q ON q.row = v.row
     WHERE v.user = ? AND (v.revision, v.row) > (?, ?) ORDER BY v.revision, v.row LIMIT ?`,
    user.key,
    since.revision,
    since.row,
    limit + 1,
  )
  const slice: FeedRow[] = []
  let characters = 0
  let more = false
  for (const row of rows) {
    more = slice.length === limit || characters > mostCharacters
    if (more) break
    slice.push(row)
    characters += row[1].length
  }
  const last = slice.at(-1)
  const mark = more && last ? { revision: last[8], row: last[0] } : upToDate
  return pack(slice, { mark, more, removedRows: removed(db, user.key, since, mark) })
}

/**
 * Removals of the revisions that this slice reaches. Those of `since.revision` came with the slice that
 * reached it; a reader that starts at 0 has nothing to remove.
 */
function removed(db: Database, user: number, since: ChangeMark, mark: ChangeMark): number[] {
  if (since.revision === 0) return []
  return db
    .all<{ row: number }>(
      'SELECT row FROM tombstones WHERE user = ? AND revision > ? AND revision <= ? ORDER BY revision, row',
      user,
      since.revision,
      mark.revision,
    )
    .map((tombstone) => tombstone.row)
}
