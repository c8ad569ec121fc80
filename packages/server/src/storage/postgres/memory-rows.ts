/** Version rows as the memories that the seam speaks of. */
import type { BareMemory, Memory, Metadata } from '../../core/memory.js'
import type { Database } from './database.js'
import { namesMentionedBy } from './entity-groups.js'
import { UserData } from './user-data.js'

export interface LoadedVersion {
  readonly row: number
  readonly modelId: string
  readonly memory: Memory
}

export interface JoinedRow {
  readonly row: number
  readonly model_id: string
  readonly memory: number
  readonly id: string
  readonly user_id: string
  readonly project: string | null
  readonly content: string
  readonly checksum: string
  readonly metadata: Metadata
  readonly source: string
  readonly trust_score: number
  readonly flagged: boolean
  readonly version: number
  readonly created_at: number
  readonly valid_from: number
  readonly expires_at: number | null
  readonly superseded_at: number | null
  readonly superseded_by: string | null
  readonly access_count: number
  readonly last_accessed: number | null
}

export const joinedColumns = `v.row, v.model_id, v.memory, m.id, m.user_id, v.project, v.content, v.checksum, v.metadata,
  m.source, v.trust_score, v.flagged, v.version, m.created_at, v.valid_from, v.expires_at, m.superseded_at,
  (SELECT s.id FROM memories s WHERE s.user_id = v.user_id AND s.key = m.superseded_by) AS superseded_by,
  m.access_count, m.last_accessed`

/** OFFSET 0 keeps PostgreSQL from reading all of the user's memories for a few: it may take a user for smaller than it is. */
export const joinedTables = `versions v CROSS JOIN LATERAL (
  SELECT * FROM memories WHERE user_id = v.user_id AND key = v.memory OFFSET 0) m`

export interface OwnRow {
  readonly user_id: string
  readonly row: number
}

/** Of any users, in the order of `rows`. */
export async function loadOwnMemories(db: Database, rows: readonly OwnRow[], asOf?: number): Promise<Memory[]> {
  const byUser = grouped(rows)
  const loaded = new Map<string, Memory>()
  for (const [userId, own] of byUser) {
    const versions = await loadMemories(
      new UserData(db, userId),
      own.map(({ row }) => row),
      asOf,
    )
    for (const { row, memory } of versions) loaded.set(`${row} ${userId}`, memory)
  }
  return rows.flatMap(({ user_id, row }) => loaded.get(`${row} ${user_id}`) ?? [])
}

function grouped(rows: readonly OwnRow[]): Map<string, OwnRow[]> {
  const groups = new Map<string, OwnRow[]>()
  for (const row of rows) groups.set(row.user_id, [...(groups.get(row.user_id) ?? []), row])
  return groups
}

/**
 * In the order of `rows`; rows that are gone are missing. With `asOf` they held at that moment: what superseded them came
 * later then.
 */
export async function loadMemories(user: UserData, rows: readonly number[], asOf?: number): Promise<LoadedVersion[]> {
  if (rows.length === 0) return []
  const [found, entities, supersedes] = await Promise.all([
    user.all<JoinedRow>(
      `SELECT ${joinedColumns} FROM ${joinedTables} WHERE v.user_id = @user AND v.row = ANY (?::bigint[])
       ORDER BY array_position(?::bigint[], v.row)`,
      rows,
      rows,
    ),
    namesMentionedBy(user, rows),
    supersededBy(user, rows, asOf),
  ])
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

/** Ids of what the memories of these versions replaced, by memory. */
async function supersededBy(
  user: UserData,
  rows: readonly number[],
  asOf: number | undefined,
): Promise<Map<number, string[]>> {
  const found = await user.all<{ key: number; id: string }>(
    `SELECT m.superseded_by AS key, m.id FROM memories m
     WHERE m.user_id = @user AND NOT m.withdrawn
       AND m.superseded_by IN (SELECT v.memory FROM versions v WHERE v.user_id = @user AND v.row = ANY (?::bigint[]))
       ${asOf === undefined ? '' : 'AND m.superseded_at < ?'}
     ORDER BY m.key`,
    rows,
    ...(asOf === undefined ? [] : [asOf]),
  )
  const groups = new Map<number, string[]>()
  for (const { key, id } of found) groups.set(key, [...(groups.get(key) ?? []), id])
  return groups
}

export function bareMemoryOf(row: JoinedRow): BareMemory {
  return {
    id: row.id,
    userId: row.user_id,
    project: row.project,
    content: row.content,
    checksum: row.checksum,
    metadata: row.metadata,
    source: row.source,
    trustScore: row.trust_score,
    flagged: row.flagged,
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
