/** What erased memories leave of entities: nothing that no other memory says. */
import { nameKey } from '../../core/entity.js'
import type { Database } from './database.js'
import { groupOf } from './entity-groups.js'
import { loadNamed, mergeByRule, type Named, named, namesAffectedBy, regroup } from './merge-entities.js'

/** How many of the erased versions used a spelling of an entity. */
export interface SpellingUse {
  readonly entity: number
  readonly spelling: string
  readonly uses: number
}

export function spellingsUsedBy(db: Database, versions: readonly number[]): SpellingUse[] {
  return db.all<SpellingUse>(
    `SELECT n.entity, j.value AS spelling, count(*) AS uses
     FROM json_each(?) wanted CROSS JOIN mentions n ON n.version = wanted.value, json_each(n.spellings) j
     GROUP BY n.entity, j.value`,
    JSON.stringify(versions),
  )
}

/** To be called when the mentions are gone. `isAll`: all of the user goes, so no name needs to be thought of again. */
export function eraseFromEntities(db: Database, erased: readonly SpellingUse[], isAll: boolean): void {
  const entities = new Map<number, Named>()
  for (const { entity } of erased) {
    const named = entities.get(entity) ?? loadNamed(db, entity)
    if (named) entities.set(entity, named)
  }
  const toThinkOf = new Map<number, Named>()
  for (const { entity, spelling, uses } of erased) {
    db.run('UPDATE entity_spellings SET uses = uses - ? WHERE entity = ? AND spelling = ?', uses, entity, spelling)
    const gone = db.run(
      'DELETE FROM entity_spellings WHERE entity = ? AND spelling = ? AND uses <= 0',
      entity,
      spelling,
    )
    const holder = entities.get(entity)
    if (gone > 0 && holder) for (const named of forgetStatement(db, holder, spelling)) toThinkOf.set(named.key, named)
  }
  for (const entity of entities.values()) {
    if (db.get('SELECT 1 FROM mentions WHERE entity = ? LIMIT 1', entity.key)) renameIfNameIsGone(db, entity.key)
    else for (const named of eraseEntity(db, entity, isAll)) toThinkOf.set(named.key, named)
  }
  for (const { key } of isAll ? [] : toThinkOf.values()) {
    const still = loadNamed(db, key)
    if (still) mergeByRule(db, still, lastUse(db, key))
  }
}

/** Erasing has no moment of its own: what follows from it is dated by the newest memory that uses the name. */
function lastUse(db: Database, entity: number): number {
  const row = db.get<{ at: number }>(
    'SELECT memory_created_at AS at FROM mentions WHERE entity = ? AND current = 1 ORDER BY memory_created_at DESC LIMIT 1',
    entity,
  )
  return row?.at ?? 0
}

/** No text says any more that the two are one: nothing may tell that one did. */
function forgetStatement(db: Database, holder: Named, spelling: string): Named[] {
  const key = nameKey(spelling)
  if (key === holder.name_key) return []
  const still = db.get('SELECT 1 FROM entity_spellings WHERE entity = ? AND spelling_key = ?', holder.key, key)
  const called = still ? undefined : named(db, holder, key)
  if (!called) return []
  const group = groupOf(db, called.key)
  db.run(
    `DELETE FROM entity_merges WHERE entity = ? AND into_entity = ? AND rule = 'stated' AND reverted_by IS NOT 'user'`,
    called.key,
    holder.key,
  )
  db.run(
    `UPDATE entity_merges SET why = 'Taken back.' WHERE entity = ? AND into_entity = ? AND rule = 'stated'`,
    called.key,
    holder.key,
  )
  regroup(db, group)
  return [called]
}

/** What was part of it stands alone again, and names that fitted it and another may now fit the other alone. */
function eraseEntity(db: Database, entity: Named, isAll: boolean): Named[] {
  const others = groupOf(db, entity.key).filter((key) => key !== entity.key)
  const affected = isAll ? [] : namesAffectedBy(db, entity).filter(({ key }) => key !== entity.key)
  db.run('DELETE FROM entities WHERE key = ?', entity.key)
  if (others.length > 0) regroup(db, others)
  return affected
}

/** The name may have stood in the erased text alone; the entity then takes the spelling used most. */
function renameIfNameIsGone(db: Database, entity: number): void {
  const named = db.get(
    'SELECT 1 FROM entities e JOIN entity_spellings s ON s.entity = e.key AND s.spelling = e.name WHERE e.key = ?',
    entity,
  )
  if (named) return
  // Rather not one that is another entity's name. Where nothing else is left the two share it, and this
  // one's key is its id, which no text yields: keys stay unique, and new mentions go to the other.
  const better = db.get<{ spelling: string; spelling_key: string; taken: number }>(
    `SELECT s.spelling, s.spelling_key, EXISTS (SELECT 1 FROM entities o
       WHERE o.user = s.user AND o.type = s.type AND o.name_key = s.spelling_key AND o.key <> s.entity) AS taken
     FROM entity_spellings s WHERE s.entity = ? ORDER BY taken, s.uses DESC, s.spelling LIMIT 1`,
    entity,
  )
  if (!better) return
  const { spelling, spelling_key: key, taken } = better
  db.run('UPDATE entities SET name = ?, name_key = ifnull(?, id) WHERE key = ?', spelling, taken ? null : key, entity)
}
