/**
 * Changes since a mark, for the index. PostgreSQL needs its own form: a slice ends at a number of bytes, which a window function
 * counts on the server, so that no text is sent that does not fit.
 */
import { remainingText } from '../../core/outdated.js'
import type { UserScope } from '../../core/scope.js'
import { componentsOf } from '../domain/quantize.js'
import { isStorable } from '../domain/storable-text.js'
import type { ChangeMark, ChangeSlice, IndexedVersion } from '../ports/index-feed.js'
import { type OutdatedColumn, outdatedOf } from '../sql/columns.js'
import { changesSince, endOfRevision, type RowsAfter } from '../sql/index/changes.js'
import type { ReadChanges } from '../sql/index/forms.js'
import type { Session } from '../sql/session.js'
import type { UserData } from '../sql/user-data.js'
import type { LookUp } from './lookups.js'

/** A slice ends early at long texts: 2,000 versions may have 50,000 characters each. */
const mostBytes = 2_000_000

interface FeedRow extends Omit<IndexedVersion, 'quantized'> {
  readonly revision: number
  readonly quantized: Buffer | null
  readonly outdated: OutdatedColumn
}

/** Most recalls find nothing new: one look at the revision shows it. With several hosts, the state of the engine counts too. */
export async function isUpToDate(lookUp: LookUp, scope: UserScope, since: ChangeMark): Promise<boolean> {
  if (since.revision === 0 || since.row < endOfRevision || since.epoch !== undefined) return false
  if (!isStorable(scope.userId)) return false
  const sql = 'SELECT revision FROM users WHERE user_id = @user'
  const [[known]] = await lookUp<[{ revision: number }[]]>(scope, { sql, values: [scope.userId] })
  return known?.revision === since.revision
}

export const changes: ReadChanges<Session, ChangeSlice> = async (session, ...asked) => {
  const { rows, rest } = await changesSince(session, readSlice, ...asked)
  return { ...rest, changed: rows.map(indexed) }
}

async function readSlice(...[user, since, limit, until]: Slice): Promise<RowsAfter<FeedRow>> {
  const found = await readRows(user, since, until, limit)
  // The first row over the limit comes without its text, and shows that there is more.
  const over = found.findIndex(({ quantized }, index) => index === limit || quantized === null)
  const before = found[over - 1]
  return over === -1 || !before
    ? { rows: found, cutAt: undefined }
    : { rows: found.slice(0, over), cutAt: { revision: before.revision, row: before.row } }
}

type Slice = Parameters<Parameters<typeof changesSince<FeedRow>>[1]>

function readRows(user: UserData, since: ChangeMark, until: ChangeMark, limit: number): Promise<FeedRow[]> {
  return user.all<FeedRow>(
    `SELECT v.row, CASE WHEN v.before <= ? THEN v.content ELSE '' END AS content,
       ${user.dialect.jsonText('v.outdated')} AS outdated, v.project, v.valid_from AS "validFrom",
       v.valid_to AS "validTo", v.expires_at AS "expiresAt", v.flagged, v.model_id AS "modelId", v.revision,
       q.scale, CASE WHEN v.before <= ? THEN q.quantized END AS quantized
     FROM (
       SELECT *, sum(octet_length(content)) OVER (ORDER BY revision, row) - octet_length(content) AS before
       FROM (SELECT * FROM versions WHERE user_id = @user AND (revision, row) > (?, ?)
               AND (revision, row) <= (?, ?) ORDER BY revision, row LIMIT ?) due) v
       JOIN vectors_quantized q ON q.user_id = @user AND q.row = v.row
     ORDER BY v.revision, v.row`,
    mostBytes,
    mostBytes,
    since.revision,
    since.row,
    until.revision,
    until.row,
    limit + 1,
  )
}

function indexed({ revision, quantized, outdated, ...version }: FeedRow): IndexedVersion {
  const content = remainingText(version.content, outdatedOf(outdated))
  return { ...version, content, quantized: componentsOf(quantized ?? Buffer.alloc(0)) }
}
