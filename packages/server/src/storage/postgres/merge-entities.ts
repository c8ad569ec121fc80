/**
 * Which names are one entity. A name is merged by rule when exactly one entity of the same user and type fits it: one
 * that a text also calls so, or a person whose full name it begins or is short for. When a second one appears the
 * reason is gone, and so is the merge. What a person did by hand, or took back, no rule touches.
 */
import { idSource } from '../../core/ids.js'
import { fullFormsOf } from '../../core/nicknames.js'
import { callingNames, whyMerged } from '../domain/merge-names.js'
import type { MergeRule } from '../ports/entity-merges.js'
import { groupOf, rootOf } from './entity-groups.js'
import { settleRelationships } from './settle-relationships.js'
import type { UserData } from './user-data.js'
import type { UserWrite } from './user-rows.js'

export interface Named {
  readonly key: number
  readonly type: string
  readonly name: string
  readonly name_key: string
}

interface Fit {
  readonly entity: Named
  readonly rule: MergeRule
}

export function loadNamed(user: UserData, entity: number): Promise<Named | undefined> {
  return user.get<Named>('SELECT key, type, name, name_key FROM entities WHERE user_id = @user AND key = ?', entity)
}

/** Names whose merge may have to be thought of again when this entity is new: itself, and what it may be called. */
export async function namesAffectedBy(user: UserData, entity: Named): Promise<Named[]> {
  const others = entity.type === 'PERSON' ? callingNames(entity.name_key) : []
  if (others.length === 0) return [entity]
  const found = await user.all<Named>(
    `SELECT e.key, e.type, e.name, e.name_key FROM unnest(?::text[]) WITH ORDINALITY wanted (name_key, place)
       JOIN entities e ON e.user_id = @user AND e.type = ? AND e.name_key = wanted.name_key ORDER BY wanted.place`,
    others,
    entity.type,
  )
  return [entity, ...found]
}

/** Of many names at once, by `placeOf`. */
export async function namedAll(
  user: UserData,
  names: readonly { readonly type: string; readonly key: string }[],
): Promise<Map<string, Named>> {
  const found = await user.all<Named>(
    `SELECT e.key, e.type, e.name, e.name_key FROM unnest(?::text[], ?::text[]) wanted (type, name_key)
       JOIN entities e ON e.user_id = @user AND e.type = wanted.type AND e.name_key = wanted.name_key`,
    names.map(({ type }) => type),
    names.map(({ key }) => key),
  )
  return new Map(found.map((entity) => [placeOf(entity.type, entity.name_key), entity]))
}

export function placeOf(type: string, nameKey: string): string {
  return `${type}|${nameKey}`
}

export function named(user: UserData, type: string, nameKey: string): Promise<Named | undefined> {
  return user.get<Named>(
    'SELECT key, type, name, name_key FROM entities WHERE user_id = @user AND type = ? AND name_key = ?',
    type,
    nameKey,
  )
}

/** Merges the name, takes a merge back, or leaves all as it is. */
export async function mergeByRule(write: UserWrite, entity: Named, now: number): Promise<void> {
  // Asked together: what takes time here is the way to the database and back.
  const [standing, called, full] = await Promise.all([
    write.get<{ key: number; into_entity: number; rule: MergeRule }>(
      `SELECT key, into_entity, rule FROM entity_merges
       WHERE user_id = @user AND entity = ? AND reverted_at IS NULL`,
      entity.key,
    ),
    calledSo(write, entity),
    entity.type === 'PERSON' ? fullNames(write, entity) : [],
  ])
  if (standing?.rule === 'manual') return
  const fits = [...called, ...full]
  const roots = await rootsOf(write, entity, fits)
  const [only] = roots
  if (!only || roots.size > 1) {
    if (standing) await endMerge(write, standing.key, entity.key, now, 'rule')
    return
  }
  const [root, { entity: into, rule }] = only
  if (standing) {
    if ((await rootOf(write, standing.into_entity)) === root) return
    await endMerge(write, standing.key, entity.key, now, 'rule')
  }
  if (await wasTakenBack(write, entity.key, root)) return
  await insertMerge(write, {
    id: idSource({ now: () => now }).next('mrg'),
    entity,
    into,
    rule,
    why: whyMerged(rule, entity, into),
    now,
  })
}

/** At most two: more say no more. */
async function rootsOf(user: UserData, entity: Named, fits: readonly Fit[]): Promise<Map<number, Fit>> {
  const roots = new Map<number, Fit>()
  if (fits.length === 0) return roots
  const own = new Set(await partsOf(user, entity.key))
  for (const fit of fits) {
    if (roots.size > 1) break
    const root = await rootOf(user, fit.entity.key)
    if (!own.has(fit.entity.key) && !roots.has(root)) roots.set(root, fit)
  }
  return roots
}

/** Entities that a text gives this very name as another name of theirs. */
async function calledSo(user: UserData, entity: Named): Promise<Fit[]> {
  const found = await user.all<Named>(
    `SELECT DISTINCT e.key, e.type, e.name, e.name_key FROM entity_spellings s
       JOIN entities e ON e.user_id = s.user_id AND e.key = s.entity
     WHERE s.user_id = @user AND s.spelling_key = ? AND s.type = ? AND s.entity <> ? AND e.name_key <> s.spelling_key
     ORDER BY e.key`,
    entity.name_key,
    entity.type,
    entity.key,
  )
  return found.map((each) => ({ entity: each, rule: 'stated' }))
}

/** More than a few say already that the name fits many. */
const mostFits = 20

async function fullNames(user: UserData, entity: Named): Promise<Fit[]> {
  const [first = '', ...rest] = entity.name_key.split(' ')
  const surname = rest.length > 0 ? ` ${rest.join(' ')}` : ''
  const begun = (name: string) => (surname === '' ? beginningWith(user, name) : [])
  const fitting = (rows: readonly Named[], rule: MergeRule): Fit[] =>
    rows.flatMap((row) => (row.key === entity.key ? [] : [{ entity: row, rule }]))
  const [whole, ...forms] = await Promise.all([
    begun(first),
    ...fullFormsOf(first).map(async (form) => {
      const [exact, longer] = await Promise.all([named(user, entity.type, `${form}${surname}`), begun(form)])
      return exact ? [exact, ...longer] : longer
    }),
  ])
  return [...fitting(whole, 'full_name'), ...forms.flatMap((found) => fitting(found, 'short_form'))]
}

/** Persons of the user with this given name and more. A key has single spaces, and the sign after one is "!". */
function beginningWith(user: UserData, first: string): Promise<Named[]> {
  return user.all<Named>(
    `SELECT key, type, name, name_key FROM entities
     WHERE user_id = @user AND type = 'PERSON' AND name_key > ? AND name_key < ? ORDER BY name_key LIMIT ?`,
    `${first} `,
    `${first}!`,
    mostFits,
  )
}

/** By a person: no rule merges the two again. */
async function wasTakenBack(user: UserData, entity: number, root: number): Promise<boolean> {
  const group = await groupOf(user, root)
  const found = await user.get(
    `SELECT 1 FROM entity_merges WHERE user_id = @user AND reverted_by = 'user' AND (
       entity = ? AND into_entity = ANY (?::bigint[]) OR into_entity = ? AND entity = ANY (?::bigint[]))`,
    entity,
    group,
    entity,
    group,
  )
  return found !== undefined
}

export interface NewMerge {
  readonly id: string
  readonly entity: Named
  readonly into: Named
  readonly rule: MergeRule
  readonly why: string
  readonly now: number
}

export async function insertMerge(write: UserWrite, merge: NewMerge): Promise<void> {
  const { id, entity, into, rule, why, now } = merge
  await write.send(
    `INSERT INTO entity_merges (user_id, key, id, entity, into_entity, rule, why, created_at)
     VALUES (@user, ?, ?, ?, ?, ?, ?, ?)`,
    write.nextRow(),
    id,
    entity.key,
    into.key,
    rule,
    why,
    now,
  )
  await regroup(write, [...(await groupOf(write, entity.key)), ...(await groupOf(write, into.key))])
}

export async function endMerge(
  user: UserData,
  merge: number,
  entity: number,
  now: number,
  by: 'user' | 'rule',
): Promise<void> {
  const before = await groupOf(user, entity)
  await user.send(
    'UPDATE entity_merges SET reverted_at = ?, reverted_by = ? WHERE user_id = @user AND key = ?',
    now,
    by,
    merge,
  )
  await regroup(user, before)
}

/** The entity and what was merged into it, and into that. */
async function partsOf(user: UserData, entity: number): Promise<number[]> {
  const rows = await user.all<{ key: number }>(
    `WITH RECURSIVE part (key) AS (
       SELECT ?::bigint UNION SELECT g.entity FROM part
         JOIN entity_merges g ON g.user_id = @user AND g.into_entity = part.key AND g.reverted_at IS NULL
     ) SELECT key FROM part`,
    entity,
  )
  return rows.map((row) => row.key)
}

/** Finds the roots of these anew, and what that means for relationships of which there is one at a time. */
export async function regroup(user: UserData, entities: readonly number[]): Promise<void> {
  await user.send(
    `WITH RECURSIVE chain (start, key) AS (
       SELECT wanted, wanted FROM unnest(?::bigint[]) wanted
       UNION SELECT chain.start, g.into_entity FROM chain
         JOIN entity_merges g ON g.user_id = @user AND g.entity = chain.key AND g.reverted_at IS NULL
     ), ends AS (
       SELECT start, key FROM chain WHERE NOT EXISTS (SELECT 1 FROM entity_merges g
         WHERE g.user_id = @user AND g.entity = chain.key AND g.reverted_at IS NULL)
     ) UPDATE entities e SET merged_into = nullif((SELECT ends.key FROM ends WHERE ends.start = e.key LIMIT 1), e.key)
     WHERE e.user_id = @user AND e.key = ANY (?::bigint[])`,
    entities,
    entities,
  )
  const rows = await user.all<{ key: number }>(
    `WITH own AS (SELECT key, type, exclusive FROM relationships
       WHERE user_id = @user AND (source = ANY (?::bigint[]) OR target = ANY (?::bigint[])))
     SELECT key FROM own WHERE type IN (SELECT type FROM own WHERE exclusive) ORDER BY key`,
    entities,
    entities,
  )
  await settleRelationships(
    user,
    rows.map((row) => row.key),
  )
}
