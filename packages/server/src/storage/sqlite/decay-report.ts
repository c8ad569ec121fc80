import { decayOf, decayStatus, ScoreDistribution } from '../../core/decay.js'
import type { Scope } from '../../core/scope.js'
import { Lowest, type Scored } from '../domain/lowest-scores.js'
import type { DecayQuery, DecayReport } from '../ports/temporal-reads.js'
import type { Database } from './database.js'
import { allMemoriesIn, notExpired } from './user-rows.js'

type Subject = readonly [key: number, createdAt: number, accessCount: number, lastAccessed: number | null]

/** Reads all memories of the scope one by one, and keeps as many as the page needs. */
export function decayReport(db: Database, scope: Scope, query: DecayQuery): DecayReport {
  const counts = { healthy: 0, decaying: 0, expired: 0 }
  const distribution = new ScoreDistribution()
  const within = allMemoriesIn(db, scope)
  if (!within) return { total: 0, ...counts, distribution: distribution.counts, memories: [] }
  const lowest = new Lowest<Scored>(query.offset + query.limit)
  let total = 0
  const subjects = db.iterate<Subject>(
    `SELECT m.key, m.created_at, m.access_count, m.last_accessed FROM memories m
     WHERE ${within.sql} AND m.superseded_at IS NULL AND ${notExpired}`,
    ...within.values,
    query.now,
  )
  for (const [key, createdAt, accessCount, lastAccessed] of subjects) {
    const { decayScore } = decayOf({ createdAt, accessCount, lastAccessed }, query.settings, query.now)
    counts[decayStatus(decayScore)]++
    distribution.add(decayScore)
    total++
    lowest.add({ key, score: decayScore })
  }
  const page = lowest.sorted().slice(query.offset)
  return {
    total,
    ...counts,
    distribution: distribution.counts,
    memories: page.flatMap((scored) => described(db, scored)),
  }
}

function described(db: Database, { key, score }: Scored): DecayReport['memories'][number][] {
  const row = db.get<{ id: string; content: string; lastAccessed: number | null }>(
    `SELECT m.id, v.content, m.last_accessed AS lastAccessed
     FROM memories m JOIN versions v ON v.row = m.current_row WHERE m.key = ?`,
    key,
  )
  return row ? [{ ...row, decayScore: score }] : []
}
