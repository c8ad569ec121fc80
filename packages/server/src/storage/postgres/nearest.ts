/**
 * Search by meaning inside PostgreSQL: exact, over one user's vectors. Searches normally use the index in memory
 * (`retrieval/index/user-index.ts`); this is for a user whose index does not fit into memory. A vector index over all users finds only
 * some of the right answers under a user's filter (ADR 16), so there is none: very large users get their own.
 */
import type { UserScope } from '../../core/scope.js'
import type { Session } from '../sql/session.js'
import { dataOf } from '../sql/user-data.js'
import { vectorText } from './vectors.js'

export interface NearestQuery {
  readonly vector: Float32Array
  /** Vectors of different models cannot be compared. */
  readonly modelId: string
  readonly now: number
  readonly limit: number
}

export interface Nearest {
  readonly row: number
  /** The cosine, for vectors of length 1. */
  readonly similarity: number
}

/**
 * Versions that are valid now, not expired and not flagged, most similar first. `isLarge` uses the user's own vector index and
 * requests so many extra candidates that it does not matter if the conditions exclude some.
 */
export async function nearest(
  session: Session,
  scope: UserScope,
  query: NearestQuery,
  isLarge = false,
): Promise<Nearest[]> {
  const user = await dataOf(session, scope.userId)
  if (!user) return []
  // Parsed once, as a parameter: a cast from text inside the statement would run for every row.
  const vector = vectorText(query.vector)
  const project = scope.project === undefined ? [] : [scope.project]
  const valid = `v.model_id = ? AND v.valid_to IS NULL AND NOT v.flagged
       AND (v.expires_at IS NULL OR v.expires_at > ?)${scope.project === undefined ? '' : ' AND v.project = ?'}`
  // User sizes differ by a factor of thousands, and only a plan made for this user can use the partial index.
  await session.run(`SELECT set_config('plan_cache_mode', 'force_custom_plan', true)`)
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
  await session.run(`SELECT set_config('hnsw.ef_search', ?, true)`, String(candidates))
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
/** The largest `hnsw.ef_search` that pgvector allows. */
const mostCandidates = 1_000
