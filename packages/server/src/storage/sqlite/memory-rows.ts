/** Version rows as the memories that the seam speaks of. */
import type { BareMemory, Memory, Metadata } from '../../core/memory.js'
import type { Database } from './database.js'
import { namesMentionedBy } from './entity-groups.js'

export interface LoadedVersion {
  readonly row: number
  readonly modelId: string
  readonly memory: Memory
}

interface JoinedRow {
  readonly row: number
  readonly model_id: string
  readonly memory: number
  readonly id: string
  readonly user_id: string
  readonly project: string | null
  readonly content: string
  readonly checksum: string
  readonly metadata: string
  readonly source: string
  readonly trust_score: number
  readonly flagged: number
  readonly version: number
  readonly created_at: number
  readonly valid_from: number
  readonly expires_at: number | null
  readonly superseded_at: number | null
  readonly superseded_by: string | null
  readonly access_count: number
  readonly last_accessed: number | null
}

/**
 * In the order of `rows`; rows that are gone are missing. The caller has checked whose they are, and that they held at
 * `asOf`, if given: what superseded them came later then.
 */
export function loadMemories(db: Database, rows: readonly number[], asOf?: number): LoadedVersion[] {
  const found = joinedRows(db, rows)
  const entities = namesMentionedBy(db, rows)
  const supersedes = grouped(
    db.all<Grouped>(
      `SELECT m.superseded_by AS key, m.id AS text
       FROM json_each(?) wanted CROSS JOIN memories m ON m.superseded_by = wanted.value
       WHERE m.withdrawn = 0${asOf === undefined ? '' : ' AND m.superseded_at < ?'} ORDER BY m.key`,
      JSON.stringify(found.map((row) => row.memory)),
      ...(asOf === undefined ? [] : [asOf]),
    ),
  )
  return found.map((row) => ({
    row: row.row,
    modelId: row.model_id,
    memory: {
      ...bareMemoryOf(row),
      ...(asOf === undefined ? {} : { supersededAt: null, supersededBy: null }),
      supersedes: supersedes.get(row.memory) ?? [],
      entities: entities.get(row.row) ?? [],
    },
  }))
}

function joinedRows(db: Database, rows: readonly number[]): JoinedRow[] {
  // CROSS JOIN keeps SQLite from turning the loop around: the few wanted rows come first.
  return db.all<JoinedRow>(
    `SELECT v.row, v.model_id, v.memory, m.id, u.id AS user_id, v.project, v.content, v.checksum, v.metadata,
       m.source, v.trust_score, v.flagged, v.version, m.created_at, v.valid_from, v.expires_at, m.superseded_at,
       successor.id AS superseded_by, m.access_count, m.last_accessed
     FROM json_each(?) wanted CROSS JOIN versions v ON v.row = wanted.value
       CROSS JOIN memories m ON m.key = v.memory CROSS JOIN users u ON u.key = m.user
       LEFT JOIN memories successor ON successor.key = m.superseded_by`,
    JSON.stringify(rows),
  )
}

export function metadataOf(json: string): Metadata {
  // Most have none.
  return json === '{}' ? {} : JSON.parse(json)
}

function bareMemoryOf(row: JoinedRow): BareMemory {
  return {
    id: row.id,
    userId: row.user_id,
    project: row.project,
    content: row.content,
    checksum: row.checksum,
    metadata: metadataOf(row.metadata),
    source: row.source,
    trustScore: row.trust_score,
    flagged: row.flagged === 1,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.valid_from,
    expiresAt: row.expires_at,
    supersededAt: row.superseded_at,
    supersededBy: row.superseded_by,
    accessCount: row.access_count,
    lastAccessed: row.last_accessed,
  }
}

interface Grouped {
  readonly key: number
  readonly text: string
}

function grouped(rows: readonly Grouped[]): Map<number, string[]> {
  const groups = new Map<number, string[]>()
  for (const { key, text } of rows) {
    const group = groups.get(key)
    if (group) group.push(text)
    else groups.set(key, [text])
  }
  return groups
}
