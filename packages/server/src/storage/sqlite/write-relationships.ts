/** Relationships hold from one moment to another; what told of them is kept as their source. */
import { isSymmetric } from '../../core/entity.js'
import type { VersionDraft } from '../storage.js'
import type { Database } from './database.js'
import type { NewVersion } from './write-version.js'

/** Number of relationships that did not hold before. */
export function writeRelationships(
  db: Database,
  version: NewVersion,
  found: VersionDraft['relationships'],
  entityByKey: ReadonlyMap<string, number>,
): number {
  let created = 0
  for (const relationship of found) {
    const source = entityByKey.get(relationship.sourceKey)
    const target = entityByKey.get(relationship.targetKey)
    if (source === undefined || target === undefined) {
      throw new Error(`a ${relationship.type} relationship names an entity that its memory does not mention`)
    }
    if (writeRelationship(db, version, relationship, source, target)) created++
  }
  return created
}

function writeRelationship(
  db: Database,
  version: NewVersion,
  found: VersionDraft['relationships'][number],
  source: number,
  target: number,
): boolean {
  const endsAt = found.validTo ?? null
  const startsAt = Math.min(found.validFrom ?? version.validFrom, endsAt ?? Number.POSITIVE_INFINITY)
  const known = findHolding(db, found, source, target)
  if (found.ends) {
    // What began after it was told goes on.
    if (known && known.valid_from <= version.validFrom)
      db.run('UPDATE relationships SET valid_to = ? WHERE key = ?', endsAt ?? version.validFrom, known.key)
    return false
  }
  const key = known?.key ?? insertRelationship(db, found, source, target, startsAt)
  if (known && startsAt < known.valid_from) {
    db.run('UPDATE relationships SET valid_from = ? WHERE key = ?', startsAt, key)
  }
  if (known && endsAt !== null) db.run('UPDATE relationships SET valid_to = ? WHERE key = ?', endsAt, key)
  db.run(
    `INSERT INTO relationship_sources (relationship, version, properties) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET properties = json_patch(properties, excluded.properties)`,
    key,
    version.row,
    JSON.stringify(found.properties),
  )
  if (found.exclusive && endsAt === null) endOthers(db, version, found, { source, target, key, startsAt })
  return known === undefined
}

function findHolding(
  db: Database,
  found: VersionDraft['relationships'][number],
  source: number,
  target: number,
): { readonly key: number; readonly valid_from: number } | undefined {
  const find = (from: number, to: number) =>
    db.get<{ key: number; valid_from: number }>(
      'SELECT key, valid_from FROM relationships WHERE source = ? AND type = ? AND target = ? AND valid_to IS NULL',
      from,
      found.type,
      to,
    )
  return find(source, target) ?? (isSymmetric(found.type) ? find(target, source) : undefined)
}

/** One employer at a time; of what is the same both ways round, one for either. What began after it was told stays. */
function endOthers(
  db: Database,
  version: NewVersion,
  { type }: VersionDraft['relationships'][number],
  { source, target, key, startsAt }: { source: number; target: number; key: number; startsAt: number },
): void {
  for (const entity of isSymmetric(type) ? [source, target] : [source]) {
    for (const end of isSymmetric(type) ? ['source', 'target'] : ['source']) {
      db.run(
        `UPDATE relationships SET valid_to = CASE WHEN valid_from <= ? THEN ? ELSE ? END
         WHERE ${end} = ? AND type = ? AND key <> ? AND valid_to IS NULL AND valid_from <= ?`,
        startsAt,
        startsAt,
        version.validFrom,
        entity,
        type,
        key,
        version.validFrom,
      )
    }
  }
}

function insertRelationship(
  db: Database,
  found: VersionDraft['relationships'][number],
  source: number,
  target: number,
  startsAt: number,
): number {
  // Told late (an import of the past): an exclusive one held until the next that is already known began.
  const next = found.exclusive
    ? db.get<{ at: number | null }>(
        `SELECT min(valid_from) AS at FROM relationships
         WHERE source = ? AND type = ? AND valid_to IS NULL AND valid_from > ?`,
        source,
        found.type,
        startsAt,
      )
    : undefined
  return db.insert(
    'INSERT INTO relationships (id, source, target, type, valid_from, valid_to) VALUES (?, ?, ?, ?, ?, ?)',
    found.newId,
    source,
    target,
    found.type,
    startsAt,
    found.validTo ?? next?.at ?? null,
  )
}

export function carryRelationships(db: Database, from: number, to: number): void {
  db.run(
    `INSERT INTO relationship_sources (relationship, version, properties)
     SELECT relationship, ?, properties FROM relationship_sources WHERE version = ?`,
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
