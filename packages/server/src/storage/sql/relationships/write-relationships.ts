/**
 * Writes relationships. Each one holds from one time to another, and keeps the versions that stated it as its sources. A row is
 * one period between the two names that the text used; where it matters, merged names count as one.
 */
import { isSymmetric, type RelationshipType } from '../../../core/entity.js'
import { combined, type Link, type NewTelling, type Range, rangeOf, stored } from '../../domain/told-relationship.js'
import type { VersionDraft } from '../../ports/memory-writes.js'
import { type Group, groupsOf } from '../entities/entity-groups.js'
import { ownRows } from '../own-rows.js'
import { statement } from '../statement.js'
import type { UserData } from '../user-data.js'
import type { UserWrite } from '../user-write.js'
import { endRivals, nextRival } from './relationship-rivals.js'

type Found = VersionDraft['relationships'][number]

/** The version that states them. */
interface TellingVersion {
  readonly row: number
  readonly validFrom: number
}

/** A stored relationship with all names of its ends. */
interface NamedLink extends Link {
  readonly sources: readonly number[]
  readonly targets: readonly number[]
}

/** Returns how many relationships did not hold before. */
export async function writeRelationships(
  write: UserWrite,
  version: TellingVersion,
  found: readonly Found[],
  entityByKey: ReadonlyMap<string, number>,
): Promise<number> {
  if (found.length === 0) return 0
  const links = found.map((relationship) => linkOf(relationship, entityByKey))
  const groups = await groupsOf(write, [...new Set(links.flatMap(({ source, target }) => [source, target]))])
  const tellings = new Map<number, NewTelling>()
  let created = 0
  for (const [index, relationship] of found.entries()) {
    const link = links[index]
    if (!link) continue
    const named = namedLink(link, groups)
    if (relationship.ends) await endKnown(write, version, relationship, named)
    else if (await writeRelationship(write, version, relationship, named, tellings)) created++
  }
  await insertTellings(write, version, tellings)
  return created
}

function linkOf({ sourceKey, targetKey, type }: Found, entityByKey: ReadonlyMap<string, number>): Link {
  const source = entityByKey.get(sourceKey)
  const target = entityByKey.get(targetKey)
  if (source === undefined || target === undefined) {
    throw new Error(`a ${type} relationship names an entity that its memory does not mention`)
  }
  return { source, target, type }
}

function namedLink(link: Link, groups: ReadonlyMap<number, Group>): NamedLink {
  const arePersons = [link.source, link.target].every((entity) => groups.get(entity)?.type === 'PERSON')
  const { source, target, type } = stored(link, arePersons)
  return {
    source,
    target,
    type,
    sources: groups.get(source)?.members ?? [source],
    targets: groups.get(target)?.members ?? [target],
  }
}

/** Returns whether it did not hold before. */
async function writeRelationship(
  write: UserWrite,
  version: TellingVersion,
  found: Found,
  link: NamedLink,
  tellings: Map<number, NewTelling>,
): Promise<boolean> {
  const range = rangeOf(found, version.validFrom)
  const [known, holdsOtherwise, next] = await Promise.all([
    findStretch(write, link, range),
    holdsUnderOtherNames(write, link),
    range.exclusive ? nextRival(write, link, version.validFrom) : null,
  ])
  if (known === undefined) {
    // Stated late (an import of the past): an exclusive one held until the next known one began.
    const key = await insertRelationship(write, version, found.newId, link, range, range.endsAt ?? next)
    tellings.set(key, tellingOf(found, range))
  } else {
    await updateStretch(write, version, known, range)
    tellings.set(known, combined(tellings.get(known), tellingOf(found, range)))
  }
  if (range.exclusive) await endRivals(write, link, range.startsAt, version.validFrom)
  return known === undefined && !holdsOtherwise
}

function tellingOf({ properties, validFrom }: Found, { exclusive, endsAt }: Range): NewTelling {
  return { properties, exclusive, startsAt: validFrom ?? null, endsAt }
}

/** The period that a new statement belongs to: the open one, or, for a range with both ends, the one that it overlaps. */
async function findStretch(user: UserData, link: Link, range: Range): Promise<number | undefined> {
  const { source, target, type } = link
  const ofLink = 'user_id = @user AND source = ? AND type = ? AND target = ?'
  const row = range.isWhole
    ? await user.get<{ key: number }>(
        `SELECT key FROM relationships WHERE ${ofLink} AND valid_from <= ? AND (valid_to IS NULL OR valid_to >= ?)
         ORDER BY valid_to IS NULL DESC, key DESC LIMIT 1`,
        source,
        type,
        target,
        range.endsAt,
        range.startsAt,
      )
    : await user.get<{ key: number }>(
        `SELECT key FROM relationships WHERE ${ofLink} AND valid_to IS NULL ORDER BY key LIMIT 1`,
        source,
        type,
        target,
      )
  return row?.key
}

const holdsSql = statement(
  ({ among }) => `SELECT 1 FROM relationships WHERE user_id = @user AND ${among('source', 'bigint')} AND type = ?
    AND ${among('target', 'bigint')} AND valid_to IS NULL LIMIT 1`,
)

async function holdsUnderOtherNames(user: UserData, { type, sources, targets }: NamedLink): Promise<boolean> {
  if (sources.length + targets.length === 2) return false
  const [from, to] = oneOrEither(type, sources, targets)
  return (await user.get(holdsSql(user), from, type, to)) !== undefined
}

/** For a symmetric type, any name may be at either end. */
function oneOrEither(
  type: RelationshipType,
  sources: readonly number[],
  targets: readonly number[],
): [sources: readonly number[], targets: readonly number[]] {
  if (!isSymmetric(type)) return [sources, targets]
  const either = [...sources, ...targets]
  return [either, either]
}

async function insertRelationship(
  write: UserWrite,
  version: TellingVersion,
  id: string,
  link: Link,
  { startsAt, exclusive }: Range,
  endsAt: number | null,
): Promise<number> {
  const key = write.nextRow()
  await write.send(
    `INSERT INTO relationships (user_id, key, id, source, target, type, valid_from, valid_to, told_at, exclusive)
     VALUES (@user, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    key,
    id,
    link.source,
    link.target,
    link.type,
    startsAt,
    endsAt,
    version.validFrom,
    exclusive,
  )
  return key
}

async function updateStretch(user: UserData, version: TellingVersion, key: number, range: Range): Promise<void> {
  const { least } = user.dialect
  const ends = range.endsAt === null ? [] : [range.endsAt]
  await user.send(
    `UPDATE relationships SET valid_from = ${least}(valid_from, ?), told_at = ${least}(told_at, ?),
       exclusive = exclusive OR ?${ends.length > 0 ? ', valid_to = ?' : ''} WHERE user_id = @user AND key = ?`,
    range.startsAt,
    version.validFrom,
    range.exclusive,
    ...ends,
    key,
  )
}

/** "No longer": ends the known relationship, under any of its names. A period that began after this statement stays. */
async function endKnown(user: UserData, version: TellingVersion, found: Found, link: NamedLink): Promise<void> {
  const { among, greatest } = user.dialect
  const endsAt = found.validTo ?? version.validFrom
  const [sources, targets] = oneOrEither(link.type, link.sources, link.targets)
  const known = `user_id = @user AND ${among('source', 'bigint')} AND type = ? AND ${among('target', 'bigint')}
    AND (valid_to IS NULL OR valid_to > ?) AND valid_from <= ?`
  const values = [sources, link.type, targets, endsAt, version.validFrom]
  // The ends first: afterwards the condition no longer matches the ended rows.
  await user.send(
    `INSERT INTO relationship_ends (user_id, relationship, version, ends_at)
     SELECT user_id, key, CAST(? AS bigint), CAST(? AS bigint) FROM relationships WHERE ${known} ON CONFLICT DO NOTHING`,
    version.row,
    endsAt,
    ...values,
  )
  await user.send(`UPDATE relationships SET valid_to = ${greatest}(valid_from, ?) WHERE ${known}`, endsAt, ...values)
}

const insertTellingsSql = statement((dialect) => {
  const times = { starts_at: 'bigint', ends_at: 'bigint' } as const
  const columns = { relationship: 'bigint', properties: 'json', exclusive: 'boolean', ...times } as const
  return `INSERT INTO relationship_sources (user_id, relationship, version, properties, exclusive, starts_at, ends_at)
    SELECT own.user_id, w.relationship, CAST(? AS bigint), w.properties, w.exclusive, w.starts_at, w.ends_at
    FROM ${ownRows(dialect, 'w', columns)}`
})

async function insertTellings(
  user: UserData,
  version: TellingVersion,
  tellings: ReadonlyMap<number, NewTelling>,
): Promise<void> {
  if (tellings.size === 0) return
  await user.send(
    insertTellingsSql(user),
    version.row,
    JSON.stringify(
      [...tellings].map(([relationship, { properties, exclusive, startsAt, endsAt }]) => ({
        relationship,
        properties,
        exclusive,
        starts_at: startsAt,
        ends_at: endsAt,
      })),
    ),
  )
}

/** Copies the statements of version `from` to version `to`. */
export async function carryRelationships(user: UserData, from: number, to: number): Promise<void> {
  await user.send(
    `INSERT INTO relationship_sources (user_id, relationship, version, properties, exclusive, starts_at, ends_at)
     SELECT user_id, relationship, CAST(? AS bigint), properties, exclusive, starts_at, ends_at
     FROM relationship_sources WHERE user_id = @user AND version = ?`,
    to,
    from,
  )
  await user.send(
    `INSERT INTO relationship_ends (user_id, relationship, version, ends_at)
     SELECT user_id, relationship, CAST(? AS bigint), ends_at
     FROM relationship_ends WHERE user_id = @user AND version = ?`,
    to,
    from,
  )
}

export async function relationshipsToldBy(user: UserData, versions: readonly number[]): Promise<number[]> {
  const rows = await user.all<{ relationship: number }>(
    `SELECT DISTINCT relationship FROM relationship_sources
     WHERE user_id = @user AND ${user.dialect.among('version', 'bigint')} ORDER BY relationship`,
    versions,
  )
  return rows.map((row) => row.relationship)
}

/** Ends relationships that no valid version states any more, at the time when the last one ceased to be valid. */
export async function endUnsupported(user: UserData, relationships: readonly number[]): Promise<void> {
  if (relationships.length === 0) return
  const { among, greatest } = user.dialect
  const tellings = `FROM relationship_sources o JOIN versions v ON v.user_id = o.user_id AND v.row = o.version
       WHERE o.user_id = @user AND o.relationship = r.key`
  const lastTold = `coalesce((SELECT max(v.valid_to) ${tellings}), r.valid_from)`
  await user.send(
    `UPDATE relationships AS r SET valid_to = ${greatest}(r.valid_from, ${lastTold})
     WHERE r.user_id = @user AND ${among('r.key', 'bigint')} AND r.valid_to IS NULL
       AND NOT EXISTS (SELECT 1 ${tellings} AND v.valid_to IS NULL)`,
    relationships,
  )
}
