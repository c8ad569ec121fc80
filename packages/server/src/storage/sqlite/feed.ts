/**
 * What the index reads: changes since a mark. In SQLite's own form: rows come as arrays and leave as columns, because thousands of
 * objects would take longer to hand over between threads than to read.
 */
import type { UserScope } from '../../core/scope.js'
import type { ChangeMark } from '../ports/index-feed.js'
import { feedStart, removedRows } from '../sql/index/feed-start.js'
import { type FeedRow, type PackedSlice, pack } from './feed-slice.js'
import type { SqliteSession } from './session.js'

/** A slice ends early at long texts: three threads hold it at once, and 2,000 versions may have 50,000 characters each. */
const mostCharacters = 2_000_000

export async function packedChanges(
  session: SqliteSession,
  scope: UserScope,
  since: ChangeMark,
  limit: number,
): Promise<PackedSlice> {
  const { user, upToDate } = await feedStart(session, scope, since)
  if (!user) return pack([], { mark: upToDate, more: false, removedRows: [] })
  const rows = session.db.iterate<FeedRow>(
    `SELECT v.row, v.content, v.project, v.valid_from, v.valid_to, v.expires_at, v.flagged, v.model_id, v.revision,
       q.scale, q.quantized
     FROM versions v INDEXED BY versions_by_revision CROSS JOIN vectors_quantized q ON q.row = v.row
     WHERE v.user_id = ? AND (v.revision, v.row) > (?, ?) ORDER BY v.revision, v.row LIMIT ?`,
    Number(user.key),
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
  return pack(slice, { mark, more, removedRows: await removedRows(user, since, mark) })
}
