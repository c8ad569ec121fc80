/**
 * Filters and graph look-ups of a recall, in SQLite's own form: long results leave as one text or one buffer, because handing over each
 * row would cost more than finding it.
 */
import { nameKey } from '../../core/entity.js'
import type { UserScope } from '../../core/scope.js'
import { holdsAllOf } from '../domain/metadata-match.js'
import type { ConnectedVersion, MatchFilter } from '../ports/index-feed.js'
import { metadataOf } from '../sql/memories/memory-rows.js'
import { rowsPerUser } from '../sql/user-data.js'
import type { Database, Value } from './database.js'
import type { SqliteSession } from './session.js'

type Candidate = readonly [row: number, metadata: string]

export async function matching(session: SqliteSession, scope: UserScope, filter: MatchFilter): Promise<number[]> {
  const { db } = session
  const user = await session.findUser(scope.userId)
  if (user === undefined) return []
  // Through JSON and back, as what is compared with it was: -0 is 0 then.
  const wantedJson = JSON.stringify(filter.metadata ?? {})
  const wanted = Object.entries(metadataOf(wantedJson))
  const where = ['v.row BETWEEN ? AND ?']
  const values: Value[] = [user * rowsPerUser, (user + 1) * rowsPerUser - 1]
  if (scope.project !== undefined) {
    where.push('v.project = ?')
    values.push(scope.project)
  }
  if (filter.entity !== undefined) {
    where.push('v.row IN (SELECT n.version FROM mentions n JOIN json_each(?) e ON n.entity = e.value)')
    values.push(JSON.stringify(entitiesCalled(db, user, filter.entity)))
  }
  if (wanted.length > 0) {
    where.push(holdsAll)
    values.push(wantedJson)
  }
  const rows: number[] = []
  const candidates = db.iterate<Candidate>(
    `SELECT v.row, v.metadata FROM versions v WHERE ${where.join(' AND ')} ORDER BY v.row`,
    ...values,
  )
  for (const [row, metadata] of candidates)
    if (wanted.length === 0 || holdsAllOf(metadataOf(metadata), wanted)) rows.push(row)
  return rows
}

/**
 * SQLite leaves out most of what does not match; `holdsAllOf` decides. One text for every filter: a text for each kind of filter would
 * be cached as a prepared statement of its own, without end.
 */
const holdsAll = `NOT EXISTS (SELECT 1 FROM json_each(?) wanted WHERE NOT EXISTS (
  SELECT 1 FROM json_each(v.metadata) own
  WHERE own.key = wanted.key AND own.type = wanted.type AND own.atom IS wanted.atom))`

function entitiesCalled(db: Database, user: number, idOrName: string): number[] {
  const found = db
    .all<{ key: number }>(
      `SELECT key FROM entities WHERE id = ? AND user_id = ?
       UNION SELECT entity FROM entity_spellings WHERE user_id = ? AND spelling_key = ?`,
      idOrName,
      user,
      user,
      nameKey(idOrName),
    )
    .map((row) => row.key)
  return withMerged(db, found)
}

/** With every other name of each. */
function withMerged(db: Database, entities: readonly number[]): number[] {
  return db
    .all<{ key: number }>(
      `WITH roots (key) AS (SELECT DISTINCT ifnull(e.merged_into, e.key) FROM json_each(?) wanted
         CROSS JOIN entities e ON e.key = wanted.value)
       SELECT key FROM roots UNION SELECT part.key FROM roots CROSS JOIN entities part ON part.merged_into = roots.key`,
      JSON.stringify(entities),
    )
    .map((row) => row.key)
}

/** More neighbours than this say little about the question. */
const mostNeighbours = 200

/** Rows and their distances, alternating: two hundred objects would take longer to hand over than to find. */
export type PackedConnected = Float64Array<ArrayBuffer>

export function unpackConnected(packed: PackedConnected): ConnectedVersion[] {
  return Array.from({ length: packed.length / 2 }, (_, index) => ({
    row: packed[2 * index] ?? 0,
    hops: packed[2 * index + 1] === 0 ? 0 : 1,
  }))
}

export async function packedConnected(
  session: SqliteSession,
  scope: UserScope,
  nameKeys: readonly string[],
  limit: number,
): Promise<PackedConnected> {
  const { db } = session
  const user = await session.findUser(scope.userId)
  if (user === undefined) return new Float64Array(0)
  const called = db
    .all<{ entity: number }>(
      `SELECT DISTINCT s.entity FROM json_each(?) wanted
         CROSS JOIN entity_spellings s ON s.user_id = ? AND s.spelling_key = wanted.value`,
      JSON.stringify(nameKeys),
      user,
    )
    .map((row) => row.entity)
  const named = withMerged(db, called)
  const found = new Map<number, 0 | 1>()
  const take = (entities: readonly number[], hops: 0 | 1) => {
    for (const row of newestMentions(db, entities, scope.project, limit + found.size)) {
      if (found.size < limit && !found.has(row)) found.set(row, hops)
    }
  }
  take(named, 0)
  if (found.size < limit) take(withMerged(db, neighboursOf(db, named)), 1)
  return Float64Array.from([...found].flat())
}

/** Those that still hold first, then the newest. Relationships never cross users: their entities don't. */
function neighboursOf(db: Database, entities: readonly number[]): number[] {
  const entitiesJson = JSON.stringify(entities)
  return db
    .all<{ entity: number }>(
      `SELECT entity FROM (
         SELECT r.target AS entity, r.valid_to, r.key
         FROM json_each(?) e CROSS JOIN relationships r ON r.source = e.value
         UNION ALL
         SELECT r.source, r.valid_to, r.key FROM json_each(?) e CROSS JOIN relationships r ON r.target = e.value)
       WHERE entity NOT IN (SELECT value FROM json_each(?))
       GROUP BY entity ORDER BY max(valid_to IS NULL) DESC, max(key) DESC LIMIT ?`,
      entitiesJson,
      entitiesJson,
      entitiesJson,
      mostNeighbours,
    )
    .map((row) => row.entity)
}

/**
 * Newest first. An entity may have thousands of mentions: only those newer than the oldest that can still count are read, as one text,
 * because each row would cost more to hand over than to find. So would two hundred statements: each statement looks at more entities
 * than the one before, as earlier ones have established how new a mention must be.
 */
function newestMentions(
  db: Database,
  entities: readonly number[],
  project: string | undefined,
  limit: number,
): number[] {
  const inProject = project === undefined ? [] : [project]
  const sql = `SELECT group_concat((SELECT group_concat(version) FROM (SELECT n.version
    FROM mentions n${project === undefined ? '' : ' CROSS JOIN versions v ON v.row = n.version'}
    WHERE n.entity = e.value AND n.version > ?${project === undefined ? '' : ' AND v.project = ?'}
    ORDER BY n.version DESC LIMIT ?))) AS rows FROM json_each(?) e`
  let newest: number[] = []
  let oldest = -1
  for (let first = 0, count = 1; first < entities.length; first += count, count *= 4) {
    const some = JSON.stringify(entities.slice(first, first + count))
    const rows = db.get<{ rows: string | null }>(sql, oldest, ...inProject, limit, some)?.rows ?? ''
    if (rows === '') continue
    newest = [...new Set([...newest, ...rows.split(',').map(Number)])]
    if (newest.length <= limit) continue
    newest = newest.sort((a, b) => b - a).slice(0, limit)
    oldest = newest.at(-1) ?? oldest
  }
  return newest.sort((a, b) => b - a)
}
