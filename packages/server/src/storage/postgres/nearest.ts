/**
 * Search by meaning inside PostgreSQL: exact, over one user's vectors. The index in memory (`retrieval/user-index.ts`) is
 * the way of search; this is for a user whose index does not fit into memory. A vector index over all users under a
 * user's filter finds a part of the right answers only (ADR 16), so there is none: very large users get one of their own.
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

/**
 * What is valid now, not expired and not flagged, most alike first. `isLarge`: by the user's own vector index, which is
 * asked for so many more that what the conditions leave out does not matter.
 */
export async function nearest(
  db: Database,
  scope: UserScope,
  query: NearestQuery,
  isLarge = false,
): Promise<Nearest[]> {
  const user = dataOf(db, scope)
  if (!user) return []
  // Read once, as a value: a cast from text inside the statement would be made for every row.
  const vector = vectorText(query.vector)
  const project = scope.project === undefined ? [] : [scope.project]
  const valid = `v.model_id = ? AND v.valid_to IS NULL AND NOT v.flagged
       AND (v.expires_at IS NULL OR v.expires_at > ?)${scope.project === undefined ? '' : ' AND v.project = ?'}`
  // Users differ in size by thousands, and a partial index is taken only by a plan that is made for its very user.
  await db.run(`SELECT set_config('plan_cache_mode', 'force_custom_plan', true)`)
  if (!isLarge) {
    return user.all<Nearest>(
      `SELECT x.row, -(x.vector <#> ?::vector) AS similarity
       FROM vectors x JOIN versions v ON v.user_id = x.user_id AND v.row = x.row
       WHERE x.user_id = @user AND ${valid} ORDER BY x.vector <#> ?::vector, x.row LIMIT ?`,
      vector,
      query.modelId,
      query.now,
      ...project,
      vector,
      query.limit,
    )
  }
  const dimensions = query.vector.length
  const candidates = Math.min(mostCandidates, Math.max(fewestCandidates, 10 * query.limit))
  await db.run(`SELECT set_config('hnsw.ef_search', ?, true)`, String(candidates))
  const own = `(x.vector::vector(${dimensions}))`
  return user.all<Nearest>(
    `SELECT found.row, found.similarity FROM (
       SELECT x.user_id, x.row, -(${own} <#> ?::vector(${dimensions})) AS similarity FROM vectors x
       WHERE x.user_id = @user AND vector_dims(x.vector) = ${dimensions}
       ORDER BY ${own} <#> ?::vector(${dimensions}) LIMIT ?) found
       JOIN versions v ON v.user_id = found.user_id AND v.row = found.row
     WHERE v.user_id = @user AND ${valid} ORDER BY found.similarity DESC, found.row LIMIT ?`,
    vector,
    vector,
    candidates,
    query.modelId,
    query.now,
    ...project,
    query.limit,
  )
}

const fewestCandidates = 200
/** More are no setting of pgvector's. */
const mostCandidates = 1_000
