/** Loads relationships and the statements about them, as input for `domain/settle.ts`. */
import { isSymmetric, type RelationshipType } from '../../../core/entity.js'
import type { Stretch, Telling, Told } from '../../domain/settle.js'
import type { FlagColumn } from '../columns.js'
import { namesOfRoots, rootOf } from '../entities/entity-groups.js'
import type { UserData } from '../user-data.js'

type StretchRow = Omit<Stretch, 'exclusive'> & { readonly exclusive: FlagColumn }

/** CROSS JOIN makes SQLite start with the relationships. */
const selected = `SELECT r.key, r.source, r.target, ${rootOf('s')} AS "sourceRoot", ${rootOf('t')} AS "targetRoot", r.type,
    r.valid_from AS "validFrom", r.valid_to AS "validTo", r.told_at AS "toldAt", r.exclusive
  FROM relationships r CROSS JOIN entities s CROSS JOIN entities t
  WHERE r.user_id = @user AND s.user_id = @user AND s.key = r.source AND t.user_id = @user AND t.key = r.target`

function stretchOf(row: StretchRow): Stretch {
  return { ...row, exclusive: Boolean(row.exclusive) }
}

export async function loadStretches(user: UserData, keys: readonly number[]): Promise<Stretch[]> {
  if (keys.length === 0) return []
  const rows = await user.all<StretchRow>(
    `${selected} AND ${user.dialect.among('r.key', 'bigint')} ORDER BY r.key`,
    keys,
  )
  return rows.map(stretchOf)
}

/** All statements about each relationship, with an entry for every key. */
export async function loadTold(user: UserData, keys: readonly number[]): Promise<Map<number, Told>> {
  const told = new Map(keys.map((key) => [key, { tellings: [] as Telling[], endings: [] as number[] }]))
  if (keys.length === 0) return told
  const [tellings, endings] = await Promise.all([loadTellings(user, keys), loadEndings(user, keys)])
  for (const { relationship, ...telling } of tellings) told.get(relationship)?.tellings.push(telling)
  for (const { relationship, endsAt } of endings) told.get(relationship)?.endings.push(endsAt)
  return told
}

type OfRelationship<T> = T & { readonly relationship: number }

async function loadTellings(user: UserData, keys: readonly number[]): Promise<OfRelationship<Telling>[]> {
  type Row = OfRelationship<
    Omit<Telling, 'exclusive' | 'withdrawn' | 'restored'> & {
      readonly exclusive: FlagColumn
      readonly withdrawn: FlagColumn
      readonly restored: FlagColumn
    }
  >
  const rows = await user.all<Row>(
    `SELECT o.relationship, o.version, o.starts_at AS "startsAt", o.ends_at AS "endsAt", o.exclusive,
       v.valid_from AS "validFrom", v.valid_to AS "validTo", m.withdrawn,
       EXISTS (SELECT 1 FROM versions p WHERE p.user_id = @user AND p.memory = v.memory AND p.version = v.version - 1
         AND p.valid_to < v.valid_from) AS restored
     FROM relationship_sources o CROSS JOIN versions v CROSS JOIN memories m
     WHERE o.user_id = @user AND ${user.dialect.among('o.relationship', 'bigint')} AND v.user_id = @user
       AND v.row = o.version AND m.user_id = @user AND m.key = v.memory
     ORDER BY o.relationship, o.version`,
    keys,
  )
  return rows.map((row) => ({
    ...row,
    exclusive: Boolean(row.exclusive),
    withdrawn: Boolean(row.withdrawn),
    restored: Boolean(row.restored),
  }))
}

function loadEndings(user: UserData, keys: readonly number[]): Promise<OfRelationship<{ readonly endsAt: number }>[]> {
  return user.all(
    `SELECT o.relationship, o.ends_at AS "endsAt"
     FROM relationship_ends o CROSS JOIN versions v CROSS JOIN memories m
     WHERE o.user_id = @user AND ${user.dialect.among('o.relationship', 'bigint')} AND v.user_id = @user
       AND v.row = o.version AND m.user_id = @user AND m.key = v.memory AND NOT m.withdrawn
     ORDER BY o.relationship, o.version`,
    keys,
  )
}

/** All rivals of the exclusive ones, and the exclusive rivals of the others. The given ones may be among the results. */
export function loadRivals(user: UserData, stretches: readonly Stretch[]): Promise<Stretch[]> {
  return loadAtEnds(user, stretches, typesOf(stretches.filter(({ exclusive }) => exclusive)))
}

/** Only the exclusive rivals. */
export function loadExclusiveRivals(user: UserData, stretches: readonly Stretch[]): Promise<Stretch[]> {
  return loadAtEnds(user, stretches, [])
}

/** `contested`: types for which non-exclusive rivals are loaded too. */
async function loadAtEnds(
  user: UserData,
  stretches: readonly Stretch[],
  contested: readonly RelationshipType[],
): Promise<Stretch[]> {
  const symmetric = stretches.filter(({ type }) => isSymmetric(type))
  const roots = new Set(stretches.map(({ sourceRoot }) => sourceRoot))
  const either = new Set(symmetric.flatMap(({ sourceRoot, targetRoot }) => [sourceRoot, targetRoot]))
  const [atSource, atTarget] = await Promise.all([
    loadAt(user, 'r.source', typesOf(stretches), [...roots, ...either], contested),
    loadAt(user, 'r.target', typesOf(symmetric), [...either], contested),
  ])
  return [...atSource, ...atTarget]
}

async function loadAt(
  user: UserData,
  end: 'r.source' | 'r.target',
  types: readonly RelationshipType[],
  roots: readonly number[],
  contested: readonly RelationshipType[],
): Promise<Stretch[]> {
  if (types.length === 0) return []
  const { among } = user.dialect
  const rows = await user.all<StretchRow>(
    `${selected} AND ${end} IN (${namesOfRoots(user.dialect)}) AND ${among('r.type', 'text')}
       AND (r.exclusive OR ${among('r.type', 'text')}) ORDER BY r.key`,
    roots,
    roots,
    types,
    contested,
  )
  return rows.map(stretchOf)
}

function typesOf(stretches: readonly Stretch[]): RelationshipType[] {
  return [...new Set(stretches.map(({ type }) => type))]
}
