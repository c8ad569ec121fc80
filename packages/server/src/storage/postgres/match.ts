/** Filters and graph look-ups of a recall, in PostgreSQL's own form: `@>` on metadata, and LATERAL for the newest mentions. */
import { nameKey } from '../../core/entity.js'
import type { Metadata } from '../../core/memory.js'
import type { UserScope } from '../../core/scope.js'
import { holdsAllOf } from '../domain/metadata-match.js'
import { isStorable } from '../domain/storable-text.js'
import type { ConnectedVersion, MatchFilter } from '../ports/index-feed.js'
import type { Session, Value } from '../sql/session.js'
import { dataOf, type UserData } from '../sql/user-data.js'

export async function matching(session: Session, scope: UserScope, filter: MatchFilter): Promise<number[]> {
  const user = await dataOf(session, scope.userId)
  if (!user) return []
  // Through JSON and back, as what is compared with it was: -0 is 0 then.
  const wantedJson = JSON.stringify(filter.metadata ?? {})
  const wanted = Object.entries(JSON.parse(wantedJson) as Metadata)
  const where = ['v.user_id = @user']
  const values: Value[] = []
  if (scope.project !== undefined) {
    where.push('v.project = ?')
    values.push(scope.project)
  }
  if (filter.entity !== undefined) {
    where.push('v.row IN (SELECT n.version FROM mentions n WHERE n.user_id = @user AND n.entity = ANY (?::bigint[]))')
    values.push(await entitiesCalled(user, filter.entity))
  }
  if (wanted.length > 0) {
    // PostgreSQL leaves out most of what doesn't fit; `holdsAllOf` has the last word: there a part is not the whole.
    where.push('v.metadata::jsonb @> ?::text::jsonb')
    values.push(wantedJson)
  }
  const candidates = await user.all<{ row: number; metadata: Metadata }>(
    `SELECT v.row, v.metadata FROM versions v WHERE ${where.join(' AND ')} ORDER BY v.row`,
    ...values,
  )
  return candidates.flatMap(({ row, metadata }) => (holdsAllOf(metadata, wanted) ? [row] : []))
}

async function entitiesCalled(user: UserData, idOrName: string): Promise<number[]> {
  if (!isStorable(idOrName)) return []
  const found = await user.all<{ key: number }>(
    `SELECT key FROM entities WHERE id = ? AND user_id = @user
     UNION SELECT entity FROM entity_spellings WHERE user_id = @user AND spelling_key = ?`,
    idOrName,
    nameKey(idOrName),
  )
  return withMerged(
    user,
    found.map((row) => row.key),
  )
}

/** With every other name of each. */
async function withMerged(user: UserData, entities: readonly number[]): Promise<number[]> {
  if (entities.length === 0) return []
  const rows = await user.all<{ key: number }>(
    `WITH roots (key) AS (SELECT DISTINCT coalesce(e.merged_into, e.key) FROM entities e
       WHERE e.user_id = @user AND e.key = ANY (?::bigint[]))
     SELECT key FROM roots
     UNION SELECT part.key FROM roots JOIN entities part ON part.user_id = @user AND part.merged_into = roots.key
     ORDER BY key`,
    entities,
  )
  return rows.map((row) => row.key)
}

/** More neighbours than this say little about the question. */
const mostNeighbours = 200

export async function connected(
  session: Session,
  scope: UserScope,
  nameKeys: readonly string[],
  limit: number,
): Promise<ConnectedVersion[]> {
  const user = await dataOf(session, scope.userId)
  const wanted = nameKeys.filter(isStorable)
  if (!user || wanted.length === 0) return []
  const called = await user.all<{ entity: number }>(
    `SELECT DISTINCT s.entity FROM entity_spellings s
     WHERE s.user_id = @user AND s.spelling_key = ANY (?::text[])`,
    wanted,
  )
  const entities = await withMerged(
    user,
    called.map((row) => row.entity),
  )
  const found = new Map<number, 0 | 1>()
  const take = async (from: readonly number[], hops: 0 | 1) => {
    for (const row of await newestMentions(user, from, scope.project, limit + found.size)) {
      if (found.size < limit && !found.has(row)) found.set(row, hops)
    }
  }
  await take(entities, 0)
  if (found.size < limit) await take(await withMerged(user, await neighboursOf(user, entities)), 1)
  return [...found].map(([row, hops]) => ({ row, hops }))
}

/** Those that still hold first, then the newest. */
async function neighboursOf(user: UserData, entities: readonly number[]): Promise<number[]> {
  if (entities.length === 0) return []
  const rows = await user.all<{ entity: number }>(
    `SELECT entity FROM (
       SELECT target AS entity, valid_to, key FROM relationships WHERE user_id = @user AND source = ANY (?::bigint[])
       UNION ALL
       SELECT source, valid_to, key FROM relationships WHERE user_id = @user AND target = ANY (?::bigint[])) ends
     WHERE entity <> ALL (?::bigint[])
     GROUP BY entity ORDER BY bool_or(valid_to IS NULL) DESC, max(key) DESC LIMIT ?`,
    entities,
    entities,
    entities,
    mostNeighbours,
  )
  return rows.map((row) => row.entity)
}

/** Newest first. An entity may have thousands: of each only the newest are read. */
async function newestMentions(
  user: UserData,
  entities: readonly number[],
  project: string | undefined,
  limit: number,
): Promise<number[]> {
  if (entities.length === 0 || (project !== undefined && !isStorable(project))) return []
  const inProject =
    project === undefined ? '' : ' JOIN versions v ON v.user_id = n.user_id AND v.row = n.version AND v.project = ?'
  const rows = await user.all<{ version: number }>(
    `SELECT DISTINCT newest.version FROM unnest(?::bigint[]) wanted (entity) CROSS JOIN LATERAL (
       SELECT n.version FROM mentions n${inProject} WHERE n.user_id = @user AND n.entity = wanted.entity
       ORDER BY n.version DESC LIMIT ?) newest
     ORDER BY newest.version DESC LIMIT ?`,
    entities,
    ...(project === undefined ? [] : [project]),
    limit,
    limit,
  )
  return rows.map((row) => row.version)
}
