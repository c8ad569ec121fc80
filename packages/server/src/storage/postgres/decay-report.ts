import { decayOf, decayStatus, ScoreDistribution } from '../../core/decay.js'
import type { Scope } from '../../core/scope.js'
import { Lowest, type Scored } from '../domain/lowest-scores.js'
import type { DecayQuery, DecayReport } from '../ports/temporal-reads.js'
import type { Database } from './database.js'
import { memoriesIn, notExpired } from './user-rows.js'

interface Subject {
  readonly user_id: string
  readonly key: number
  readonly created_at: number
  readonly access_count: number
  readonly last_accessed: number | null
}

interface ScoredMemory extends Scored {
  readonly userId: string
}

/** Numbers of so many memories are held at a time. */
const sliceSize = 5_000

/** Reads all memories of the scope slice by slice, and keeps as many as the page needs. */
export async function decayReport(db: Database, scope: Scope, query: DecayQuery): Promise<DecayReport> {
  const counts = { healthy: 0, decaying: 0, expired: 0 }
  const distribution = new ScoreDistribution()
  const within = memoriesIn(scope)
  if (!within) return { total: 0, ...counts, distribution: distribution.counts, memories: [] }
  const lowest = new Lowest<ScoredMemory>(query.offset + query.limit)
  let total = 0
  let after = { user_id: '', key: 0 }
  for (;;) {
    const subjects = await db.all<Subject>(
      `SELECT m.user_id, m.key, m.created_at, m.access_count, m.last_accessed FROM memories m
       WHERE ${within.sql} AND (m.user_id, m.key) > (?, ?) AND m.superseded_at IS NULL AND ${notExpired}
       ORDER BY m.user_id, m.key LIMIT ?`,
      ...within.values,
      after.user_id,
      after.key,
      query.now,
      sliceSize,
    )
    for (const { user_id: userId, key, created_at, access_count, last_accessed } of subjects) {
      const used = { createdAt: created_at, accessCount: access_count, lastAccessed: last_accessed }
      const { decayScore } = decayOf(used, query.settings, query.now)
      counts[decayStatus(decayScore)]++
      distribution.add(decayScore)
      lowest.add({ userId, key, score: decayScore })
    }
    total += subjects.length
    after = subjects.at(-1) ?? after
    if (subjects.length < sliceSize) break
  }
  const page = lowest.sorted().slice(query.offset)
  return { total, ...counts, distribution: distribution.counts, memories: await described(db, page) }
}

async function described(db: Database, page: readonly ScoredMemory[]): Promise<DecayReport['memories'][number][]> {
  return db.all(
    `SELECT m.id, v.content, m.last_accessed AS "lastAccessed", wanted.score AS "decayScore"
     FROM unnest(?::text[], ?::bigint[], ?::double precision[]) WITH ORDINALITY wanted (user_id, key, score, place)
       JOIN memories m ON m.user_id = wanted.user_id AND m.key = wanted.key
       JOIN versions v ON v.user_id = m.user_id AND v.row = m.current_row ORDER BY wanted.place`,
    page.map(({ userId }) => userId),
    page.map(({ key }) => key),
    page.map(({ score }) => score),
  )
}
