/**
 * The versions that a search found. SQLite needs its own form: rows are sent as one text and vectors as one buffer. A hundred
 * objects of twenty fields take three times as long to transfer, first from the driver and then between threads, as to read, and
 * every recall waits for them.
 */
import { isStorable } from '../domain/storable-text.js'
import type { HydratedVersion } from '../ports/index-feed.js'
import { type OutdatedColumn, outdatedOf } from '../sql/columns.js'
import { type ReadVersions, rowsWithVectors } from '../sql/index/forms.js'
import { metadataOf } from '../sql/memories/memory-rows.js'
import { rowsPerUser } from '../sql/user-data.js'
import type { Database } from './database.js'
import type { SqliteSession } from './session.js'

export interface PackedVersions {
  /** JSON: a list of `VersionRow`. */
  readonly rows: string
  /** The vectors one after another, the row of each, and its end. */
  readonly vectors: Float32Array<ArrayBuffer>
  readonly vectorRows: readonly number[]
  readonly vectorEnds: readonly number[]
}

type VersionRow = readonly [
  row: number,
  modelId: string,
  id: string,
  project: string | null,
  content: string,
  checksum: string,
  metadata: string,
  source: string,
  trustScore: number,
  flagged: number,
  version: number,
  createdAt: number,
  validFrom: number,
  expiresAt: number | null,
  supersededAt: number | null,
  supersededBy: string | null,
  accessCount: number,
  lastAccessed: number | null,
  outdated: OutdatedColumn,
]

const noVectors = (): Omit<PackedVersions, 'rows'> => ({
  vectors: new Float32Array(0),
  vectorRows: [],
  vectorEnds: [],
})

export const packedVersions: ReadVersions<SqliteSession, PackedVersions> = async (session, scope, rows, options) => {
  const { db } = session
  const user = await session.findUser(scope.userId)
  if (user === undefined || !isStorable(scope.project ?? '')) return { rows: '[]', ...noVectors() }
  const own = [...new Set(rows)].filter((row) => isRowOf(user, row))
  const project = scope.project ?? null
  const found = db.get<{ rows: string }>(versionRows, inOrder(own), user, project, project)
  const withVector = rowsWithVectors(own, options)
  return {
    rows: found?.rows ?? '[]',
    ...(withVector.length > 0 ? readVectors(db, inOrder(withVector)) : noVectors()),
  }
}

/** The row number identifies the user. */
function isRowOf(user: number, row: number): boolean {
  return Number.isSafeInteger(row) && Math.floor(row / rowsPerUser) === user
}

/** In the order of the file: neighbouring rows share pages, which halves the time. */
function inOrder(rows: readonly number[]): string {
  return JSON.stringify([...rows].sort((a, b) => a - b))
}

/**
 * CROSS JOIN fixes the order of the loops: the few wanted rows come first. By default SQLite prints a real number with 15 digits,
 * which would lose two.
 */
const versionRows = `SELECT json_group_array(json_array(v.row, v.model_id, m.id, v.project, v.content, v.checksum,
    v.metadata, m.source, CASE v.trust_score WHEN 1 THEN 1 ELSE json(printf('%!.17g', v.trust_score)) END, v.flagged, v.version, m.created_at, v.valid_from,
    v.expires_at, m.superseded_at, successor.id, m.access_count, m.last_accessed, v.outdated)) AS rows
  FROM json_each(?) wanted CROSS JOIN versions v ON v.row = wanted.value
    CROSS JOIN memories m ON m.key = v.memory AND m.user_id = v.user_id
    LEFT JOIN memories successor ON successor.key = m.superseded_by AND successor.user_id = m.user_id
  WHERE v.user_id = ? AND (? IS NULL OR v.project = ?)`

function readVectors(db: Database, wanted: string): Omit<PackedVersions, 'rows'> {
  const found = db.all<{ row: number; vector: Uint8Array }>(
    'SELECT x.row, x.vector FROM json_each(?) wanted CROSS JOIN vectors x ON x.row = wanted.value',
    wanted,
  )
  const vectors = new Float32Array(found.reduce((sum, { vector }) => sum + vector.length, 0) / 4)
  const bytes = new Uint8Array(vectors.buffer)
  const vectorEnds: number[] = []
  let end = 0
  for (const { vector } of found) {
    bytes.set(vector, end)
    end += vector.length
    vectorEnds.push(end / 4)
  }
  return { vectors, vectorRows: found.map(({ row }) => row), vectorEnds }
}

export function unpackVersions(packed: PackedVersions, userId: string): HydratedVersion[] {
  const { vectors, vectorRows, vectorEnds } = packed
  const vectorOf = new Map(
    vectorRows.map((row, index) => [row, vectors.subarray(vectorEnds[index - 1] ?? 0, vectorEnds[index])]),
  )
  // Written by the statement above.
  const rows = JSON.parse(packed.rows) as VersionRow[]
  return rows.map((row) => hydrated(row, userId, vectorOf.get(row[0]) ?? null))
}

function hydrated(row: VersionRow, userId: string, vector: Float32Array | null): HydratedVersion {
  return {
    row: row[0],
    modelId: row[1],
    vector,
    memory: {
      id: row[2],
      userId,
      project: row[3],
      content: row[4],
      outdated: outdatedOf(row[18]),
      checksum: row[5],
      metadata: metadataOf(row[6]),
      source: row[7],
      trustScore: row[8],
      flagged: row[9] === 1,
      version: row[10],
      createdAt: row[11],
      updatedAt: row[12],
      expiresAt: row[13],
      supersededAt: row[14],
      supersededBy: row[15],
      accessCount: row[16],
      lastAccessed: row[17],
    },
  }
}
