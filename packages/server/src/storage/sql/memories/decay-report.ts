import { msPerDay } from '../../../core/clock.js'
import { decayOf, decayStatus, ScoreDistribution } from '../../../core/decay.js'
import type { Scope } from '../../../core/scope.js'
import { Lowest, type Scored } from '../../domain/lowest-scores.js'
import type { DecayQuery, DecayReport } from '../../ports/temporal-reads.js'
import type { Condition } from '../dialect.js'
import { fittingVersions } from '../page-bytes.js'
import type { Session } from '../session.js'
import { memoriesIn, notExpired } from '../user-data.js'
import { contentsOf, type OwnRow } from './memory-rows.js'

interface Subject extends OwnRow {
  readonly key: number
  readonly id: string
  readonly created_at: number
  readonly access_count: number
  readonly last_accessed: number | null
}

interface ScoredMemory extends Scored, OwnRow, Pick<Subject, 'id' | 'last_accessed'> {}

/** Number of memories in memory at a time. */
const sliceSize = 5_000

/** Reads all memories of the scope in slices, and keeps as many as the page needs. */
export async function decayReport(session: Session, scope: Scope, query: DecayQuery): Promise<DecayReport> {
  const counts = { healthy: 0, decaying: 0, expired: 0 }
  const forecast = (query.forecastDays ?? []).map((days) => ({ days, healthy: 0, decaying: 0, expired: 0 }))
  const distribution = new ScoreDistribution()
  const within = await memoriesIn(session, scope)
  if (!within) return { total: 0, ...counts, distribution: distribution.counts, forecast, memories: [], next: null }
  const lowest = new Lowest<ScoredMemory>(query.offset + query.limit)
  let total = 0
  let last: Subject | undefined
  for (;;) {
    const subjects: Subject[] = await sliceAfter(session, within, query.now, last)
    for (const { user_id, row, key, id, created_at, access_count, last_accessed } of subjects) {
      const used = { createdAt: created_at, accessCount: access_count, lastAccessed: last_accessed }
      const { decayScore } = decayOf(used, query.settings, query.now)
      counts[decayStatus(decayScore)]++
      distribution.add(decayScore)
      for (const later of forecast) {
        later[decayStatus(decayOf(used, query.settings, query.now + later.days * msPerDay).decayScore)]++
      }
      lowest.add({ user_id, row, key, id, last_accessed, score: decayScore })
    }
    total += subjects.length
    last = subjects.at(-1)
    if (subjects.length < sliceSize) break
  }
  const page = await fittingVersions(session, lowest.sorted().slice(query.offset))
  const end = query.offset + page.length
  return {
    total,
    ...counts,
    distribution: distribution.counts,
    forecast,
    memories: await described(session, page),
    next: page.length > 0 && end < total ? end : null,
  }
}

/** By age, which is the order of the index per user and of the index over everyone. */
function sliceAfter(session: Session, within: Condition, now: number, last: Subject | undefined): Promise<Subject[]> {
  return session.all<Subject>(
    `SELECT m.user_id, m.current_row AS row, m.key, m.id, m.created_at, m.access_count, m.last_accessed FROM memories m
     WHERE ${within.sql} AND m.superseded_at IS NULL AND ${notExpired}
       ${last ? 'AND (m.created_at, m.id) > (?, ?)' : ''}
     ORDER BY m.created_at, m.id LIMIT ?`,
    ...within.values,
    now,
    ...(last ? [last.created_at, last.id] : []),
    sliceSize,
  )
}

async function described(session: Session, page: readonly ScoredMemory[]): Promise<DecayReport['memories']> {
  const contents = await contentsOf(session, page)
  return page.map(({ id, last_accessed, score, ...place }) => ({
    id,
    content: contents(place),
    decayScore: score,
    lastAccessed: last_accessed,
  }))
}
