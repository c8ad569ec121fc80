/** What erased memories leave of entities: nothing that no other memory says. */
import { nameKey } from '../../core/entity.js'
import { groupOf } from './entity-groups.js'
import { loadNamed, mergeByRule, type Named, named, namesAffectedBy, regroup } from './merge-entities.js'
import type { UserData } from './user-data.js'
import type { UserWrite } from './user-rows.js'

/** How many of the erased versions used a spelling of an entity. */
export interface SpellingUse {
  readonly entity: number
  readonly spelling: string
  readonly uses: number
}

export function spellingsUsedBy(user: UserData, versions: readonly number[]): Promise<SpellingUse[]> {
  return user.all<SpellingUse>(
    `SELECT n.entity, j.spelling, count(*) AS uses FROM mentions n CROSS JOIN unnest(n.spellings) j (spelling)
     WHERE n.user_id = @user AND n.version = ANY (?::bigint[]) GROUP BY n.entity, j.spelling
     ORDER BY n.entity, j.spelling COLLATE "C"`,
    versions,
  )
}

/** To be called when the mentions are gone. `isAll`: all of the user goes, so no name needs to be thought of again. */
export async function eraseFromEntities(
  write: UserWrite,
  erased: readonly SpellingUse[],
  isAll: boolean,
): Promise<void> {
  const entities = await loadAll(write, [...new Set(erased.map(({ entity }) => entity))])
  const toThinkOf = new Map<number, Named>()
  for (const { entity, spelling } of await eraseSpellings(write, erased)) {
    const holder = entities.get(entity)
    if (!holder) continue
    for (const called of await forgetStatement(write, holder, spelling)) toThinkOf.set(called.key, called)
  }
  for (const entity of entities.values()) {
    if (await write.get('SELECT 1 FROM mentions WHERE user_id = @user AND entity = ? LIMIT 1', entity.key)) {
      await renameIfNameIsGone(write, entity.key)
    } else for (const affected of await eraseEntity(write, entity, isAll)) toThinkOf.set(affected.key, affected)
  }
  for (const { key } of isAll ? [] : toThinkOf.values()) {
    const still = await loadNamed(write, key)
    if (still) await mergeByRule(write, still, await lastUse(write, key))
  }
}

async function loadAll(user: UserData, keys: readonly number[]): Promise<Map<number, Named>> {
  const rows = await user.all<Named>(
    `SELECT key, type, name, name_key FROM entities WHERE user_id = @user AND key = ANY (?::bigint[]) ORDER BY key`,
    keys,
  )
  return new Map(rows.map((row) => [row.key, row]))
}

/** Those that nothing uses any more. */
async function eraseSpellings(user: UserData, erased: readonly SpellingUse[]): Promise<SpellingUse[]> {
  await user.send(
    `UPDATE entity_spellings s SET uses = s.uses - e.uses
     FROM unnest(?::bigint[], ?::text[], ?::bigint[]) e (entity, spelling, uses)
     WHERE s.user_id = @user AND s.entity = e.entity AND s.spelling = e.spelling`,
    erased.map(({ entity }) => entity),
    erased.map(({ spelling }) => spelling),
    erased.map(({ uses }) => uses),
  )
  return user.all<SpellingUse>(
    `DELETE FROM entity_spellings WHERE user_id = @user AND entity = ANY (?::bigint[]) AND uses <= 0
     RETURNING entity, spelling, uses`,
    erased.map(({ entity }) => entity),
  )
}

/** Erasing has no moment of its own: what follows from it is dated by the newest memory that uses the name. */
async function lastUse(user: UserData, entity: number): Promise<number> {
  const row = await user.get<{ at: number }>(
    `SELECT memory_created_at AS at FROM mentions WHERE user_id = @user AND entity = ? AND current
     ORDER BY memory_created_at DESC LIMIT 1`,
    entity,
  )
  return row?.at ?? 0
}

/** No text says any more that the two are one: nothing may tell that one did. */
async function forgetStatement(user: UserData, holder: Named, spelling: string): Promise<Named[]> {
  const key = nameKey(spelling)
  if (key === holder.name_key) return []
  const still = await user.get(
    'SELECT 1 FROM entity_spellings WHERE user_id = @user AND entity = ? AND spelling_key = ?',
    holder.key,
    key,
  )
  const called = still ? undefined : await named(user, holder.type, key)
  if (!called) return []
  const group = await groupOf(user, called.key)
  await user.send(
    `DELETE FROM entity_merges WHERE user_id = @user AND entity = ? AND into_entity = ? AND rule = 'stated'
       AND reverted_by IS DISTINCT FROM 'user'`,
    called.key,
    holder.key,
  )
  await user.send(
    `UPDATE entity_merges SET why = 'Taken back.'
     WHERE user_id = @user AND entity = ? AND into_entity = ? AND rule = 'stated'`,
    called.key,
    holder.key,
  )
  await regroup(user, group)
  return [called]
}

/** What was part of it stands alone again, and names that fitted it and another may now fit the other alone. */
async function eraseEntity(user: UserData, entity: Named, isAll: boolean): Promise<Named[]> {
  const others = (await groupOf(user, entity.key)).filter((key) => key !== entity.key)
  const affected = isAll ? [] : (await namesAffectedBy(user, entity)).filter(({ key }) => key !== entity.key)
  await user.send('DELETE FROM entities WHERE user_id = @user AND key = ?', entity.key)
  await user.send('UPDATE entities SET merged_into = NULL WHERE user_id = @user AND merged_into = ?', entity.key)
  if (others.length > 0) await regroup(user, others)
  return affected
}

/** The name may have stood in the erased text alone; the entity then takes the spelling used most. */
async function renameIfNameIsGone(user: UserData, entity: number): Promise<void> {
  const still = await user.get(
    `SELECT 1 FROM entities e JOIN entity_spellings s ON s.user_id = e.user_id AND s.entity = e.key AND s.spelling = e.name
     WHERE e.user_id = @user AND e.key = ?`,
    entity,
  )
  if (still) return
  // Rather not one that is another entity's name. Where nothing else is left the two share it, and this
  // one's key is its id, which no text yields: keys stay unique, and new mentions go to the other.
  const better = await user.get<{ spelling: string; spelling_key: string; taken: boolean }>(
    `SELECT s.spelling, s.spelling_key, EXISTS (SELECT 1 FROM entities o WHERE o.user_id = s.user_id
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
