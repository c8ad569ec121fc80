/** What erased memories leave of entities: nothing that no other memory says. */
import type { Database } from './database.js'

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

/** To be called when the mentions are gone. */
export function eraseFromEntities(db: Database, erased: readonly SpellingUse[]): void {
  for (const { entity, spelling, uses } of erased) {
    db.run('UPDATE entity_spellings SET uses = uses - ? WHERE entity = ? AND spelling = ?', uses, entity, spelling)
    db.run('DELETE FROM entity_spellings WHERE entity = ? AND spelling = ? AND uses <= 0', entity, spelling)
  }
  for (const entity of new Set(erased.map((use) => use.entity))) {
    if (db.get('SELECT 1 FROM mentions WHERE entity = ? LIMIT 1', entity)) renameIfNameIsGone(db, entity)
    else db.run('DELETE FROM entities WHERE key = ?', entity)
  }
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
