/** Who and what a version mentions. Each name is an entity of its own, within its user and type, until it is merged. */
import { spellingsOf } from '../domain/spellings.js'
import { storable } from '../domain/storable-text.js'
import type { VersionDraft } from '../ports/storage.js'
import { namesMentionedBy } from './entity-groups.js'
import { mergeByRule, type Named, named, namedAll, namesAffectedBy, placeOf } from './merge-entities.js'
import type { UserData } from './user-data.js'
import type { UserWrite } from './user-rows.js'
import type { NewVersion } from './write-version.js'

export interface Mentioned {
  /** Canonical names in the order of the mentions. */
  readonly names: readonly string[]
  /** Entity keys by `EntityMention.key`, for the relationships of the same version. */
  readonly entityByKey: ReadonlyMap<string, number>
}

export async function writeMentions(
  write: UserWrite,
  version: NewVersion,
  mentions: VersionDraft['entities'],
): Promise<Mentioned> {
  const entityByKey = new Map<string, number>()
  if (mentions.length === 0) return { names: [], entityByKey }
  const spellingsByEntity = new Map<number, Set<string>>()
  const known = await namedAll(write, mentions)
  /** In the order in which they are asked, and so answered: nobody waits for one before the next is sent. */
  const thoughts: Promise<readonly Named[]>[] = []
  for (const mention of mentions) {
    const place = placeOf(mention.type, mention.key)
    const entity = known.get(place) ?? (await insertEntity(write, mention))
    if (!known.has(place)) thoughts.push(inTime(namesAffectedBy(write, entity)))
    known.set(place, entity)
    const spellings = spellingsByEntity.get(entity.key) ?? new Set<string>()
    spellingsByEntity.set(entity.key, spellings)
    if (!entityByKey.has(mention.key)) entityByKey.set(mention.key, entity.key)
    for (const [spelling, key] of spellingsOf(mention)) {
      spellings.add(spelling)
      thoughts.push(inTime(calledBy(write, entity, spelling, key)))
    }
  }
  const toThinkOf = new Map((await Promise.all(thoughts)).flat().map((entity) => [entity.key, entity]))
  let position = 0
  for (const [entity, spellings] of spellingsByEntity) {
    await write.send(
      `INSERT INTO mentions (user_id, version, entity, memory, memory_created_at, current, position, spellings)
       VALUES (@user, ?, ?, ?, ?, true, ?, ?)`,
      version.row,
      entity,
      version.memory,
      version.memoryCreatedAt,
      position++,
      [...spellings],
    )
  }
  await countSpellings(write, version.row)
  for (const entity of toThinkOf.values()) await mergeByRule(write, entity, version.storedAt)
  return { names: (await namesMentionedBy(write, [version.row])).get(version.row) ?? [], entityByKey }
}

/** Adds a spelling. Where it is new, and the name of another entity, that one has to be thought of. */
async function calledBy(user: UserData, entity: Named, spelling: string, key: string): Promise<readonly Named[]> {
  const [isNew, called] = await Promise.all([
    insertSpelling(user, entity, spelling, key),
    key === entity.name_key ? undefined : named(user, entity.type, key),
  ])
  return isNew && called ? [called] : []
}

/** Its failure is heard when all are waited for, not as one that nobody hears. */
function inTime<T>(asked: Promise<T>): Promise<T> {
  asked.catch(() => undefined)
  return asked
}

/** The new version says what the old one said. */
export async function carryMentions(user: UserData, from: number, to: number): Promise<void> {
  await user.send(
    `INSERT INTO mentions (user_id, version, entity, memory, memory_created_at, current, position, spellings)
     SELECT user_id, ?::bigint, entity, memory, memory_created_at, true, position, spellings
     FROM mentions WHERE user_id = @user AND version = ?`,
    to,
    from,
  )
  await countSpellings(user, to)
}

async function countSpellings(user: UserData, version: number): Promise<void> {
  await user.send(
    `UPDATE entity_spellings s SET uses = s.uses + 1
     FROM mentions n WHERE n.user_id = @user AND n.version = ?
       AND s.user_id = @user AND s.entity = n.entity AND s.spelling = ANY (n.spellings)`,
    version,
  )
}

async function insertSpelling(user: UserData, entity: Named, spelling: string, key: string): Promise<boolean> {
  const inserted = await user.run(
    `INSERT INTO entity_spellings (user_id, entity, spelling, type, spelling_key, uses) VALUES (@user, ?, ?, ?, ?, 0)
     ON CONFLICT DO NOTHING`,
    entity.key,
    spelling,
    entity.type,
    key,
  )
  return inserted > 0
}

async function insertEntity(write: UserWrite, mention: VersionDraft['entities'][number]): Promise<Named> {
  const key = write.nextRow()
  await write.send(
    'INSERT INTO entities (user_id, key, id, type, name, name_key) VALUES (@user, ?, ?, ?, ?, ?)',
    key,
    mention.newId,
    mention.type,
    storable(mention.name, 'entity name'),
    mention.key,
  )
  return { key, type: mention.type, name: mention.name, name_key: mention.key }
}
