/**
 * Relationships hold from one moment to another; what told of them is kept as their source. A row is one stretch of
 * time, between the two names that the text used; names that were merged are one here where it matters.
 */
import { isSymmetric, type RelationshipType } from '../../core/entity.js'
import type { VersionDraft } from '../ports/storage.js'
import { groupOf } from './entity-groups.js'
import { rivalsAmong } from './relationship-rivals.js'
import type { UserData } from './user-data.js'
import type { Condition, UserWrite } from './user-rows.js'
import type { NewVersion } from './write-version.js'

type Found = VersionDraft['relationships'][number]

/** Oriented as it is stored. */
interface Link {
  readonly source: number
  readonly target: number
  readonly type: RelationshipType
}

/** Number of relationships that did not hold before. */
export async function writeRelationships(
  write: UserWrite,
  version: NewVersion,
  found: readonly Found[],
  entityByKey: ReadonlyMap<string, number>,
): Promise<number> {
  let created = 0
  for (const relationship of found) {
    const source = entityByKey.get(relationship.sourceKey)
    const target = entityByKey.get(relationship.targetKey)
    if (source === undefined || target === undefined) {
      throw new Error(`a ${relationship.type} relationship names an entity that its memory does not mention`)
    }
    const link = await stored(write, { source, target, type: relationship.type })
    if (relationship.ends) await endKnown(write, version, relationship, link)
    else if (await writeRelationship(write, version, relationship, link)) created++
  }
  return created
}

/** One direction for what can be said in two. */
async function stored(user: UserData, { source, target, type }: Link): Promise<Link> {
  if (isSymmetric(type) && source > target) return { source: target, target: source, type }
  if (type === 'MANAGES' && (await arePersons(user, [source, target]))) {
    return { source: target, target: source, type: 'REPORTS_TO' }
  }
  return { source, target, type }
}

async function arePersons(user: UserData, entities: readonly number[]): Promise<boolean> {
  const other = await user.get(
    `SELECT 1 FROM entities WHERE user_id = @user AND key = ANY (?::bigint[]) AND type <> 'PERSON'`,
    entities,
  )
  return other === undefined
}

async function writeRelationship(write: UserWrite, version: NewVersion, found: Found, link: Link): Promise<boolean> {
  const endsAt = found.validTo ?? null
  const startsAt = Math.min(found.validFrom ?? version.validFrom, endsAt ?? Number.POSITIVE_INFINITY)
  const exclusive = found.exclusive && endsAt === null
  // A range that was told whole may be another stretch of time than the one that is known.
  const range = found.validFrom !== undefined && endsAt !== null ? ([startsAt, endsAt] as const) : null
  const [known, sources, targets] = await Promise.all([
    findStretch(write, link, range),
    groupOf(write, link.source),
    groupOf(write, link.target),
  ])
  const heldBefore = known !== undefined || (await holds(write, link.type, sources, targets))
  const rivals = exclusive ? rivalsAmong(link.type, sources, targets) : null
  const key = known ?? (await insertRelationship(write, version, found, link, startsAt, rivals))
  if (known !== undefined) {
    await write.send(
      `UPDATE relationships SET valid_from = least(valid_from, ?), told_at = least(told_at, ?), exclusive = exclusive OR ?
       WHERE user_id = @user AND key = ?`,
      startsAt,
      version.validFrom,
      exclusive,
      key,
    )
    if (endsAt !== null) {
      await write.send(
        'UPDATE relationships SET valid_to = greatest(valid_from, ?) WHERE user_id = @user AND key = ?',
        endsAt,
        key,
      )
    }
  }
  await insertTelling(write, version, found, key, exclusive)
  if (rivals) await endRivals(write, version, rivals, startsAt)
  return !heldBefore
}

async function insertTelling(
  user: UserData,
  version: NewVersion,
  found: Found,
  relationship: number,
  exclusive: boolean,
): Promise<void> {
  await user.send(
    `INSERT INTO relationship_sources AS s (user_id, relationship, version, properties, exclusive, starts_at, ends_at)
     VALUES (@user, ?, ?, ?::text::jsonb, ?, ?, ?)
     ON CONFLICT (user_id, relationship, version) DO UPDATE SET properties = s.properties || excluded.properties,
       exclusive = s.exclusive OR excluded.exclusive, starts_at = coalesce(excluded.starts_at, s.starts_at),
       ends_at = coalesce(excluded.ends_at, s.ends_at)`,
    relationship,
    version.row,
    JSON.stringify(found.properties),
    exclusive,
    found.validFrom ?? null,
    found.validTo ?? null,
  )
}

/** The stretch that a new telling belongs to: the one that goes on, or for a told range the one that it overlaps. */
async function findStretch(
  user: UserData,
  { source, target, type }: Link,
  range: readonly [number, number] | null,
): Promise<number | undefined> {
  const row = range
    ? await user.get<{ key: number }>(
        `SELECT key FROM relationships WHERE user_id = @user AND source = ? AND type = ? AND target = ? AND valid_from <= ?
           AND (valid_to IS NULL OR valid_to >= ?) ORDER BY valid_to IS NULL DESC, key DESC LIMIT 1`,
        source,
        type,
        target,
        range[1],
        range[0],
      )
    : await user.get<{ key: number }>(
        `SELECT key FROM relationships
         WHERE user_id = @user AND source = ? AND type = ? AND target = ? AND valid_to IS NULL ORDER BY key LIMIT 1`,
        source,
        type,
        target,
      )
  return row?.key
}

/** Also under another name of either entity. */
async function holds(
  user: UserData,
  type: RelationshipType,
  sources: readonly number[],
  targets: readonly number[],
): Promise<boolean> {
  if (sources.length + targets.length === 2) return false
  const both = [...sources, ...targets]
  const [from, to] = isSymmetric(type) ? [both, both] : [sources, targets]
  const found = await user.get(
    `SELECT 1 FROM relationships WHERE user_id = @user AND source = ANY (?::bigint[]) AND type = ?
       AND target = ANY (?::bigint[]) AND valid_to IS NULL`,
    from,
    type,
    to,
  )
  return found !== undefined
}

/** One has one employer at a time. What is told later counts, and what began later than it was told stays. */
async function endRivals(user: UserData, version: NewVersion, rivals: Condition, startsAt: number): Promise<void> {
  await user.send(
    `UPDATE relationships SET valid_to = CASE WHEN valid_from <= ? THEN ?::bigint ELSE ?::bigint END
     WHERE ${rivals.sql} AND valid_to IS NULL AND valid_from <= ?`,
    startsAt,
    startsAt,
    version.validFrom,
    ...rivals.values,
    version.validFrom,
  )
}

async function insertRelationship(
  write: UserWrite,
  version: NewVersion,
  found: Found,
  link: Link,
  startsAt: number,
  rivals: Condition | null,
): Promise<number> {
  // Told late (an import of the past): an exclusive one held until the next that is already known began.
  const next = rivals ? await nextRival(write, rivals, version.validFrom) : null
  const key = write.nextRow()
  await write.send(
    `INSERT INTO relationships (user_id, key, id, source, target, type, valid_from, valid_to, told_at, exclusive)
     VALUES (@user, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    key,
    found.newId,
    link.source,
    link.target,
    link.type,
    startsAt,
    found.validTo ?? next,
    version.validFrom,
    rivals !== null,
  )
  return key
}

async function nextRival(user: UserData, rivals: Condition, after: number): Promise<number | null> {
  const next = await user.get<{ at: number | null }>(
    `SELECT min(valid_from) AS at FROM relationships WHERE ${rivals.sql} AND valid_to IS NULL AND valid_from > ?`,
    ...rivals.values,
    after,
  )
  return next?.at ?? null
}

/** "No longer": what is known ends, under whatever name of the two. What began after it was told goes on. */
async function endKnown(user: UserData, version: NewVersion, found: Found, link: Link): Promise<void> {
  const { source, target, type } = link
  const endsAt = found.validTo ?? version.validFrom
  const [sources, targets] = await Promise.all([groupOf(user, source), groupOf(user, target)])
  const either = isSymmetric(type) ? [...sources, ...targets] : null
  await user.send(
    `WITH ended AS (
       UPDATE relationships SET valid_to = greatest(valid_from, ?)
       WHERE user_id = @user AND source = ANY (?::bigint[]) AND type = ? AND target = ANY (?::bigint[])
         AND (valid_to IS NULL OR valid_to > ?) AND valid_from <= ? RETURNING key
     ) INSERT INTO relationship_ends (user_id, relationship, version, ends_at)
     SELECT @user, key, ?::bigint, ?::bigint FROM ended ON CONFLICT DO NOTHING`,
    endsAt,
    either ?? sources,
    type,
    either ?? targets,
    endsAt,
    version.validFrom,
    version.row,
    endsAt,
  )
}

export async function carryRelationships(user: UserData, from: number, to: number): Promise<void> {
  await user.send(
    `INSERT INTO relationship_sources (user_id, relationship, version, properties, exclusive, starts_at, ends_at)
     SELECT user_id, relationship, ?::bigint, properties, exclusive, starts_at, ends_at
     FROM relationship_sources WHERE user_id = @user AND version = ?`,
    to,
    from,
  )
  await user.send(
    `INSERT INTO relationship_ends (user_id, relationship, version, ends_at)
     SELECT user_id, relationship, ?::bigint, ends_at FROM relationship_ends WHERE user_id = @user AND version = ?`,
    to,
    from,
  )
}

export async function relationshipsToldBy(user: UserData, versions: readonly number[]): Promise<number[]> {
  const rows = await user.all<{ relationship: number }>(
    `SELECT DISTINCT relationship FROM relationship_sources
     WHERE user_id = @user AND version = ANY (?::bigint[]) ORDER BY relationship`,
    versions,
  )
  return rows.map((row) => row.relationship)
}

/** Ends those that no valid version tells of any more, at the moment the last one ceased to be valid. */
export async function endUnsupported(user: UserData, relationships: readonly number[]): Promise<void> {
  if (relationships.length === 0) return
  const tellings = `FROM relationship_sources s JOIN versions v ON v.user_id = s.user_id AND v.row = s.version
       WHERE s.user_id = @user AND s.relationship = r.key`
  await user.send(
    `UPDATE relationships AS r SET valid_to = greatest(r.valid_from, (SELECT max(v.valid_to) ${tellings}))
     WHERE r.user_id = @user AND r.key = ANY (?::bigint[]) AND r.valid_to IS NULL
       AND NOT EXISTS (SELECT 1 ${tellings} AND v.valid_to IS NULL)`,
    relationships,
  )
}
