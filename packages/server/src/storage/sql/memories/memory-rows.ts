/** Converts version rows to memories. */
import type { BareMemory, Memory, Metadata } from '../../../core/memory.js'
import { type FlagColumn, type OutdatedColumn, outdatedOf } from '../columns.js'
import type { Dialect } from '../dialect.js'
import { namesMentionedBy } from '../entities/entity-groups.js'
import type { Session, UserKey } from '../session.js'
import { UserData } from '../user-data.js'

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
  readonly outdated: OutdatedColumn
  /** JSON. */
  readonly metadata: string
  readonly checksum: string
  readonly source: string
  readonly trust_score: number
  readonly flagged: FlagColumn
  readonly version: number
  readonly created_at: number
  readonly valid_from: number
  readonly expires_at: number | null
  readonly superseded_at: number | null
  readonly superseded_by: string | null
  readonly access_count: number
  readonly last_accessed: number | null
}

/** Columns of the tables `v` and `m`, joined as in `Dialect.versionsWithMemories`. */
export function joinedColumns(dialect: Dialect): string {
  return `v.row, v.model_id, v.memory, m.id, ${dialect.userId('m')} AS user_id, v.project, v.content,
  ${dialect.jsonText('v.outdated')} AS outdated, v.checksum, ${dialect.jsonText('v.metadata')} AS metadata, m.source, v.trust_score, v.flagged, v.version, m.created_at, v.valid_from,
  v.expires_at, m.superseded_at,
  (SELECT s.id FROM memories s WHERE s.user_id = v.user_id AND s.key = m.superseded_by) AS superseded_by,
  m.access_count, m.last_accessed`
}

export interface OwnRow {
  readonly user_id: UserKey
  readonly row: number
}

/** Memories of any users, in the order of `rows`. */
export async function loadOwnMemories(session: Session, rows: readonly OwnRow[], asOf?: number): Promise<Memory[]> {
  const rowsByUser = new Map<UserKey, number[]>()
  for (const { user_id, row } of rows) rowsByUser.set(user_id, [...(rowsByUser.get(user_id) ?? []), row])
  const loaded = new Map<string, Memory>()
  for (const [key, own] of rowsByUser) {
    const versions = await loadMemories(new UserData(session, key), own, asOf)
    for (const { row, memory } of versions) loaded.set(`${row} ${key}`, memory)
  }
  return rows.flatMap(({ user_id, row }) => loaded.get(`${row} ${user_id}`) ?? [])
}

/** The texts of these versions, of any users. */
export async function contentsOf(session: Session, rows: readonly OwnRow[]): Promise<(place: OwnRow) => string> {
  const contents = new Map<string, string>()
  for (const user of new Set(rows.map(({ user_id }) => user_id))) {
    const own = rows.flatMap(({ user_id, row }) => (user_id === user ? [row] : []))
    const found = await new UserData(session, user).all<{ row: number; content: string }>(
      `SELECT row, content FROM versions WHERE user_id = @user AND ${session.dialect.among('row', 'bigint')}`,
      own,
    )
    for (const { row, content } of found) contents.set(`${row} ${user}`, content)
  }
  return ({ user_id, row }) => contents.get(`${row} ${user_id}`) ?? ''
}

/**
 * In the order of `rows`; deleted rows are omitted. With `asOf`, they were current at that time, so anything that supersedes them
 * came later.
 */
export async function loadMemories(user: UserData, rows: readonly number[], asOf?: number): Promise<LoadedVersion[]> {
  if (rows.length === 0) return []
  const { dialect } = user
  const [found, entities, supersedes] = await Promise.all([
    user.all<JoinedRow>(
      `SELECT ${joinedColumns(dialect)} FROM ${dialect.versionsWithMemories}
       WHERE v.user_id = @user AND ${dialect.among('v.row', 'bigint')}`,
      rows,
    ),
    namesMentionedBy(user, rows),
    supersededBy(user, rows, asOf),
  ])
  const byRow = new Map(found.map((version) => [version.row, version]))
  return rows.flatMap((row) => {
    const version = byRow.get(row)
    if (!version) return []
    const memory = {
      ...bareMemoryOf(version),
      ...(asOf === undefined ? {} : { supersededAt: null, supersededBy: null }),
      supersedes: supersedes.get(version.memory) ?? [],
      entities: entities.get(row) ?? [],
    }
    return [{ row, modelId: version.model_id, memory }]
  })
}

/** Ids of the memories that these versions replaced, by memory. */
async function supersededBy(
  user: UserData,
  rows: readonly number[],
  asOf: number | undefined,
): Promise<Map<number, string[]>> {
  const found = await user.all<{ key: number; id: string }>(
    `SELECT m.superseded_by AS key, m.id FROM memories m
     WHERE m.user_id = @user AND NOT m.withdrawn AND m.superseded_by IN (
       SELECT v.memory FROM versions v WHERE v.user_id = @user AND ${user.dialect.among('v.row', 'bigint')})
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
    outdated: outdatedOf(row.outdated),
    checksum: row.checksum,
    metadata: metadataOf(row.metadata),
    source: row.source,
    trustScore: row.trust_score,
    flagged: Boolean(row.flagged),
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

export function metadataOf(json: string): Metadata {
  // Most memories have none.
  return json === '{}' ? {} : JSON.parse(json)
}
