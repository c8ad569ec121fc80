/**
 * Changes since a mark, for the index. SQLite needs its own form: rows are read as arrays and sent as columns, because thousands
 * of objects would take longer to transfer between threads than to read.
 */
import type { ChangeMark } from '../ports/index-feed.js'
import { changesSince, type RowsAfter } from '../sql/index/changes.js'
import type { ReadChanges } from '../sql/index/forms.js'
import type { Database } from './database.js'
import { type FeedRow, type PackedSlice, pack } from './feed-slice.js'
import type { SqliteSession } from './session.js'

/** A slice ends early at long texts: three threads hold it at once, and 2,000 versions may have 50,000 characters each. */
const mostCharacters = 2_000_000

export const packedChanges: ReadChanges<SqliteSession, PackedSlice> = async (session, ...asked) => {
  const { db } = session
  const slice = await changesSince(
    session,
    async ({ key }, since, limit, until) => sliceOf(rowsBetween(db, Number(key), since, until, limit + 1), limit),
    ...asked,
  )
  return pack(slice.rows, slice.rest)
}

function rowsBetween(
  db: Database,
  user: number,
  since: ChangeMark,
  until: ChangeMark,
  limit: number,
): IterableIterator<FeedRow> {
  return db.iterate<FeedRow>(
    `SELECT v.row, v.content, v.project, v.valid_from, v.valid_to, v.expires_at, v.flagged, v.model_id, v.revision,
       q.scale, q.quantized, v.outdated
     FROM versions v INDEXED BY versions_by_revision CROSS JOIN vectors_quantized q ON q.row = v.row
     WHERE v.user_id = ? AND (v.revision, v.row) > (?, ?) AND (v.revision, v.row) <= (?, ?)
     ORDER BY v.revision, v.row LIMIT ?`,
    user,
    since.revision,
    since.row,
    until.revision,
    until.row,
    limit,
  )
}

function sliceOf(found: Iterable<FeedRow>, limit: number): RowsAfter<FeedRow> {
  const rows: FeedRow[] = []
  let characters = 0
  for (const row of found) {
    const last = rows.at(-1)
    if (last && (rows.length === limit || characters > mostCharacters)) {
      return { rows, cutAt: { revision: last[8], row: last[0] } }
    }
    rows.push(row)
    characters += row[1].length
  }
  return { rows, cutAt: undefined }
}
