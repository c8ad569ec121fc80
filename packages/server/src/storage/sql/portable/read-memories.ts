/** Reads entities, memories and versions of one user as portable records. */
import { notEmbedded } from '../../domain/not-embedded.js'
import { type Embedding, type PortableOf, packVector } from '../../ports/portable.js'
import { eventOf, type FlagColumn, type OutdatedColumn, outdatedOf, type TextsColumn, textsOf } from '../columns.js'
import type { UserData } from '../user-data.js'
import { batches, grouped, numberOf, numberOrNull, type Ordinals, type Rows } from './rows.js'

interface EntityRow {
  readonly key: number
  readonly id: string
  readonly type: string
  readonly name: string
  readonly name_key: string
  readonly merged_into: number | null
}

interface SpellingRow {
  readonly entity: number
  readonly spelling: string
  readonly spelling_key: string
  readonly uses: number
}

export async function* readEntities(user: UserData, entities: Ordinals): AsyncGenerator<PortableOf<'entity'>> {
  const { dialect } = user
  for (const keys of batches(entities.keys)) {
    const [rows, spellings] = await Promise.all([
      user.all<EntityRow>(
        `SELECT key, id, type, name, name_key, merged_into FROM entities
         WHERE user_id = @user AND ${dialect.among('key', 'bigint')} ORDER BY key`,
        keys,
      ),
      user.all<SpellingRow>(
        `SELECT entity, spelling, spelling_key, uses FROM entity_spellings
         WHERE user_id = @user AND ${dialect.among('entity', 'bigint')} ORDER BY entity, spelling`,
        keys,
      ),
    ])
    const spellingsOf = grouped(spellings, 'entity')
    for (const { key, id, type, name, name_key, merged_into } of rows) {
      yield {
        record: 'entity',
        number: entities.of(key),
        id,
        type,
        name,
        name_key,
        merged_into: merged_into === null ? null : entities.of(merged_into),
        spellings: (spellingsOf.get(key) ?? []).map(({ entity: _entity, ...spelling }) => spelling),
      }
    }
  }
}

interface MemoryRow {
  readonly key: number
  readonly id: string
  readonly source: string
  readonly created_at: number
  readonly current_row: number
  readonly project: string | null
  readonly expires_at: number | null
  readonly content_key: string
  readonly superseded_at: number | null
  readonly superseded_by: number | null
  readonly withdrawn: FlagColumn
  readonly access_count: number
  readonly last_accessed: number | null
}

const memoriesAtOnce = 200

export async function* readMemories(
  user: UserData,
  [first, last]: Rows,
  entities: Ordinals,
  withVectors: boolean,
): AsyncGenerator<PortableOf<'memory'> | PortableOf<'version'>> {
  for (let from = first; ; ) {
    const page = await user.all<MemoryRow>(
      `SELECT key, id, source, created_at, current_row, project, expires_at, content_key, superseded_at, superseded_by,
         withdrawn, access_count, last_accessed
       FROM memories WHERE user_id = @user AND key BETWEEN ? AND ? ORDER BY key LIMIT ?`,
      from,
      last,
      memoriesAtOnce,
    )
    const keys = page.map(({ key }) => key)
    const versions = new VersionPages(user, entities, withVectors, keys)
    for (const row of page) {
      yield memoryOf(row)
      yield* versions.of(row.key)
    }
    const end = keys.at(-1)
    if (end === undefined || page.length < memoriesAtOnce) return
    from = end + 1
  }
}

function memoryOf(row: MemoryRow): PortableOf<'memory'> {
  return {
    record: 'memory',
    number: numberOf(row.key),
    id: row.id,
    source: row.source,
    created_at: row.created_at,
    current: numberOf(row.current_row),
    project: row.project,
    expires_at: row.expires_at,
    content_key: row.content_key,
    superseded_at: row.superseded_at,
    superseded_by: numberOrNull(row.superseded_by),
    withdrawn: Boolean(row.withdrawn),
    access_count: row.access_count,
    last_accessed: row.last_accessed,
  }
}

interface VersionRow {
  readonly row: number
  readonly memory: number
  readonly version: number
  readonly content: string
  readonly checksum: string
  readonly metadata: string
  readonly project: string | null
  readonly expires_at: number | null
  readonly trust_score: number
  readonly flagged: FlagColumn
  readonly valid_from: number
  readonly valid_to: number | null
  readonly model_id: string
  readonly outdated: OutdatedColumn
  readonly event_from: number | null
  readonly event_to: number | null
}

interface MentionRow {
  readonly version: number
  readonly entity: number
  readonly position: number
  readonly spellings: TextsColumn
}

interface SlotRow {
  readonly version: number
  readonly slot: string
  readonly value: string
}

type Version = PortableOf<'version'>

/** A version may have 50,000 characters and a vector. */
const versionsAtOnce = 100

/** Versions of some memories, in the order of the memories, in slices: a slice may begin and end in the middle of a memory. */
class VersionPages {
  #slice: { readonly memory: number; readonly record: Version }[] = []
  #after: readonly [memory: number, version: number] = [-1, -1]
  #hasEnded = false

  constructor(
    private readonly user: UserData,
    private readonly entities: Ordinals,
    private readonly withVectors: boolean,
    private readonly memories: readonly number[],
  ) {}

  async *of(memory: number): AsyncGenerator<Version> {
    for (;;) {
      if (this.#slice.length === 0 && !this.#hasEnded) await this.#readOn()
      const [next] = this.#slice
      if (next?.memory !== memory) return
      this.#slice.shift()
      yield next.record
    }
  }

  async #readOn(): Promise<void> {
    const { dialect } = this.user
    const rows = await this.user.all<VersionRow>(
      `SELECT row, memory, version, content, checksum, ${dialect.jsonText('metadata')} AS metadata, project, expires_at,
         trust_score, flagged, valid_from, valid_to, model_id, ${dialect.jsonText('outdated')} AS outdated,
         event_from, event_to
       FROM versions WHERE user_id = @user AND ${dialect.among('memory', 'bigint')}
         AND (memory, version) > (CAST(? AS bigint), CAST(? AS bigint))
       ORDER BY memory, version LIMIT ?`,
      this.memories,
      ...this.#after,
      versionsAtOnce,
    )
    const last = rows.at(-1)
    this.#hasEnded = rows.length < versionsAtOnce
    if (!last) return
    this.#after = [last.memory, last.version]
    this.#slice = await this.#recordsOf(rows)
  }

  async #recordsOf(rows: readonly VersionRow[]) {
    const { user, entities, withVectors } = this
    const { dialect } = user
    const numbers = rows.map(({ row }) => row)
    const [mentions, slots, vectors] = await Promise.all([
      user.all<MentionRow>(
        `SELECT version, entity, position, spellings FROM mentions
         WHERE user_id = @user AND ${dialect.among('version', 'bigint')} ORDER BY version, position, entity`,
        numbers,
      ),
      user.all<SlotRow>(
        `SELECT version, slot, value FROM slots
         WHERE user_id = @user AND ${dialect.among('version', 'bigint')} ORDER BY version, slot, value`,
        numbers,
      ),
      withVectors ? user.session.vectors.read(user.key, numbers) : new Map<number, Float32Array>(),
    ])
    const mentionsOf = grouped(mentions, 'version')
    const slotsOf = grouped(slots, 'version')
    return rows.map((row) => {
      const record = versionOf(row, mentionsOf.get(row.row) ?? [], slotsOf.get(row.row) ?? [], entities)
      const embedding = embeddingOf(row, vectors.get(row.row))
      return { memory: row.memory, record: withVectors ? { ...record, embedding } : record }
    })
  }
}

function versionOf(
  row: VersionRow,
  mentions: readonly MentionRow[],
  slots: readonly SlotRow[],
  entities: Ordinals,
): Version {
  const event = eventOf(row)
  return {
    record: 'version',
    number: numberOf(row.row),
    memory: numberOf(row.memory),
    version: row.version,
    content: row.content,
    checksum: row.checksum,
    metadata: JSON.parse(row.metadata),
    project: row.project,
    expires_at: row.expires_at,
    trust_score: row.trust_score,
    flagged: Boolean(row.flagged),
    valid_from: row.valid_from,
    valid_to: row.valid_to,
    mentions: mentions.map(({ entity, position, spellings }) => ({
      entity: entities.of(entity),
      position,
      spellings: [...textsOf(spellings)],
    })),
    slots: slots.map(({ slot, value }) => ({ slot, value })),
    ...(row.outdated === null ? {} : { outdated: outdatedOf(row.outdated).map((part) => ({ ...part })) }),
    ...(event === null ? {} : { event: { ...event } }),
  }
}

function embeddingOf({ model_id }: VersionRow, vector: Float32Array | undefined): Embedding | null {
  if (vector === undefined || model_id === notEmbedded) return null
  return { model: model_id, vector: packVector(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)) }
}
