/** The versions that a search found, with all that a recall shows of them. In plain rows: SQLite packs them instead, for its threads. */
import type { UserScope } from '../../core/scope.js'
import { isStorable } from '../domain/storable-text.js'
import type { HydratedVersion, IndexFeed } from '../ports/index-feed.js'
import { rowsWithVectors } from '../sql/index/forms.js'
import { bareMemoryOf, type JoinedRow, joinedColumns } from '../sql/memories/memory-rows.js'
import { postgresDialect } from './dialect.js'
import type { LookUp, Lookup } from './lookups.js'
import { type PackedVectors, readVectors, unpacked } from './vectors.js'

const { among, versionsWithMemories } = postgresDialect
const readVersions = `SELECT ${joinedColumns(postgresDialect)} FROM ${versionsWithMemories}
  WHERE v.user_id = @user AND ${among('v.row', 'bigint')}`

export async function hydrate(
  lookUp: LookUp,
  scope: UserScope,
  rows: readonly number[],
  options: Parameters<IndexFeed['hydrate']>[2],
): Promise<HydratedVersion[]> {
  const { userId, project } = scope
  const wanted = [...new Set(rows)].filter((row) => Number.isSafeInteger(row))
  if (wanted.length === 0 || !isStorable(userId) || !isStorable(project ?? '')) return []
  const versions: Lookup =
    project === undefined
      ? { sql: `${readVersions} ORDER BY v.row`, values: [wanted, userId] }
      : { sql: `${readVersions} AND v.project = ? ORDER BY v.row`, values: [wanted, project, userId] }
  const withVector = rowsWithVectors(wanted, options)
  const [found, packed] =
    withVector.length === 0
      ? [...(await lookUp<[JoinedRow[]]>(scope, versions)), []]
      : await lookUp<[JoinedRow[], PackedVectors[]]>(scope, versions, {
          sql: readVectors,
          values: [withVector, userId],
        })
  const vectors = unpacked(packed)
  return found.map((row) => ({
    row: row.row,
    modelId: row.model_id,
    vector: vectors.get(row.row) ?? null,
    memory: bareMemoryOf(row),
  }))
}
