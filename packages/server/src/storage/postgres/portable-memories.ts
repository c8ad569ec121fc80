/** Entities and memories as portable records. */
import { type Embedding, notEmbedded, type PortableOf, packVector } from '../ports/portable.js'
import { grouped, numberOf, numberOrNull, type Ordinals, pages } from './portable-rows.js'
import type { UserData } from './user-data.js'
import { vectorOf } from './write-version.js'

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
  const sql = `SELECT key, id, type, name, name_key, merged_into FROM entities
    WHERE user_id = @user AND key > ? ORDER BY key LIMIT ?`
  for await (const page of pages<EntityRow>(user, sql)) {
    const rows = await user.all<SpellingRow>(
      `SELECT entity, spelling, spelling_key, uses FROM entity_spellings
       WHERE user_id = @user AND entity = ANY (?::bigint[]) ORDER BY entity, spelling`,
      page.map(({ key }) => key),
    )
    const spellings = grouped(rows, 'entity')
    for (const { key, id, type, name, name_key, merged_into } of page) {
      yield {
        record: 'entity',
        number: entities.of(key),
        id,
        type,
        name,
        name_key,
        merged_into: merged_into === null ? null : entities.of(merged_into),
        spellings: (spellings.get(key) ?? []).map(({ spelling, spelling_key, uses }) => ({
          spelling,
          spelling_key,
          uses,
        })),
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
  readonly withdrawn: boolean
  readonly access_count: number
  readonly last_accessed: number | null
}

export async function* readMemories(user: UserData, entities: Ordinals, vectors: boolean) {
  const sql = `SELECT key, id, source, created_at, current_row, project, expires_at, content_key, superseded_at,
      superseded_by, withdrawn, access_count, last_accessed
    FROM memories WHERE user_id = @user AND key > ? ORDER BY key LIMIT ?`
  for await (const page of pages<MemoryRow>(user, sql)) {
    const versions = new VersionPages(
      user,
      entities,
      vectors,
      page.map(({ key }) => key),
    )
    for (const row of page) {
      yield memoryOf(row)
      yield* versions.of(row.key)
    }
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
    withdrawn: row.withdrawn,
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
  readonly metadata: PortableOf<'version'>['metadata']
  readonly project: string | null
  readonly expires_at: number | null
  readonly trust_score: number
  readonly flagged: boolean
  readonly valid_from: number
  readonly valid_to: number | null
  readonly model_id: string
}

type Version = PortableOf<'version'>

/** A version may have 50,000 characters, and a vector. */
const versionsAtOnce = 100

/** Versions of some memories, in the order of the memories, read ahead in slices however they are spread among them. */
class VersionPages {
  #slice: { readonly memory: number; readonly record: Version }[] = []
  #after: readonly [memory: number, version: number] = [-1, -1]
  #hasEnded = false

  constructor(
    private readonly user: UserData,
    private readonly entities: Ordinals,
    private readonly vectors: boolean,
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
    const rows = await this.user.all<VersionRow>(
      `SELECT row, memory, version, content, checksum, metadata, project, expires_at, trust_score, flagged, valid_from,
         valid_to, model_id
       FROM versions WHERE user_id = @user AND memory = ANY (?::bigint[]) AND (memory, version) > (?::bigint, ?::bigint)
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
    const numbers = rows.map(({ row }) => row)
    const [mentions, slots, embeddings] = await Promise.all([
      this.user.all<MentionRow>(
        `SELECT version, entity, position, spellings FROM mentions
         WHERE user_id = @user AND version = ANY (?::bigint[]) ORDER BY version, position, entity`,
        numbers,
      ),
      this.user.all<{ version: number; slot: string; value: string }>(
        `SELECT version, slot, value FROM slots
         WHERE user_id = @user AND version = ANY (?::bigint[]) ORDER BY version, slot, value`,
        numbers,
      ),
      this.vectors ? this.#vectorsOf(numbers) : new Map<number, string>(),
    ])
    const mentionsByVersion = grouped(mentions, 'version')
    const slotsByVersion = grouped(slots, 'version')
    return rows.map((row) => {
      const record: Version = {
        record: 'version',
        number: numberOf(row.row),
        memory: numberOf(row.memory),
        version: row.version,
        content: row.content,
        checksum: row.checksum,
        metadata: row.metadata,
        project: row.project,
        expires_at: row.expires_at,
        trust_score: row.trust_score,
        flagged: row.flagged,
        valid_from: row.valid_from,
        valid_to: row.valid_to,
        mentions: (mentionsByVersion.get(row.row) ?? []).map(({ entity, position, spellings }) => ({
          entity: this.entities.of(entity),
          position,
          spellings: [...spellings],
        })),
        slots: (slotsByVersion.get(row.row) ?? []).map(({ slot, value }) => ({ slot, value })),
      }
      const embedding = embeddingOf(row, embeddings.get(row.row))
      return { memory: row.memory, record: this.vectors ? { ...record, embedding } : record }
    })
  }

  async #vectorsOf(numbers: readonly number[]): Promise<Map<number, string>> {
    const rows = await this.user.all<{ row: number; vector: Buffer }>(
      'SELECT row, vector_send(vector) AS vector FROM vectors WHERE user_id = @user AND row = ANY (?::bigint[])',
      numbers,
    )
    return new Map(rows.map(({ row, vector }) => [row, packVector(new Uint8Array(vectorOf(vector).buffer))]))
  }
}

interface MentionRow {
  readonly version: number
  readonly entity: number
  readonly position: number
  readonly spellings: readonly string[]
}

function embeddingOf({ model_id }: VersionRow, vector: string | undefined): Embedding | null {
  return vector === undefined || model_id === notEmbedded ? null : { model: model_id, vector }
}
