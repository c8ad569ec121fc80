/** Writes the entities that a version mentions. Each name is a separate entity of its user and type until it is merged. */
import { namesAffectedBy, type TypedName } from '../../domain/merge-names.js'
import { spellingsOf } from '../../domain/spellings.js'
import { storable } from '../../domain/storable-text.js'
import type { VersionDraft } from '../../ports/memory-writes.js'
import { ownRows } from '../own-rows.js'
import { statement } from '../statement.js'
import type { UserData } from '../user-data.js'
import type { UserWrite } from '../user-write.js'
import { namesMentionedBy } from './entity-groups.js'
import { mergeByRule } from './merge-entities.js'
import { type FoundNamed, findNamed, type Named, type NameToFind, placeOf } from './named.js'

export interface Mentioned {
  /** Canonical names in the order of the mentions. */
  readonly names: readonly string[]
  /** Entity keys by `EntityMention.key`, for the relationships of the same version. */
  readonly entityByKey: ReadonlyMap<string, number>
}

type Mention = VersionDraft['entities'][number]

/** The version that mentions them. */
interface Mentioning {
  readonly row: number
  readonly memory: number
  readonly memoryCreatedAt: number
  readonly storedAt: number
}

/** A mention with its entity and the keys of its spellings. */
interface Resolved {
  readonly entity: FoundNamed
  /** The id of an entity that the user did not have before. */
  readonly newId: string | null
  readonly spellings: ReadonlyMap<string, string>
}

export async function writeMentions(
  write: UserWrite,
  version: Mentioning,
  mentions: readonly Mention[],
): Promise<Mentioned> {
  const entityByKey = new Map<string, number>()
  if (mentions.length === 0) return { names: [], entityByKey }
  const resolved = await resolve(write, mentions)
  for (const [index, { key }] of mentions.entries()) {
    const entity = resolved[index]?.entity
    if (entity && !entityByKey.has(key)) entityByKey.set(key, entity.key)
  }
  await insertEntities(write, resolved)
  const [newSpellings, called] = await Promise.all([
    insertSpellings(write, resolved),
    findNamed(write, resolved.flatMap(namesToFind)),
  ])
  await insertMentions(write, version, resolved)
  await countSpellings(write, version.row)
  const names = namesToMerge(resolved, called, newSpellings)
  const hasChanged = await mergeByRule(
    write,
    names.map((entity) => ({ entity, at: version.storedAt })),
  )
  const isMerged = hasChanged || resolved.some(({ entity }) => entity.merged_into !== null)
  return { names: isMerged ? await loadNames(write, version.row) : namesOf(resolved), entityByKey }
}

async function loadNames(user: UserData, version: number): Promise<readonly string[]> {
  return (await namesMentionedBy(user, [version])).get(version) ?? []
}

function namesOf(resolved: readonly Resolved[]): string[] {
  return [...new Map(resolved.map(({ entity }) => [entity.key, entity.name])).values()]
}

async function resolve(write: UserWrite, mentions: readonly Mention[]): Promise<Resolved[]> {
  const known = await findNamed(
    write,
    mentions.map(({ type, key }) => ({ type, name_key: key })),
  )
  return mentions.map((mention) => {
    const { type, name, key } = mention
    const place = placeOf({ type, name_key: key })
    const spellings = spellingsOf(mention)
    const entity = known.get(place)
    if (entity) return { entity, newId: null, spellings }
    const added = { key: write.nextRow(), type, name: storable(name, 'entity name'), name_key: key, merged_into: null }
    known.set(place, added)
    return { entity: added, newId: mention.newId, spellings }
  })
}

const insertEntitiesSql = statement((dialect) => {
  const columns = { key: 'bigint', id: 'text', type: 'text', name: 'text', name_key: 'text' } as const
  return `INSERT INTO entities (user_id, key, id, type, name, name_key)
    SELECT own.user_id, w.key, w.id, w.type, w.name, w.name_key FROM ${ownRows(dialect, 'w', columns)}`
})

async function insertEntities(user: UserData, resolved: readonly Resolved[]): Promise<void> {
  const added = resolved.filter(({ newId }) => newId !== null)
  if (added.length === 0) return
  await user.send(insertEntitiesSql(user), JSON.stringify(added.map(({ entity, newId }) => ({ ...entity, id: newId }))))
}

const insertSpellingsSql = statement((dialect) => {
  const columns = { entity: 'bigint', spelling: 'text', type: 'text', spelling_key: 'text' } as const
  return `INSERT INTO entity_spellings (user_id, entity, spelling, type, spelling_key, uses)
    SELECT own.user_id, w.entity, w.spelling, w.type, w.spelling_key, 0 FROM ${ownRows(dialect, 'w', columns)}
    ON CONFLICT DO NOTHING RETURNING entity, spelling`
})

/** Returns the new ones by `spellingPlace`. A known entity already has its own name as a spelling. */
async function insertSpellings(user: UserData, resolved: readonly Resolved[]): Promise<Set<string>> {
  const added = resolved.flatMap(({ entity, newId, spellings }) =>
    [...spellings].flatMap(([spelling, key]) =>
      newId === null && spelling === entity.name
        ? []
        : [{ entity: entity.key, spelling, type: entity.type, spelling_key: key }],
    ),
  )
  if (added.length === 0) return new Set()
  const inserted = await user.all<{ entity: number; spelling: string }>(insertSpellingsSql(user), JSON.stringify(added))
  return new Set(inserted.map(({ entity, spelling }) => spellingPlace(entity, spelling)))
}

function spellingPlace(entity: number, spelling: string): string {
  return `${entity}|${spelling}`
}

/** Other names that a mention may connect with this entity: names that a new one may go by, and aliases. */
function namesToFind({ entity, newId, spellings }: Resolved): NameToFind[] {
  const { type } = entity
  const aliases = aliasesOf(entity, spellings).map(([, name_key]) => ({ type, name_key }))
  return [...(newId === null ? [] : namesAffectedBy(entity)), ...aliases]
}

function aliasesOf({ name_key }: Named, spellings: ReadonlyMap<string, string>): [spelling: string, key: string][] {
  return [...spellings].filter(([, key]) => key !== name_key)
}

/**
 * Entities whose merge may change: new ones, names that a new one may go by, and names that are now an alias. In the order of the
 * mentions: a new entity is not considered before its own mention.
 */
function namesToMerge(
  resolved: readonly Resolved[],
  called: ReadonlyMap<string, Named>,
  newSpellings: ReadonlySet<string>,
): Named[] {
  const waiting = new Set(resolved.flatMap(({ entity, newId }) => (newId === null ? [] : [entity.key])))
  const names = new Map<number, Named>()
  for (const { entity, newId, spellings } of resolved) {
    const add = (name: TypedName) => {
      const named = called.get(placeOf(name))
      if (named && !waiting.has(named.key)) names.set(named.key, named)
    }
    if (newId !== null) {
      waiting.delete(entity.key)
      names.set(entity.key, entity)
      for (const name of namesAffectedBy(entity)) add(name)
    }
    for (const [spelling, key] of aliasesOf(entity, spellings)) {
      if (newSpellings.has(spellingPlace(entity.key, spelling))) add({ type: entity.type, name_key: key })
    }
  }
  return [...names.values()]
}

const insertMentionsSql = statement((dialect) => {
  const columns = { entity: 'bigint', position: 'bigint', spellings: 'text[]' } as const
  return `INSERT INTO mentions (user_id, version, entity, memory, memory_created_at, current, position, spellings)
    SELECT own.user_id, CAST(? AS bigint), w.entity, CAST(? AS bigint), CAST(? AS bigint), TRUE, w.position, w.spellings
    FROM ${ownRows(dialect, 'w', columns)}`
})

async function insertMentions(user: UserData, version: Mentioning, resolved: readonly Resolved[]): Promise<void> {
  const spellings = new Map<number, Set<string>>()
  for (const { entity, spellings: own } of resolved) {
    spellings.set(entity.key, new Set([...(spellings.get(entity.key) ?? []), ...own.keys()]))
  }
  await user.send(
    insertMentionsSql(user),
    version.row,
    version.memory,
    version.memoryCreatedAt,
    JSON.stringify([...spellings].map(([entity, own], position) => ({ entity, position, spellings: [...own] }))),
  )
}

/** Copies the mentions of version `from` to version `to`. */
export async function carryMentions(user: UserData, from: number, to: number): Promise<void> {
  await user.send(
    `INSERT INTO mentions (user_id, version, entity, memory, memory_created_at, current, position, spellings)
     SELECT user_id, CAST(? AS bigint), entity, memory, memory_created_at, TRUE, position, spellings
     FROM mentions WHERE user_id = @user AND version = ?`,
    to,
    from,
  )
  await countSpellings(user, to)
}

const countSpellingsSql = statement(
  ({ elements }) => `UPDATE entity_spellings AS s SET uses = s.uses + 1
    FROM mentions n CROSS JOIN ${elements('n.spellings', 'used')}
    WHERE n.user_id = @user AND n.version = ? AND s.user_id = @user AND s.entity = n.entity AND s.spelling = used.value`,
)

async function countSpellings(user: UserData, version: number): Promise<void> {
  await user.send(countSpellingsSql(user), version)
}
