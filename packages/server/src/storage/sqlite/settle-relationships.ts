/**
 * When relationships held, worked out anew from everything that told of them. A plain store needs less
 * (`write-relationships.ts`); this is for when something told is taken back, erased, or two names become one.
 */
import type { RelationshipType } from '../../core/entity.js'
import type { Database } from './database.js'
import { rivalsOf } from './relationship-rivals.js'

/** Of everything that these memories told or ended, in any version. */
export function settleRelationshipsOf(db: Database, memories: readonly number[]): void {
  const versions = db.all<{ row: number }>(
    'SELECT row FROM versions WHERE memory IN (SELECT value FROM json_each(?))',
    JSON.stringify(memories),
  )
  const rows = versions.map((version) => version.row)
  settleRelationships(db, relationshipsTouchedBy(db, rows))
}

export function relationshipsTouchedBy(db: Database, versions: readonly number[]): number[] {
  const rows = db.all<{ relationship: number }>(
    `SELECT relationship FROM relationship_sources WHERE version IN (SELECT value FROM json_each(?))
     UNION SELECT relationship FROM relationship_ends WHERE version IN (SELECT value FROM json_each(?))`,
    JSON.stringify(versions),
    JSON.stringify(versions),
  )
  return rows.map((row) => row.relationship)
}

/** Those whose end depends on these versions: they ended it, told that it stands alone, or told what ended it. */
export function relationshipsDecidedBy(db: Database, versions: readonly number[]): number[] {
  const rows = db.all<{ relationship: number }>(
    `SELECT relationship FROM relationship_ends WHERE version IN (SELECT value FROM json_each(?))
     UNION SELECT relationship FROM relationship_sources
     WHERE version IN (SELECT value FROM json_each(?)) AND exclusive = 1`,
    JSON.stringify(versions),
    JSON.stringify(versions),
  )
  const decided = new Set(rows.map((row) => row.relationship))
  for (const { relationship } of rows) for (const key of endedBy(db, relationship)) decided.add(key)
  return [...decided]
}

/** First what each is by itself, then where it ends because of others, and others because of it. */
export function settleRelationships(db: Database, relationships: Iterable<number>): void {
  const ends = new Set<number>()
  for (const key of relationships) {
    for (const rival of endedBy(db, key)) ends.add(rival)
    if (!refresh(db, key)) continue
    ends.add(key)
    for (const rival of overlappedBy(db, key)) ends.add(rival)
  }
  for (const key of ends) setEnd(db, key)
}

interface Stretch {
  readonly key: number
  readonly source: number
  readonly target: number
  readonly type: RelationshipType
  readonly valid_from: number
  readonly told_at: number
  readonly exclusive: number
}

function load(db: Database, key: number): Stretch | undefined {
  return db.get<Stretch>(
    'SELECT key, source, target, type, valid_from, told_at, exclusive FROM relationships WHERE key = ?',
    key,
  )
}

/** Those that end where this one begins. */
function endedBy(db: Database, key: number): number[] {
  const stretch = load(db, key)
  if (!stretch?.exclusive) return []
  const rivals = rivalsOf(db, stretch)
  return keysOf(
    db.all(
      `SELECT key FROM relationships WHERE ${rivals.sql} AND valid_to IN (?, ?)`,
      ...rivals.values,
      stretch.valid_from,
      stretch.told_at,
    ),
  )
}

/** Those told before that reach into this one. */
function overlappedBy(db: Database, key: number): number[] {
  const stretch = load(db, key)
  if (!stretch?.exclusive) return []
  const rivals = rivalsOf(db, stretch)
  return keysOf(
    db.all(
      `SELECT key FROM relationships WHERE ${rivals.sql} AND (valid_to IS NULL OR valid_to > ?) AND told_at <= ?`,
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
const startTold = 'ifnull(s.starts_at, min(v.valid_from, ifnull(s.ends_at, v.valid_from)))'

/** False: nothing tells of it any more. */
function refresh(db: Database, key: number): boolean {
  const told = db.get<{ standing_from: number | null; any_from: number; told_at: number; exclusive: number }>(
    `SELECT min(${startTold}) FILTER (WHERE m.withdrawn = 0) AS standing_from, min(${startTold}) AS any_from,
       ifnull(min(v.valid_from) FILTER (WHERE m.withdrawn = 0), min(v.valid_from)) AS told_at,
       max(s.exclusive AND m.withdrawn = 0) AS exclusive
     FROM relationship_sources s JOIN versions v ON v.row = s.version JOIN memories m ON m.key = v.memory
     WHERE s.relationship = ? GROUP BY s.relationship`,
    key,
  )
  if (!told) return false
  db.run(
    'UPDATE relationships SET valid_from = ?, told_at = ?, exclusive = ? WHERE key = ?',
    told.standing_from ?? told.any_from,
    told.told_at,
    told.exclusive,
    key,
  )
  return true
}

function setEnd(db: Database, key: number): void {
  const stretch = load(db, key)
  const told = stretch && endTold(db, key, stretch.valid_from)
  if (!told) return
  const cut = cutOf(db, stretch)
  const ends = [told.to, told.ended_at, cut === null ? null : Math.max(cut, told.restored_to ?? cut)]
  const known = ends.filter((end) => end !== null)
  const to = known.length === 0 ? null : Math.max(stretch.valid_from, Math.min(...known))
  db.run('UPDATE relationships SET valid_to = ? WHERE key = ?', to, key)
}

interface EndTold {
  /** As the latest telling says, else when the last one ceased to be valid; null: it goes on. */
  readonly to: number | null
  /** A text that counts says that it ended. */
  readonly ended_at: number | null
  /** When what told of it, replaced and put back before, was replaced once more: until then it was known to hold. */
  readonly restored_to: number | null
}

function endTold(db: Database, key: number, from: number): EndTold | undefined {
  return db.get<EndTold>(
    `SELECT ifnull(
         (SELECT l.ends_at FROM relationship_sources l JOIN versions lv ON lv.row = l.version
            JOIN memories lm ON lm.key = lv.memory
          WHERE l.relationship = ? AND lm.withdrawn = 0 ORDER BY lv.valid_from DESC, lv.row DESC LIMIT 1),
         CASE WHEN max(v.valid_to IS NULL AND m.withdrawn = 0) THEN NULL ELSE max(v.valid_to) END) AS "to",
       (SELECT min(e.ends_at) FROM relationship_ends e JOIN versions ev ON ev.row = e.version
          JOIN memories em ON em.key = ev.memory
        WHERE e.relationship = ? AND em.withdrawn = 0 AND e.ends_at >= ?) AS ended_at,
       max(v.valid_to) FILTER (WHERE EXISTS (SELECT 1 FROM versions p
         WHERE p.memory = v.memory AND p.version = v.version - 1 AND p.valid_to < v.valid_from)) AS restored_to
     FROM relationship_sources s JOIN versions v ON v.row = s.version JOIN memories m ON m.key = v.memory
     WHERE s.relationship = ? GROUP BY s.relationship`,
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
function cutOf(db: Database, stretch: Stretch): number | null {
  const { key, source, target, type, valid_from: from, told_at: toldAt } = stretch
  const rivals = rivalsOf(db, stretch)
  const later = 'exclusive = 1 AND (told_at, key) > (?, ?)'
  const begins = 'min(CASE WHEN valid_from >= ? THEN valid_from ELSE told_at END)'
  const row = db.get<{ rival: number | null; again: number | null }>(
    `SELECT (SELECT ${begins} FROM relationships WHERE ${rivals.sql} AND ${later}) AS rival,
       (SELECT ${begins} FROM relationships WHERE source = ? AND type = ? AND target = ? AND ${later}) AS again`,
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
