/** Removes from entities everything that only erased memories stated. */
import { nameKey } from '../../../core/entity.js'
import { namesAffectedBy } from '../../domain/merge-names.js'
import type { FlagColumn } from '../columns.js'
import type { UserData } from '../user-data.js'
import type { UserWrite } from '../user-write.js'
import { groupOf, groupsOf } from './entity-groups.js'
import { mergeByRule, regroup } from './merge-entities.js'
import { findNamed, type Named, placeOf } from './named.js'

/** How many of the erased versions used a spelling of an entity. */
export interface SpellingUse {
  readonly entity: number
  readonly spelling: string
  readonly uses: number
}

export async function spellingsUsedBy(user: UserData, versions: readonly number[]): Promise<SpellingUse[]> {
  const { among, elements } = user.dialect
  const used = await user.all<SpellingUse>(
    `SELECT n.entity, used.value AS spelling, count(*) AS uses
     FROM mentions n CROSS JOIN ${elements('n.spellings', 'used')}
     WHERE n.user_id = @user AND ${among('n.version', 'bigint')} GROUP BY n.entity, used.value`,
    versions,
  )
  // Sorted here, because collations differ between engines.
  return used.sort((a, b) => a.entity - b.entity || (a.spelling < b.spelling ? -1 : 1))
}

/** Call it after the mentions are deleted. `isAll`: all of the user's data is erased, so no name is left to merge. */
export async function eraseFromEntities(
  write: UserWrite,
  erased: readonly SpellingUse[],
  isAll: boolean,
): Promise<void> {
  if (erased.length === 0) return
  const keys = [...new Set(erased.map(({ entity }) => entity))]
  const gone = await eraseSpellings(write, erased)
  const entities = await loadLeft(write, keys)
  const toMerge = new Set<number>()
  for (const { entity, spelling } of gone) {
    const holder = entities.get(entity)
    const called = holder && (await forgetStatement(write, holder, spelling))
    if (called) toMerge.add(called.key)
  }
  const left = [...entities.values()]
  const unmentioned = left.filter(({ mentioned }) => !mentioned)
  for (const { key } of await eraseEntities(write, unmentioned, isAll)) toMerge.add(key)
  for (const { key, named } of left.filter(({ mentioned }) => mentioned)) if (!named) await rename(write, key)
  if (!isAll) await mergeByRule(write, await loadLastUses(write, [...toMerge]))
}

/** Returns the spellings that no version uses any more. */
async function eraseSpellings(user: UserData, erased: readonly SpellingUse[]): Promise<SpellingUse[]> {
  const { among, rows } = user.dialect
  await user.send(
    `UPDATE entity_spellings AS s SET uses = s.uses - w.uses
     FROM ${rows('w', { entity: 'bigint', spelling: 'text', uses: 'bigint' })}
     WHERE s.user_id = @user AND s.entity = w.entity AND s.spelling = w.spelling`,
    JSON.stringify(erased),
  )
  const gone = await user.all<SpellingUse>(
    `DELETE FROM entity_spellings WHERE user_id = @user AND ${among('entity', 'bigint')} AND uses <= 0
     RETURNING entity, spelling`,
    erased.map(({ entity }) => entity),
  )
  const places = new Set(gone.map(({ entity, spelling }) => `${entity}|${spelling}`))
  return erased.filter(({ entity, spelling }) => places.has(`${entity}|${spelling}`))
}

interface Left extends Named {
  /** Another memory mentions it. */
  readonly mentioned: FlagColumn
  /** Another memory calls it by its name. */
  readonly named: FlagColumn
}

async function loadLeft(user: UserData, keys: readonly number[]): Promise<Map<number, Left>> {
  const rows = await user.all<Left>(
    `SELECT e.key, e.type, e.name, e.name_key,
       EXISTS (SELECT 1 FROM mentions n WHERE n.user_id = @user AND n.entity = e.key) AS mentioned,
       EXISTS (SELECT 1 FROM entity_spellings s
         WHERE s.user_id = @user AND s.entity = e.key AND s.spelling = e.name) AS named
     FROM entities e WHERE e.user_id = @user AND ${user.dialect.among('e.key', 'bigint')} ORDER BY e.key`,
    keys,
  )
  return new Map(rows.map((row) => [row.key, row]))
}

/**
 * No remaining text states that the two names are one, so nothing may reveal that an erased text did. Returns the entity of the
 * other name.
 */
async function forgetStatement(user: UserData, holder: Named, spelling: string): Promise<Named | undefined> {
  const key = nameKey(spelling)
  if (key === holder.name_key) return undefined
  const place = { type: holder.type, name_key: key }
  const [still, found] = await Promise.all([
    user.get(
      'SELECT 1 FROM entity_spellings WHERE user_id = @user AND entity = ? AND spelling_key = ? LIMIT 1',
      holder.key,
      key,
    ),
    findNamed(user, [place]),
  ])
  const called = still ? undefined : found.get(placeOf(place))
  if (!called) return undefined
  const group = await groupOf(user, called.key)
  const stated = `user_id = @user AND entity = ? AND into_entity = ? AND rule = 'stated'`
  await user.send(
    `DELETE FROM entity_merges WHERE ${stated} AND (reverted_by IS NULL OR reverted_by <> 'user')`,
    called.key,
    holder.key,
  )
  await user.send(`UPDATE entity_merges SET why = 'Reverted by a user.' WHERE ${stated}`, called.key, holder.key)
  await regroup(user, group)
  return called
}

/**
 * Names that were part of an erased entity are shown separately again. Returns the names that an erased entity may have gone by:
 * they may have fitted that one and another, and now fit only the other.
 */
async function eraseEntities(user: UserData, entities: readonly Named[], isAll: boolean): Promise<Named[]> {
  if (entities.length === 0) return []
  const { among } = user.dialect
  const keys = entities.map(({ key }) => key)
  const names = isAll ? [] : entities.flatMap(namesAffectedBy)
  const [groups, called] = await Promise.all([groupsOf(user, keys), findNamed(user, names)])
  await user.send(`DELETE FROM entities WHERE user_id = @user AND ${among('key', 'bigint')}`, keys)
  await user.send(
    `UPDATE entities SET merged_into = NULL WHERE user_id = @user AND ${among('merged_into', 'bigint')}`,
    keys,
  )
  const erased = new Set(keys)
  const others = [...groups.keys()].filter((key) => !erased.has(key))
  if (others.length > 0) await regroup(user, others)
  return names.flatMap((name) => called.get(placeOf(name)) ?? []).filter(({ key }) => !erased.has(key))
}

/** If only erased texts used the name, the entity takes its most frequent spelling. */
async function rename(user: UserData, entity: number): Promise<void> {
  // Preferably one that is not another entity's name. If there is none, the two share the name, and the key of this one is its
  // id, which no text produces: keys stay unique, and new mentions go to the other entity.
  const better = await user.get<{ spelling: string; spelling_key: string; taken: FlagColumn }>(
    `SELECT s.spelling, s.spelling_key, EXISTS (SELECT 1 FROM entities o WHERE o.user_id = @user
       AND o.type = s.type AND o.name_key = s.spelling_key AND o.key <> s.entity) AS taken
     FROM entity_spellings s WHERE s.user_id = @user AND s.entity = ? ORDER BY taken, s.uses DESC, s.spelling LIMIT 1`,
    entity,
  )
  if (!better) return
  const { spelling, spelling_key: key, taken } = better
  await user.send(
    'UPDATE entities SET name = ?, name_key = coalesce(?, id) WHERE user_id = @user AND key = ?',
    spelling,
    taken ? null : key,
    entity,
  )
}

/** A merge caused by erasing gets the time of the newest memory that uses the name: an erasure has no time to show. */
async function loadLastUses(user: UserData, keys: readonly number[]): Promise<{ entity: Named; at: number }[]> {
  if (keys.length === 0) return []
  const rows = await user.all<Named & { readonly at: number | null }>(
    `SELECT e.key, e.type, e.name, e.name_key, (SELECT max(n.memory_created_at) FROM mentions n
       WHERE n.user_id = @user AND n.entity = e.key AND n.current) AS at
     FROM entities e WHERE e.user_id = @user AND ${user.dialect.among('e.key', 'bigint')}`,
    keys,
  )
  const uses = new Map(rows.map(({ at, ...entity }) => [entity.key, { entity, at: at ?? 0 }]))
  return keys.flatMap((key) => uses.get(key) ?? [])
}
