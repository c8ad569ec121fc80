/** Who and what a version mentions. Each name is an entity of its own, within its user and type, until it is merged. */
import { spellingsOf } from '../domain/spellings.js'
import { storable } from '../domain/storable-text.js'
import type { VersionDraft } from '../ports/storage.js'
import type { Database } from './database.js'
import { namesMentionedBy } from './entity-groups.js'
import { mergeByRule, type Named, named, namesAffectedBy } from './merge-entities.js'
import type { NewVersion } from './write-version.js'

export interface Mentioned {
  /** Canonical names in the order of the mentions. */
  readonly names: readonly string[]
  /** Entity keys by `EntityMention.key`, for the relationships of the same version. */
  readonly entityByKey: ReadonlyMap<string, number>
}

export function writeMentions(db: Database, version: NewVersion, mentions: VersionDraft['entities']): Mentioned {
  const entityByKey = new Map<string, number>()
  const spellingsByEntity = new Map<number, Set<string>>()
  const toThinkOf = new Map<number, Named>()
  for (const mention of mentions) {
    const type = { user: version.user, type: mention.type }
    const known = named(db, type, mention.key)
    const entity = known ?? insertEntity(db, version.user, mention)
    if (!known) for (const affected of namesAffectedBy(db, entity)) toThinkOf.set(affected.key, affected)
    const spellings = spellingsByEntity.get(entity.key) ?? new Set<string>()
    spellingsByEntity.set(entity.key, spellings)
    if (!entityByKey.has(mention.key)) entityByKey.set(mention.key, entity.key)
    for (const [spelling, key] of spellingsOf(mention)) {
      spellings.add(spelling)
      const isNew = db.run(
        `INSERT INTO entity_spellings (entity, spelling, user, type, spelling_key, uses) VALUES (?, ?, ?, ?, ?, 0)
         ON CONFLICT DO NOTHING`,
        entity.key,
        spelling,
        version.user,
        mention.type,
        key,
      )
      const called = isNew > 0 && key !== entity.name_key ? named(db, type, key) : undefined
      if (called) toThinkOf.set(called.key, called)
    }
  }
  let position = 0
  for (const [entity, spellings] of spellingsByEntity) {
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
  for (const entity of toThinkOf.values()) mergeByRule(db, entity, version.storedAt)
  return { names: namesMentionedBy(db, [version.row]).get(version.row) ?? [], entityByKey }
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

function insertEntity(db: Database, user: number, mention: VersionDraft['entities'][number]): Named {
  const key = db.insert(
    'INSERT INTO entities (id, user, type, name, name_key) VALUES (?, ?, ?, ?, ?)',
    mention.newId,
    user,
    mention.type,
    storable(mention.name, 'entity name'),
    mention.key,
  )
  return { key, user, type: mention.type, name: mention.name, name_key: mention.key }
}
