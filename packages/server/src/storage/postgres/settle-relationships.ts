/**
 * When relationships held, worked out anew from everything that told of them. A plain store needs less
 * (`write-relationships.ts`); this is for when something told is taken back, erased, or two names become one.
 */
import type { RelationshipType } from '../../core/entity.js'
import { rivalsOf } from './relationship-rivals.js'
import type { UserData } from './user-data.js'

/** Of everything that these memories told or ended, in any version. */
export async function settleRelationshipsOf(user: UserData, memories: readonly number[]): Promise<void> {
  const versions = await user.all<{ row: number }>(
    'SELECT row FROM versions WHERE user_id = @user AND memory = ANY (?::bigint[])',
    memories,
  )
  const rows = versions.map((version) => version.row)
  await settleRelationships(user, await relationshipsTouchedBy(user, rows))
}

export async function relationshipsTouchedBy(user: UserData, versions: readonly number[]): Promise<number[]> {
  const rows = await user.all<{ relationship: number }>(
    `SELECT relationship FROM relationship_sources WHERE user_id = @user AND version = ANY (?::bigint[])
     UNION SELECT relationship FROM relationship_ends WHERE user_id = @user AND version = ANY (?::bigint[])
     ORDER BY relationship`,
    versions,
    versions,
  )
  return rows.map((row) => row.relationship)
}

/** Those whose end depends on these versions: they ended it, told that it stands alone, or told what ended it. */
export async function relationshipsDecidedBy(user: UserData, versions: readonly number[]): Promise<number[]> {
  const rows = await user.all<{ relationship: number }>(
    `SELECT relationship FROM relationship_ends WHERE user_id = @user AND version = ANY (?::bigint[])
     UNION SELECT relationship FROM relationship_sources
     WHERE user_id = @user AND version = ANY (?::bigint[]) AND exclusive ORDER BY relationship`,
    versions,
    versions,
  )
  const decided = new Set(rows.map((row) => row.relationship))
  for (const { relationship } of rows) for (const key of await endedBy(user, relationship)) decided.add(key)
  return [...decided]
}

/** First what each is by itself, then where it ends because of others, and others because of it. */
export async function settleRelationships(user: UserData, relationships: Iterable<number>): Promise<void> {
  const ends = new Set<number>()
  for (const key of relationships) {
    for (const rival of await endedBy(user, key)) ends.add(rival)
    if (!(await refresh(user, key))) continue
    ends.add(key)
    for (const rival of await overlappedBy(user, key)) ends.add(rival)
  }
  for (const key of ends) await setEnd(user, key)
}

interface Stretch {
  readonly key: number
  readonly source: number
  readonly target: number
  readonly type: RelationshipType
  readonly valid_from: number
  readonly told_at: number
  readonly exclusive: boolean
}

function load(user: UserData, key: number): Promise<Stretch | undefined> {
  return user.get<Stretch>(
    `SELECT key, source, target, type, valid_from, told_at, exclusive FROM relationships
     WHERE user_id = @user AND key = ?`,
    key,
  )
}

/** Those that end where this one begins. */
async function endedBy(user: UserData, key: number): Promise<number[]> {
  const stretch = await load(user, key)
  if (!stretch?.exclusive) return []
  const rivals = await rivalsOf(user, stretch)
  return keysOf(
    await user.all(
      `SELECT key FROM relationships WHERE ${rivals.sql} AND valid_to IN (?, ?) ORDER BY key`,
      ...rivals.values,
      stretch.valid_from,
      stretch.told_at,
    ),
  )
}

/** Those told before that reach into this one. */
async function overlappedBy(user: UserData, key: number): Promise<number[]> {
  const stretch = await load(user, key)
  if (!stretch?.exclusive) return []
  const rivals = await rivalsOf(user, stretch)
  return keysOf(
    await user.all(
      `SELECT key FROM relationships WHERE ${rivals.sql} AND (valid_to IS NULL OR valid_to > ?) AND told_at <= ?
       ORDER BY key`,
      ...rivals.values,
      stretch.valid_from,
      stretch.told_at,
    ),
  )
}

function keysOf(rows: readonly { readonly key: number }[]): number[] {
  return rows.map((row) => row.key)
}

/** Where it says so itself: a version of a memory that a revert took back counts only where nothing else tells of it. */
const startTold = 'coalesce(s.starts_at, least(v.valid_from, coalesce(s.ends_at, v.valid_from)))'

/** What tells of a relationship: `s`, with its version `v` and its memory `m`. */
const tellings = `relationship_sources s JOIN versions v ON v.user_id = s.user_id AND v.row = s.version
  JOIN memories m ON m.user_id = v.user_id AND m.key = v.memory`

/** False: nothing tells of it any more. */
async function refresh(user: UserData, key: number): Promise<boolean> {
  const told = await user.get<{
    standing_from: number | null
    any_from: number
    told_at: number
    exclusive: boolean
  }>(
    `SELECT min(${startTold}) FILTER (WHERE NOT m.withdrawn) AS standing_from, min(${startTold}) AS any_from,
       coalesce(min(v.valid_from) FILTER (WHERE NOT m.withdrawn), min(v.valid_from)) AS told_at,
       bool_or(s.exclusive AND NOT m.withdrawn) AS exclusive
     FROM ${tellings} WHERE s.user_id = @user AND s.relationship = ? GROUP BY s.relationship`,
    key,
  )
  if (!told) return false
  await user.send(
    'UPDATE relationships SET valid_from = ?, told_at = ?, exclusive = ? WHERE user_id = @user AND key = ?',
    told.standing_from ?? told.any_from,
    told.told_at,
    told.exclusive,
    key,
  )
  return true
}

async function setEnd(user: UserData, key: number): Promise<void> {
  const stretch = await load(user, key)
  const told = stretch && (await endTold(user, key, stretch.valid_from))
  if (!told) return
  const cut = await cutOf(user, stretch)
  const ends = [told.to, told.ended_at, cut === null ? null : Math.max(cut, told.restored_to ?? cut)]
  const known = ends.filter((end) => end !== null)
  const to = known.length === 0 ? null : Math.max(stretch.valid_from, Math.min(...known))
  await user.send('UPDATE relationships SET valid_to = ? WHERE user_id = @user AND key = ?', to, key)
}

interface EndTold {
  /** As the latest telling says, else when the last one ceased to be valid; null: it goes on. */
  readonly to: number | null
  /** A text that counts says that it ended. */
  readonly ended_at: number | null
  /** When what told of it, replaced and put back before, was replaced once more: until then it was known to hold. */
  readonly restored_to: number | null
}

function endTold(user: UserData, key: number, from: number): Promise<EndTold | undefined> {
  return user.get<EndTold>(
    `SELECT coalesce(
         (SELECT l.ends_at FROM relationship_sources l JOIN versions lv ON lv.user_id = l.user_id AND lv.row = l.version
            JOIN memories lm ON lm.user_id = lv.user_id AND lm.key = lv.memory
          WHERE l.user_id = @user AND l.relationship = ? AND NOT lm.withdrawn
          ORDER BY lv.valid_from DESC, lv.row DESC LIMIT 1),
         CASE WHEN bool_or(v.valid_to IS NULL AND NOT m.withdrawn) THEN NULL ELSE max(v.valid_to) END) AS "to",
       (SELECT min(e.ends_at) FROM relationship_ends e JOIN versions ev ON ev.user_id = e.user_id AND ev.row = e.version
          JOIN memories em ON em.user_id = ev.user_id AND em.key = ev.memory
        WHERE e.user_id = @user AND e.relationship = ? AND NOT em.withdrawn AND e.ends_at >= ?) AS ended_at,
       max(v.valid_to) FILTER (WHERE EXISTS (SELECT 1 FROM versions p WHERE p.user_id = v.user_id
         AND p.memory = v.memory AND p.version = v.version - 1 AND p.valid_to < v.valid_from)) AS restored_to
     FROM ${tellings} WHERE s.user_id = @user AND s.relationship = ? GROUP BY s.relationship`,
    key,
    key,
    from,
    key,
  )
}

/**
 * Where the first that was told later and stands alone begins; if it is said to have begun before this one, when it was
 * told. Another stretch between the same two counts too.
 */
async function cutOf(user: UserData, stretch: Stretch): Promise<number | null> {
  const { key, source, target, type, valid_from: from, told_at: toldAt } = stretch
  const rivals = await rivalsOf(user, stretch)
  const later = 'exclusive AND (told_at, key) > (?, ?)'
  const begins = 'min(CASE WHEN valid_from >= ? THEN valid_from ELSE told_at END)'
  const row = await user.get<{ rival: number | null; again: number | null }>(
    `SELECT (SELECT ${begins} FROM relationships WHERE ${rivals.sql} AND ${later}) AS rival,
       (SELECT ${begins} FROM relationships
        WHERE user_id = @user AND source = ? AND type = ? AND target = ? AND ${later}) AS again`,
    from,
    ...rivals.values,
    toldAt,
    key,
    from,
    source,
    type,
    target,
    toldAt,
    key,
  )
  const cuts = [row?.rival ?? null, row?.again ?? null].filter((cut) => cut !== null)
  return cuts.length === 0 ? null : Math.min(...cuts)
}
