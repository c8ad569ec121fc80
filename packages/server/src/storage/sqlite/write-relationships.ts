/**
 * Relationships hold from one moment to another; what told of them is kept as their source. A row is one stretch of
 * time, between the two names that the text used; names that were merged are one here where it matters.
 */
import { isSymmetric, type RelationshipType } from '../../core/entity.js'
import type { VersionDraft } from '../ports/storage.js'
import type { Database } from './database.js'
import { groupOf } from './entity-groups.js'
import { rivalsOf } from './relationship-rivals.js'
import type { NewVersion } from './write-version.js'

type Found = VersionDraft['relationships'][number]

/** Oriented as it is stored. */
interface Link {
  readonly source: number
  readonly target: number
  readonly type: RelationshipType
}

/** Number of relationships that did not hold before. */
export function writeRelationships(
  db: Database,
  version: NewVersion,
  found: readonly Found[],
  entityByKey: ReadonlyMap<string, number>,
): number {
  let created = 0
  for (const relationship of found) {
    const source = entityByKey.get(relationship.sourceKey)
    const target = entityByKey.get(relationship.targetKey)
    if (source === undefined || target === undefined) {
      throw new Error(`a ${relationship.type} relationship names an entity that its memory does not mention`)
    }
    const link = stored(db, { source, target, type: relationship.type })
    if (relationship.ends) endKnown(db, version, relationship, link)
    else if (writeRelationship(db, version, relationship, link)) created++
  }
  return created
}

/** One direction for what can be said in two. */
function stored(db: Database, { source, target, type }: Link): Link {
  if (isSymmetric(type) && source > target) return { source: target, target: source, type }
  if (type === 'MANAGES' && isPerson(db, source) && isPerson(db, target)) {
    return { source: target, target: source, type: 'REPORTS_TO' }
  }
  return { source, target, type }
}

function isPerson(db: Database, entity: number): boolean {
  return db.get(`SELECT 1 FROM entities WHERE key = ? AND type = 'PERSON'`, entity) !== undefined
}

function writeRelationship(db: Database, version: NewVersion, found: Found, link: Link): boolean {
  const endsAt = found.validTo ?? null
  const startsAt = Math.min(found.validFrom ?? version.validFrom, endsAt ?? Number.POSITIVE_INFINITY)
  const exclusive = found.exclusive && endsAt === null
  // A range that was told whole may be another stretch of time than the one that is known.
  const known = findStretch(db, link, found.validFrom !== undefined && endsAt !== null ? [startsAt, endsAt] : null)
  const heldBefore = known !== undefined || holds(db, link)
  const key = known ?? insertRelationship(db, version, found, link, startsAt, exclusive)
  if (known !== undefined) {
    db.run(
      `UPDATE relationships SET valid_from = min(valid_from, ?), told_at = min(told_at, ?), exclusive = max(exclusive, ?)
       WHERE key = ?`,
      startsAt,
      version.validFrom,
      exclusive ? 1 : 0,
      key,
    )
    if (endsAt !== null) db.run('UPDATE relationships SET valid_to = max(valid_from, ?) WHERE key = ?', endsAt, key)
  }
  db.run(
    `INSERT INTO relationship_sources (relationship, version, properties, exclusive, starts_at, ends_at)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET properties = json_patch(properties, excluded.properties),
       exclusive = max(exclusive, excluded.exclusive), starts_at = ifnull(excluded.starts_at, starts_at),
       ends_at = ifnull(excluded.ends_at, ends_at)`,
    key,
    version.row,
    JSON.stringify(found.properties),
    exclusive ? 1 : 0,
    found.validFrom ?? null,
    endsAt,
  )
  if (exclusive) endRivals(db, version, link, startsAt)
  return !heldBefore
}

/** The stretch that a new telling belongs to: the one that goes on, or for a told range the one that it overlaps. */
function findStretch(db: Database, { source, target, type }: Link, range: readonly [number, number] | null) {
  const row = range
    ? db.get<{ key: number }>(
        `SELECT key FROM relationships WHERE source = ? AND type = ? AND target = ? AND valid_from <= ?
           AND ifnull(valid_to, 9e15) >= ? ORDER BY valid_to IS NULL DESC, key DESC LIMIT 1`,
        source,
        type,
        target,
        range[1],
        range[0],
      )
    : db.get<{ key: number }>(
        'SELECT key FROM relationships WHERE source = ? AND type = ? AND target = ? AND valid_to IS NULL',
        source,
        type,
        target,
      )
  return row?.key
}

/** Also under another name of either entity. */
function holds(db: Database, { source, target, type }: Link): boolean {
  const sources = groupOf(db, source)
  const targets = groupOf(db, target)
  if (sources.length + targets.length === 2) return false
  const [from, to] = isSymmetric(type)
    ? [
        [...sources, ...targets],
        [...sources, ...targets],
      ]
    : [sources, targets]
  return (
    db.get(
      `SELECT 1 FROM relationships WHERE source IN (SELECT value FROM json_each(?)) AND type = ?
         AND target IN (SELECT value FROM json_each(?)) AND valid_to IS NULL`,
      JSON.stringify(from),
      type,
      JSON.stringify(to),
    ) !== undefined
  )
}

/** One has one employer at a time. What is told later counts, and what began later than it was told stays. */
function endRivals(db: Database, version: NewVersion, link: Link, startsAt: number): void {
  const rivals = rivalsOf(db, link)
  db.run(
    `UPDATE relationships SET valid_to = CASE WHEN valid_from <= ? THEN ? ELSE ? END
     WHERE ${rivals.sql} AND valid_to IS NULL AND valid_from <= ?`,
    startsAt,
    startsAt,
    version.validFrom,
    ...rivals.values,
    version.validFrom,
  )
}

function insertRelationship(
  db: Database,
  version: NewVersion,
  found: Found,
  link: Link,
  startsAt: number,
  exclusive: boolean,
): number {
  // Told late (an import of the past): an exclusive one held until the next that is already known began.
  const next = exclusive ? nextRival(db, link, version.validFrom) : null
  return db.insert(
    `INSERT INTO relationships (id, source, target, type, valid_from, valid_to, told_at, exclusive)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    found.newId,
    link.source,
    link.target,
    link.type,
    startsAt,
    found.validTo ?? next,
    version.validFrom,
    exclusive ? 1 : 0,
  )
}

function nextRival(db: Database, link: Link, after: number): number | null {
  const rivals = rivalsOf(db, link)
  const next = db.get<{ at: number | null }>(
    `SELECT min(valid_from) AS at FROM relationships WHERE ${rivals.sql} AND valid_to IS NULL AND valid_from > ?`,
    ...rivals.values,
    after,
  )
  return next?.at ?? null
}

/** "No longer": what is known ends, under whatever name of the two. What began after it was told goes on. */
function endKnown(db: Database, version: NewVersion, found: Found, { source, target, type }: Link): void {
  const endsAt = found.validTo ?? version.validFrom
  const sources = groupOf(db, source)
  const targets = groupOf(db, target)
  const either = isSymmetric(type) ? [...sources, ...targets] : null
  const rows = db.all<{ key: number }>(
    `SELECT key FROM relationships WHERE source IN (SELECT value FROM json_each(?)) AND type = ?
       AND target IN (SELECT value FROM json_each(?)) AND (valid_to IS NULL OR valid_to > ?) AND valid_from <= ?`,
    JSON.stringify(either ?? sources),
    type,
    JSON.stringify(either ?? targets),
    endsAt,
    version.validFrom,
  )
  for (const { key } of rows) {
    db.run('UPDATE relationships SET valid_to = max(valid_from, ?) WHERE key = ?', endsAt, key)
    db.run(
      'INSERT INTO relationship_ends (relationship, version, ends_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      key,
      version.row,
      endsAt,
    )
  }
}

export function carryRelationships(db: Database, from: number, to: number): void {
  db.run(
    `INSERT INTO relationship_sources (relationship, version, properties, exclusive, starts_at, ends_at)
     SELECT relationship, ?, properties, exclusive, starts_at, ends_at FROM relationship_sources WHERE version = ?`,
    to,
    from,
  )
  db.run(
    `INSERT INTO relationship_ends (relationship, version, ends_at)
     SELECT relationship, ?, ends_at FROM relationship_ends WHERE version = ?`,
    to,
    from,
  )
}

export function relationshipsToldBy(db: Database, versions: readonly number[]): number[] {
  return db
    .all<{ relationship: number }>(
      `SELECT DISTINCT relationship FROM relationship_sources
       WHERE version IN (SELECT value FROM json_each(?))`,
      JSON.stringify(versions),
    )
    .map((row) => row.relationship)
}

/** Ends those that no valid version tells of any more, at the moment the last one ceased to be valid. */
export function endUnsupported(db: Database, relationships: readonly number[]): void {
  db.run(
    `UPDATE relationships AS r SET valid_to = max(r.valid_from, (
       SELECT max(v.valid_to) FROM relationship_sources s JOIN versions v ON v.row = s.version
       WHERE s.relationship = r.key))
     WHERE r.key IN (SELECT value FROM json_each(?)) AND r.valid_to IS NULL AND NOT EXISTS (
       SELECT 1 FROM relationship_sources s JOIN versions v ON v.row = s.version
       WHERE s.relationship = r.key AND v.valid_to IS NULL)`,
    JSON.stringify(relationships),
  )
}
