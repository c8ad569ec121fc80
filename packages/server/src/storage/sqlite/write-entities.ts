/** Who and what a version mentions. An entity is known by any of its spellings, within its user and type. */
import { nameKey } from '../../core/entity.js'
import type { VersionDraft } from '../storage.js'
import type { Database } from './database.js'
import { storable } from './text.js'
import type { NewVersion } from './write-version.js'

export interface Mentioned {
  /** Canonical names in the order of the mentions. */
  readonly names: readonly string[]
  /** Entity keys by `EntityMention.key`, for the relationships of the same version. */
  readonly entityByKey: ReadonlyMap<string, number>
}

interface Known {
  readonly key: number
  readonly name: string
}

export function writeMentions(db: Database, version: NewVersion, mentions: VersionDraft['entities']): Mentioned {
  const entityByKey = new Map<string, number>()
  const merged = new Map<number, { name: string; spellings: Set<string> }>()
  for (const mention of mentions) {
    const known = findEntity(db, version.user, mention) ?? insertEntity(db, version.user, mention)
    const entry = merged.get(known.key) ?? { name: known.name, spellings: new Set<string>() }
    merged.set(known.key, entry)
    if (!entityByKey.has(mention.key)) entityByKey.set(mention.key, known.key)
    for (const [spelling, key] of spellingsOf(mention)) {
      entry.spellings.add(spelling)
      db.run(
        `INSERT INTO entity_spellings (entity, spelling, user, type, spelling_key, uses) VALUES (?, ?, ?, ?, ?, 0)
         ON CONFLICT DO NOTHING`,
        known.key,
        spelling,
        version.user,
        mention.type,
        key,
      )
    }
  }
  let position = 0
  for (const [entity, { spellings }] of merged) {
    db.run(
      `INSERT INTO mentions (version, entity, memory, memory_created_at, current, position, spellings)
       VALUES (?, ?, ?, ?, 1, ?, ?)`,
      version.row,
      entity,
      version.memory,
      version.memoryCreatedAt,
      position++,
      JSON.stringify([...spellings]),
    )
  }
  countSpellings(db, version.row)
  return { names: [...merged.values()].map((entry) => entry.name), entityByKey }
}

/** The new version says what the old one said. */
export function carryMentions(db: Database, from: number, to: number): void {
  db.run(
    `INSERT INTO mentions (version, entity, memory, memory_created_at, current, position, spellings)
     SELECT ?, entity, memory, memory_created_at, 1, position, spellings FROM mentions WHERE version = ?`,
    to,
    from,
  )
  countSpellings(db, to)
}

function countSpellings(db: Database, version: number): void {
  db.run(
    `UPDATE entity_spellings SET uses = uses + 1 WHERE (entity, spelling) IN
       (SELECT n.entity, j.value FROM mentions n, json_each(n.spellings) j WHERE n.version = ?)`,
    version,
  )
}

function findEntity(db: Database, user: number, mention: VersionDraft['entities'][number]): Known | undefined {
  return db.get<Known>(
    `SELECT e.key, e.name FROM entity_spellings s JOIN entities e ON e.key = s.entity
     WHERE s.user = ? AND s.spelling_key = ? AND s.type = ?
     ORDER BY e.name_key = s.spelling_key DESC, e.key LIMIT 1`,
    user,
    mention.key,
    mention.type,
  )
}

function insertEntity(db: Database, user: number, mention: VersionDraft['entities'][number]): Known {
  const key = db.insert(
    'INSERT INTO entities (id, user, type, name, name_key) VALUES (?, ?, ?, ?, ?)',
    mention.newId,
    user,
    mention.type,
    storable(mention.name, 'entity name'),
    mention.key,
  )
  return { key, name: mention.name }
}

function spellingsOf(mention: VersionDraft['entities'][number]): Map<string, string> {
  const spellings = new Map([[storable(mention.name, 'entity name'), mention.key]])
  for (const alias of mention.aliases) {
    const key = nameKey(alias)
    if (key !== '' && !spellings.has(alias)) spellings.set(storable(alias, 'entity alias'), key)
  }
  return spellings
}
