/** Metadata filters and graph look-ups for a recall. */
import type { Filter } from '../../../core/filter.js'
import type { Metadata } from '../../../core/memory.js'
import type { UserScope } from '../../../core/scope.js'
import { holdsAllOf } from '../../domain/metadata-match.js'
import { isStorable } from '../../domain/storable-text.js'
import type { ConnectedVersion, MatchFilter } from '../../ports/index-feed.js'

import { filterCondition } from '../filter.js'
import { metadataOf } from '../memories/memory-rows.js'
import type { Session, Value } from '../session.js'
import { dataOf, type UserData } from '../user-data.js'

export async function matching(session: Session, scope: UserScope, filter: MatchFilter): Promise<number[]> {
  const user = await dataOf(session, scope.userId)
  if (!user || !isStorable(scope.project ?? '')) return []
  const { dialect } = session
  // Passed through JSON, like the metadata that it is compared with: -0 becomes 0.
  const wantedJson = JSON.stringify(filter.metadata ?? {})
  const wanted = Object.entries(JSON.parse(wantedJson) as Metadata)
  const where = ['v.user_id = @user']
  const values: Value[] = []
  if (scope.project !== undefined) {
    where.push('v.project = ?')
    values.push(scope.project)
  }
  const tree = treeOf(filter)
  const condition = tree && (await filterCondition(session, scope, tree))
  if (condition === null) return []
  if (condition) {
    where.push(condition.sql)
    values.push(...condition.values)
  }
  if (wanted.length > 0) {
    // Excludes most rows that do not match; `holdsAllOf` decides.
    where.push(dialect.metadataHolds('v.metadata'))
    values.push(wantedJson)
  }
  const metadata = wanted.length === 0 ? `'{}'` : dialect.jsonText('v.metadata')
  const candidates = await user.all<{ row: number; metadata: string }>(
    `SELECT v.row, ${metadata} AS metadata FROM ${filter.filter ? withMemories : 'versions v'}
     WHERE ${where.join(' AND ')} ORDER BY v.row`,
    ...values,
  )
  return candidates.flatMap((each) => (holdsAllOf(metadataOf(each.metadata), wanted) ? [each.row] : []))
}

const withMemories = 'versions v JOIN memories m ON m.user_id = v.user_id AND m.key = v.memory'

function treeOf({ entity, filter }: MatchFilter): Filter | undefined {
  if (entity === undefined) return filter
  const mentions: Filter = { field: 'entity', test: { op: 'in', values: [entity] } }
  return filter ? { field: 'and', parts: [mentions, filter] } : mentions
}

/** Includes every other name of each. */
async function withMerged(user: UserData, entities: readonly number[]): Promise<number[]> {
  if (entities.length === 0) return []
  const rows = await user.all<{ key: number }>(
    `WITH roots (key) AS (SELECT DISTINCT coalesce(e.merged_into, e.key) FROM entities e
       WHERE e.user_id = @user AND ${user.dialect.among('e.key', 'bigint')})
     SELECT key FROM roots
     UNION SELECT part.key FROM roots JOIN entities part ON part.user_id = @user AND part.merged_into = roots.key
     ORDER BY key`,
    entities,
  )
  return rows.map((row) => row.key)
}

/** The versions that mention one of the entities, newest first. */
export type NewestMentions = (
  user: UserData,
  entities: readonly number[],
  project: string | undefined,
  limit: number,
) => Promise<number[]>

/** Maximum number of neighbours. Further ones say little about the question. */
export const mostNeighbours = 200

export async function connectedVersions(
  session: Session,
  scope: UserScope,
  nameKeys: readonly string[],
  limit: number,
  newestMentions: NewestMentions,
): Promise<ConnectedVersion[]> {
  const user = await dataOf(session, scope.userId)
  const wanted = nameKeys.filter(isStorable)
  if (!user || wanted.length === 0 || !isStorable(scope.project ?? '')) return []
  const called = await user.all<{ entity: number }>(
    `SELECT DISTINCT s.entity FROM entity_spellings s
     WHERE s.user_id = @user AND ${user.dialect.among('s.spelling_key', 'text')}`,
    wanted,
  )
  const named = await withMerged(
    user,
    called.map((row) => row.entity),
  )
  const found = new Map<number, 0 | 1>()
  const take = async (entities: readonly number[], hops: 0 | 1) => {
    if (entities.length === 0) return
    for (const row of await newestMentions(user, entities, scope.project, limit + found.size)) {
      if (found.size < limit && !found.has(row)) found.set(row, hops)
    }
  }
  await take(named, 0)
  if (found.size < limit) await take(await withMerged(user, await neighboursOf(user, named)), 1)
  return [...found].map(([row, hops]) => ({ row, hops }))
}

/** Current relationships first, then the newest. */
async function neighboursOf(user: UserData, entities: readonly number[]): Promise<number[]> {
  if (entities.length === 0) return []
  const among = (column: string) => user.dialect.among(column, 'bigint')
  const rows = await user.all<{ entity: number }>(
    `SELECT entity FROM (
       SELECT target AS entity, valid_to, key FROM relationships WHERE user_id = @user AND ${among('source')}
       UNION ALL
       SELECT source, valid_to, key FROM relationships WHERE user_id = @user AND ${among('target')}) ends
     WHERE NOT (${among('entity')})
     GROUP BY entity ORDER BY count(*) FILTER (WHERE valid_to IS NULL) > 0 DESC, max(key) DESC LIMIT ?`,
    entities,
    entities,
    entities,
    mostNeighbours,
  )
  return rows.map((row) => row.entity)
}
