import type { Topic } from '../../../core/fact.js'
import type { NobodyScope, UserScope } from '../../../core/scope.js'
import { isStorable } from '../../domain/storable-text.js'
import type { FactQuery, KnownFact, UnreadContent } from '../../ports/facts.js'
import { type OutdatedColumn, outdatedOf } from '../columns.js'
import { heldAt, versionNotExpired } from '../memories/as-of.js'
import type { Session, Value } from '../session.js'
import { dataOf, notExpired } from '../user-data.js'

interface FactRow {
  readonly id: string
  readonly created_at: number
  readonly start: number
  readonly stop: number
  readonly subject: string | null
  readonly about: string
  readonly value: string
  readonly topic: string
  readonly confidence: number
  /** The outdated parts of the version, as JSON. */
  readonly outdated: OutdatedColumn
}

interface Selection {
  readonly from: string
  readonly where: string
  readonly values: readonly Value[]
}

export async function bestFacts(
  session: Session,
  scope: UserScope | NobodyScope,
  query: FactQuery,
): Promise<KnownFact[]> {
  if (scope.kind === 'nobody' || (scope.project !== undefined && !isStorable(scope.project))) return []
  const user = await dataOf(session, scope.userId)
  if (!user) return []
  const { from, where, values } = query.asOf === undefined ? current(query.now) : past(query.asOf)
  const topic = query.topics === undefined ? '' : `AND ${user.dialect.among('f.topic', 'text')}`
  const rows = await user.all<FactRow>(
    `SELECT m.id, m.created_at, f.start, f.stop, f.subject, f.about, f.value, f.topic, f.confidence,
       ${user.dialect.jsonText('v.outdated')} AS outdated
     FROM ${from}
     WHERE f.user_id = @user AND ${where} AND f.confidence >= ? AND NOT v.flagged AND v.trust_score >= ?
       ${scope.project === undefined ? '' : 'AND v.project = ?'} ${topic}
     ORDER BY f.confidence DESC, f.version DESC, f.number LIMIT ?`,
    ...values,
    query.leastConfidence,
    query.leastTrust,
    ...(scope.project === undefined ? [] : [scope.project]),
    ...(query.topics === undefined ? [] : [query.topics]),
    query.limit,
  )
  // `writeFacts` wrote the topic from the list of topics.
  return rows.flatMap(({ id, created_at, topic, outdated, ...fact }) =>
    isOutdated(fact, outdated) ? [] : [{ ...fact, topic: topic as Topic, memoryId: id, createdAt: created_at }],
  )
}

/** Its words, or some of them, no longer hold. */
function isOutdated({ start, stop }: Pick<FactRow, 'start' | 'stop'>, outdated: OutdatedColumn): boolean {
  return outdatedOf(outdated).some((part) => start < part.end && stop > part.start)
}

/** A fact that a newer memory contradicts is not shown, even while nobody has decided between the two. */
const uncontested = `NOT EXISTS (SELECT 1 FROM contradictions c
  WHERE c.user_id = f.user_id AND c.old_memory = f.memory AND c.status = 'open'
    AND (c.part_start IS NULL OR (f.start < c.part_end AND f.stop > c.part_start)))`

function current(now: number): Selection {
  return {
    from: `facts f JOIN memories m ON m.user_id = f.user_id AND m.key = f.memory
       JOIN versions v ON v.user_id = m.user_id AND v.row = m.current_row`,
    where: `f.current AND m.superseded_at IS NULL AND ${notExpired} AND ${uncontested}`,
    values: [now],
  }
}

/** The facts of the content that a memory had at that time. This reads all of the user's versions: no index covers past states. */
function past(asOf: number): Selection {
  const held = heldAt(asOf)
  return {
    from: `versions v JOIN facts f ON f.user_id = v.user_id AND f.memory = v.memory
       JOIN versions first ON first.user_id = f.user_id AND first.row = f.version AND first.checksum = v.checksum
       JOIN memories m ON m.user_id = v.user_id AND m.key = v.memory`,
    where: `v.user_id = @user AND ${held.sql} AND ${versionNotExpired}`,
    values: [...held.values, asOf],
  }
}

export async function unreadContents(
  session: Session,
  { userId }: UserScope,
  modelId: string,
  after: number,
  limit: number,
): Promise<UnreadContent[] | null> {
  const user = await dataOf(session, userId)
  const row = await user?.get<{ facts_model: string | null }>('SELECT facts_model FROM users WHERE user_id = @user')
  if (!user || !row || row.facts_model === modelId) return null
  const versions = await user.all<{ row: number; content: string }>(
    `SELECT v.row, v.content FROM versions v WHERE v.user_id = @user AND v.row > ? AND NOT EXISTS (
       SELECT 1 FROM versions earlier WHERE earlier.user_id = @user AND earlier.memory = v.memory
         AND earlier.version < v.version AND earlier.checksum = v.checksum)
     ORDER BY v.row LIMIT ?`,
    after,
    limit,
  )
  const slots = await user.all<{ version: number; slot: string; value: string }>(
    `SELECT version, slot, value FROM slots WHERE user_id = @user AND ${user.dialect.among('version', 'bigint')}`,
    versions.map((version) => version.row),
  )
  return versions.map(({ row, content }) => ({
    row,
    content,
    slots: slots.flatMap(({ version, slot, value }) => (version === row ? [{ slot, value }] : [])),
  }))
}
