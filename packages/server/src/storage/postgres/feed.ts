/**
 * What the index reads: changes since a mark. Revisions are committed in order, so nothing is missed. In PostgreSQL's own form: a slice
 * ends at a number of bytes, which a window function counts on the server, so that no text is sent that does not fit.
 */
import type { UserScope } from '../../core/scope.js'
import type { ChangeMark, ChangeSlice, IndexedVersion } from '../ports/index-feed.js'
import { feedStart, removedRows } from '../sql/index/feed-start.js'
import type { Session } from '../sql/session.js'
import type { UserData } from '../sql/user-data.js'

/** A slice ends early at long texts: 2,000 versions may have 50,000 characters each. */
const mostBytes = 2_000_000

interface FeedRow extends Omit<IndexedVersion, 'quantized'> {
  readonly revision: number
  readonly quantized: Buffer | null
}

export async function changes(
  session: Session,
  scope: UserScope,
  since: ChangeMark,
  limit: number,
): Promise<ChangeSlice> {
  const { user, upToDate } = await feedStart(session, scope, since)
  if (!user) return { mark: upToDate, more: false, changed: [], removedRows: [] }
  const rows = await readRows(user, since, limit)
  // The first row over the limit comes without its text, and shows that there is more.
  const over = rows.findIndex((row, index) => index === limit || row.quantized === null)
  const slice = over === -1 ? rows : rows.slice(0, over)
  const last = slice.at(-1)
  const mark = over !== -1 && last ? { revision: last.revision, row: last.row } : upToDate
  const removed = await removedRows(user, since, mark)
  return { mark, more: over !== -1, changed: slice.map(indexed), removedRows: removed }
}

function readRows(user: UserData, since: ChangeMark, limit: number): Promise<FeedRow[]> {
  return user.all<FeedRow>(
    `SELECT v.row, CASE WHEN v.before <= ? THEN v.content ELSE '' END AS content, v.project, v.valid_from AS "validFrom",
       v.valid_to AS "validTo", v.expires_at AS "expiresAt", v.flagged, v.model_id AS "modelId", v.revision,
       q.scale, CASE WHEN v.before <= ? THEN q.quantized END AS quantized
     FROM (
       SELECT *, sum(octet_length(content)) OVER (ORDER BY revision, row) - octet_length(content) AS before
       FROM (SELECT * FROM versions WHERE user_id = @user AND (revision, row) > (?, ?)
             ORDER BY revision, row LIMIT ?) due) v
       JOIN vectors_quantized q ON q.user_id = @user AND q.row = v.row
     ORDER BY v.revision, v.row`,
    mostBytes,
    mostBytes,
    since.revision,
    since.row,
    limit + 1,
  )
}

function indexed({ revision, quantized, ...version }: FeedRow): IndexedVersion {
  const bytes = quantized ?? Buffer.alloc(0)
  return { ...version, quantized: new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length) }
}
