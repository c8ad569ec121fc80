/** Items for the search index and for re-embedding. Only current versions with something to search for are in the index. */
import { checksumOf } from '../../../core/memory.js'
import type { Scope, UserScope } from '../../../core/scope.js'
import { notEmbedded } from '../../domain/not-embedded.js'
import { bytesOf, quantize } from '../../domain/quantize.js'
import type { ChangeMark, ChangeSlice, IndexedVersion } from '../../ports/index-feed.js'
import type { OutdatedVersion, ReplacedVector } from '../../ports/vector-upkeep.js'
import type { FlagColumn } from '../columns.js'
import { changesSince, type RowsAfter } from '../index/changes.js'
import type { Session, UserKey } from '../session.js'
import { type UserData, usersIn } from '../user-data.js'
import type { UserWrite } from '../user-write.js'
import { isCurrent, itemText } from './item-rows.js'

/** A value may have 50,000 characters, and three threads hold a slice at once. */
const mostAtOnce = 200

interface FeedRow {
  readonly row: number
  readonly revision: number
  readonly project: string
  readonly value: string
  readonly fields: string | null
  readonly valid_from: number
  readonly expires_at: number | null
  readonly flagged: FlagColumn
  readonly model_id: string
  readonly vector: Uint8Array | null
}

export async function itemChanges(
  session: Session,
  scope: UserScope,
  since: ChangeMark,
  limit: number,
): Promise<ChangeSlice> {
  const most = Math.min(limit, mostAtOnce)
  const readRows = async (user: UserData, after: ChangeMark): Promise<RowsAfter<FeedRow>> => {
    const found = await user.all<FeedRow>(
      `SELECT i.row, i.revision, i.project, ${session.dialect.jsonText('i.value')} AS value, i.fields, i.valid_from, i.expires_at,
         i.flagged, i.model_id, i.vector
       FROM items i WHERE i.user_id = @user AND ${isCurrent} AND i.model_id IS NOT NULL AND (i.revision, i.row) > (?, ?)
       ORDER BY i.revision, i.row LIMIT ?`,
      after.revision,
      after.row,
      most + 1,
    )
    const last = found[most - 1]
    const isCut = found.length > most && last !== undefined
    return { rows: found.slice(0, most), cutAt: isCut ? { revision: last.revision, row: last.row } : undefined }
  }
  const { rows, rest } = await changesSince(session, readRows, scope, since, most)
  return { ...rest, changed: rows.map(indexed) }
}

function indexed(row: FeedRow): IndexedVersion {
  const { scale, quantized } = quantize(row.vector ? vectorOf(row.vector) : new Float32Array(0))
  return {
    row: row.row,
    content: itemText(row.value, row.fields),
    project: row.project,
    validFrom: row.valid_from,
    validTo: null,
    expiresAt: row.expires_at,
    flagged: Boolean(row.flagged),
    modelId: row.vector ? row.model_id : notEmbedded,
    quantized,
    scale,
  }
}

/** Copied: the bytes of a driver may begin anywhere, a Float32Array begins at a multiple of four. */
function vectorOf(bytes: Uint8Array): Float32Array {
  const vector = new Float32Array(Math.floor(bytes.length / 4))
  new Uint8Array(vector.buffer).set(bytes.subarray(0, vector.byteLength))
  return vector
}

/** Two ranges of the index by model. */
const otherModel = `${isCurrent} AND (i.model_id < ? OR i.model_id > ?)`

export async function countOutdatedItems(session: Session, scope: Scope, modelId: string): Promise<number> {
  const within = await usersIn(session, scope, 'i')
  if (!within) return 0
  const found = await session.get<{ total: number }>(
    `SELECT count(*) AS total FROM items i WHERE ${otherModel} AND ${within.sql}`,
    modelId,
    modelId,
    ...within.values,
  )
  return found?.total ?? 0
}

/** The position of a reader: the last item that it has read. */
export type ItemMark = readonly [user: UserKey, row: number]

export async function outdatedItems(
  session: Session,
  scope: Scope,
  modelId: string,
  after: ItemMark | null,
  limit: number,
): Promise<{ readonly versions: OutdatedVersion[]; readonly mark: ItemMark | null }> {
  const within = await usersIn(session, scope, 'i')
  if (!within) return { versions: [], mark: after }
  const rows = await session.all<{
    user_id: UserKey
    userId: string
    row: number
    model_id: string
    value: string
    fields: string | null
  }>(
    `SELECT i.user_id, ${session.dialect.userId('i')} AS "userId", i.row, i.model_id,
       ${session.dialect.jsonText('i.value')} AS value, i.fields
     FROM items i WHERE ${otherModel} AND ${within.sql} ${after ? 'AND (i.user_id, i.row) > (?, ?)' : ''}
     ORDER BY i.user_id, i.row LIMIT ?`,
    modelId,
    modelId,
    ...within.values,
    ...(after ?? []),
    limit,
  )
  const last = rows.at(-1)
  return {
    versions: rows.map(({ userId, row, model_id, value, fields }) => {
      const content = itemText(value, fields)
      return { userId, row, modelId: model_id, checksum: checksumOf(content), content, turnsBefore: [] }
    }),
    mark: last ? [last.user_id, last.row] : after,
  }
}

/** The value of a row never changes. @returns false if there is no such current item. */
export async function replaceItemVector(write: UserWrite, modelId: string, replaced: ReplacedVector): Promise<boolean> {
  const changed = await write.run(
    `UPDATE items SET model_id = ?, vector = ?, revision = ?
     WHERE user_id = @user AND row = ? AND model_id = ? AND valid_to IS NULL`,
    modelId,
    bytesOf(replaced.vector),
    write.revision,
    replaced.row,
    replaced.modelId,
  )
  return changed > 0
}
