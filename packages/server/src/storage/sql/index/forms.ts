/**
 * The reads that feed the search index exist once for each engine, because a recall waits for them: SQLite packs what crosses from a
 * thread, PostgreSQL lets the server cut and choose. These are their common signatures.
 */
import type { UserScope } from '../../../core/scope.js'
import type { ChangeMark, IndexFeed } from '../../ports/index-feed.js'
import type { Session } from '../session.js'

export type ReadChanges<S extends Session, Result> = (
  session: S,
  scope: UserScope,
  since: ChangeMark,
  limit: number,
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

/** The first rows that are wanted with their vectors. */
export function rowsWithVectors(
  rows: readonly number[],
  { vectors }: Parameters<IndexFeed['hydrate']>[2],
): readonly number[] {
  if (typeof vectors === 'number') return rows.slice(0, vectors)
  return vectors ? rows : []
}
