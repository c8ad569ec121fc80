/**
 * Common signatures of the reads that feed the search index. Each engine has its own form of them, because every recall waits for
 * them: SQLite packs results that cross a thread boundary, PostgreSQL limits and selects on the server.
 */
import type { UserScope } from '../../../core/scope.js'
import type { ChangeMark, IndexFeed } from '../../ports/index-feed.js'
import type { Session } from '../session.js'

export type ReadChanges<S extends Session, Result> = (
  session: S,
  scope: UserScope,
  since: ChangeMark,
  limit: number,
  until?: ChangeMark,
) => Promise<Result>

export type ReadVersions<S extends Session, Result> = (
  session: S,
  scope: UserScope,
  rows: readonly number[],
  options: Parameters<IndexFeed['hydrate']>[2],
) => Promise<Result>

export type ReadConnected<S extends Session, Result> = (
  session: S,
  scope: UserScope,
  nameKeys: readonly string[],
  limit: number,
) => Promise<Result>

/** The rows to return with vectors. */
export function rowsWithVectors(
  rows: readonly number[],
  { vectors }: Parameters<IndexFeed['hydrate']>[2],
): readonly number[] {
  if (typeof vectors === 'number') return rows.slice(0, vectors)
  return vectors ? rows : []
}
