/** What the index above the seam reads: changes since a mark. Revisions are committed in their order: nothing is missed. */
import type { UserScope } from '../../core/scope.js'
import type { ChangeMark, ChangeSlice, IndexedVersion } from '../ports/storage.js'
import type { Database } from './database.js'
import type { UserData } from './user-data.js'
import { dataOf, findUser } from './user-rows.js'

/** Past every row: all of a revision has been read. */
const endOfRevision = Number.MAX_SAFE_INTEGER

/** A slice ends early at long texts: 2,000 versions may have 50,000 characters each. */
const mostBytes = 2_000_000

interface FeedRow extends Omit<IndexedVersion, 'quantized'> {
  readonly revision: number
  readonly quantized: Buffer | null
}

/** The whole user, also when the scope names a project: an index is kept by user. */
export async function changes(db: Database, scope: UserScope, since: ChangeMark, limit: number): Promise<ChangeSlice> {
  const user = dataOf(db, scope)
  const known = user && (await findUser(db, scope.userId))
  const upToDate = { revision: known?.revision ?? 0, row: endOfRevision }
  const isUpToDate = since.revision >= upToDate.revision && since.row >= upToDate.row
  if (!user || !known || isUpToDate) return { mark: upToDate, more: false, changed: [], removedRows: [] }
  const rows = await readRows(user, since, limit)
  // The first that is over is not sent whole, and tells that there is more.
  const over = rows.findIndex((row, index) => index === limit || row.quantized === null)
  const slice = over === -1 ? rows : rows.slice(0, over)
  const last = slice.at(-1)
  const mark = over !== -1 && last ? { revision: last.revision, row: last.row } : upToDate
  const removedRows = await removed(user, since, mark)
  return { mark, more: over !== -1, changed: slice.map(indexed), removedRows }
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

/**
 * Removals of the revisions that this slice reaches. Those of `since.revision` came with the slice that
 * reached it; a reader that starts at 0 has nothing to remove.
 */
async function removed(user: UserData, since: ChangeMark, mark: ChangeMark): Promise<number[]> {
  if (since.revision === 0) return []
  const rows = await user.all<{ row: number }>(
    'SELECT row FROM tombstones WHERE user_id = @user AND revision > ? AND revision <= ? ORDER BY revision, row',
    since.revision,
    mark.revision,
  )
  return rows.map((tombstone) => tombstone.row)
}
