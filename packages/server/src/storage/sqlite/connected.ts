/**
 * Versions connected with names, as sent from a reader thread: one buffer, because two hundred objects would take longer to
 * transfer than to find.
 */
import type { ConnectedVersion } from '../ports/index-feed.js'
import type { ReadConnected } from '../sql/index/forms.js'
import { connectedVersions } from '../sql/index/match.js'
import type { Database } from './database.js'
import type { SqliteSession } from './session.js'

/** Rows and their distances, alternating. */
export type PackedConnected = Float64Array<ArrayBuffer>

export const packedConnected: ReadConnected<SqliteSession, PackedConnected> = async (
  session,
  scope,
  nameKeys,
  limit,
) => {
  const found = await connectedVersions(session, scope, nameKeys, limit, async ({ key }, entities, project, most) =>
    newestMentions(session.db, Number(key), entities, project, most),
  )
  return Float64Array.from(found.flatMap(({ row, hops }) => [row, hops]))
}

export function unpackConnected(packed: PackedConnected): ConnectedVersion[] {
  return Array.from({ length: packed.length / 2 }, (_, index) => ({
    row: packed[2 * index] ?? 0,
    hops: packed[2 * index + 1] === 0 ? 0 : 1,
  }))
}

/**
 * Newest first. An entity may have thousands of mentions. Only those newer than the oldest that can still count are read, as one
 * text, because transferring each row would cost more than finding it. Two hundred statements would cost too much as well: each
 * statement covers more entities than the one before, because earlier ones have established how new a mention must be.
 */
function newestMentions(
  db: Database,
  user: number,
  entities: readonly number[],
  project: string | undefined,
  limit: number,
): number[] {
  const inProject = project === undefined ? [] : [project]
  const sql = `SELECT group_concat((SELECT group_concat(version) FROM (SELECT n.version
    FROM mentions n${project === undefined ? '' : ' CROSS JOIN versions v ON v.row = n.version'}
    WHERE n.entity = e.value AND n.user_id = ? AND n.version > ?${project === undefined ? '' : ' AND v.project = ?'}
    ORDER BY n.version DESC LIMIT ?))) AS rows FROM json_each(?) e`
  let newest: number[] = []
  let oldest = -1
  for (let first = 0, count = 1; first < entities.length; first += count, count *= 4) {
    const some = JSON.stringify(entities.slice(first, first + count))
    const rows = db.get<{ rows: string | null }>(sql, user, oldest, ...inProject, limit, some)?.rows ?? ''
    if (rows === '') continue
    newest = [...new Set([...newest, ...rows.split(',').map(Number)])]
    if (newest.length <= limit) continue
    newest = newest.sort((a, b) => b - a).slice(0, limit)
    oldest = newest.at(-1) ?? oldest
  }
  return newest.sort((a, b) => b - a)
}
