/**
 * Search by meaning inside PostgreSQL: exact, over one user's vectors. The index in memory (`retrieval/user-index.ts`) is
 * the way of search; this is for a user whose index does not fit into memory. A vector index over all users under a
 * user's filter finds a part of the right answers only (ADR 15), so there is none: very large users get one of their own.
 */
import type { UserScope } from '../../core/scope.js'
import type { Database } from './database.js'
import { dataOf } from './user-rows.js'
import { vectorText } from './write-version.js'

export interface NearestQuery {
  readonly vector: Float32Array
  /** Vectors of other models can't be compared. */
  readonly modelId: string
  readonly now: number
  readonly limit: number
}

export interface Nearest {
  readonly row: number
  /** Of vectors of length 1: their cosine. */
  readonly similarity: number
}

/** What is valid now, not expired and not flagged, most alike first. */
export async function nearest(db: Database, scope: UserScope, query: NearestQuery): Promise<Nearest[]> {
  const user = dataOf(db, scope)
  if (!user) return []
  const vector = vectorText(query.vector)
  return user.all<Nearest>(
    `SELECT x.row, -(x.vector <#> ?::text::vector) AS similarity
     FROM vectors x JOIN versions v ON v.user_id = x.user_id AND v.row = x.row
     WHERE x.user_id = @user AND v.model_id = ? AND v.valid_to IS NULL AND NOT v.flagged
       AND (v.expires_at IS NULL OR v.expires_at > ?)${scope.project === undefined ? '' : ' AND v.project = ?'}
     ORDER BY x.vector <#> ?::text::vector, x.row LIMIT ?`,
    vector,
    query.modelId,
    query.now,
    ...(scope.project === undefined ? [] : [scope.project]),
    vector,
    query.limit,
  )
}
