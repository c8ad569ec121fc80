import { decayOf, decayStatus, ScoreDistribution } from '../../../core/decay.js'
import type { Scope } from '../../../core/scope.js'
import { Lowest, type Scored } from '../../domain/lowest-scores.js'
import type { DecayQuery, DecayReport } from '../../ports/temporal-reads.js'
import type { Condition } from '../dialect.js'
import type { Session, UserKey } from '../session.js'
import { memoriesIn, notExpired } from '../user-data.js'

interface Subject {
  readonly user_id: UserKey
  readonly key: number
  readonly id: string
  readonly created_at: number
  readonly access_count: number
  readonly last_accessed: number | null
}

interface ScoredMemory extends Scored {
  readonly user_id: UserKey
}

/** Number of memories in memory at a time. */
const sliceSize = 5_000

/** Reads all memories of the scope in slices, and keeps as many as the page needs. */
export async function decayReport(session: Session, scope: Scope, query: DecayQuery): Promise<DecayReport> {
  const counts = { healthy: 0, decaying: 0, expired: 0 }
  const distribution = new ScoreDistribution()
  const within = await memoriesIn(session, scope)
  if (!within) return { total: 0, ...counts, distribution: distribution.counts, memories: [] }
  const lowest = new Lowest<ScoredMemory>(query.offset + query.limit)
  let total = 0
  let last: Subject | undefined
  for (;;) {
    const subjects: Subject[] = await sliceAfter(session, within, query.now, last)
    for (const { user_id, key, created_at, access_count, last_accessed } of subjects) {
      const used = { createdAt: created_at, accessCount: access_count, lastAccessed: last_accessed }
      const { decayScore } = decayOf(used, query.settings, query.now)
      counts[decayStatus(decayScore)]++
      distribution.add(decayScore)
      lowest.add({ user_id, key, score: decayScore })
    }
    total += subjects.length
    last = subjects.at(-1)
    if (subjects.length < sliceSize) break
  }
  const page = lowest.sorted().slice(query.offset)
  return { total, ...counts, distribution: distribution.counts, memories: await described(session, page) }
}

/** By age, which is the order of the index per user and of the index over everyone. */
function sliceAfter(session: Session, within: Condition, now: number, last: Subject | undefined): Promise<Subject[]> {
  return session.all<Subject>(
    `SELECT m.user_id, m.key, m.id, m.created_at, m.access_count, m.last_accessed FROM memories m
     WHERE ${within.sql} AND m.superseded_at IS NULL AND ${notExpired}
       ${last ? 'AND (m.created_at, m.id) > (?, ?)' : ''}
     ORDER BY m.created_at, m.id LIMIT ?`,
    ...within.values,
    now,
    ...(last ? [last.created_at, last.id] : []),
    sliceSize,
  )
}

type Described = DecayReport['memories'][number]

async function described(session: Session, page: readonly ScoredMemory[]): Promise<Described[]> {
  const { dialect } = session
  const byMemory = new Map<string, Omit<Described, 'decayScore'>>()
  for (const user of new Set(page.map(({ user_id }) => user_id))) {
    const keys = page.flatMap(({ user_id, key }) => (user_id === user ? [key] : []))
    const rows = await session.all<Omit<Described, 'decayScore'> & { readonly key: number }>(
      `SELECT m.key, m.id, v.content, m.last_accessed AS "lastAccessed" FROM memories m
         JOIN versions v ON v.user_id = m.user_id AND v.row = m.current_row
       WHERE m.user_id = ? AND ${dialect.among('m.key', 'bigint')}`,
      user,
      keys,
    )
    for (const { key, ...memory } of rows) byMemory.set(`${key} ${user}`, memory)
  }
  return page.flatMap(({ user_id, key, score }) => {
    const memory = byMemory.get(`${key} ${user_id}`)
    return memory ? [{ ...memory, decayScore: score }] : []
  })
}
