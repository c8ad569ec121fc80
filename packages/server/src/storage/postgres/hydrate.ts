/**
 * The versions that a search found, with all fields that a recall shows. These are plain rows; SQLite packs them for its threads.
 */
import type { HydratedVersion } from '../ports/index-feed.js'
import { type ReadVersions, rowsWithVectors } from '../sql/index/forms.js'
import { bareMemoryOf, type JoinedRow, joinedColumns } from '../sql/memories/memory-rows.js'
import type { Session } from '../sql/session.js'
import { dataOf } from '../sql/user-data.js'

export const hydrate: ReadVersions<Session, HydratedVersion[]> = async (session, scope, rows, options) => {
  const user = await dataOf(session, scope.userId)
  const wanted = [...new Set(rows)].filter((row) => Number.isSafeInteger(row))
  if (!user || wanted.length === 0) return []
  const withVector = rowsWithVectors(wanted, options)
  const [versions, vectors] = await Promise.all([
    user.all<JoinedRow>(
      `SELECT ${joinedColumns(session.dialect)} FROM ${session.dialect.versionsWithMemories}
       WHERE v.user_id = @user AND ${session.dialect.among('v.row', 'bigint')}${scope.project === undefined ? '' : ' AND v.project = ?'}
       ORDER BY v.row`,
      wanted,
      ...(scope.project === undefined ? [] : [scope.project]),
    ),
    withVector.length === 0 ? new Map<number, Float32Array>() : session.vectors.read(user.key, withVector),
  ])
  return versions.map((row) => ({
    row: row.row,
    modelId: row.model_id,
    vector: vectors.get(row.row) ?? null,
    memory: bareMemoryOf(row),
  }))
}
