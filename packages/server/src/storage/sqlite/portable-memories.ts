/** Entities and memories as portable records. */
import { notEmbedded, type PortableOf, packVector } from '../ports/portable.js'
import type { Database } from './database.js'
import { type Keys, numberOf, numberOrNull, ordinal, type Rows } from './portable-rows.js'

export function* readEntities(db: Database, keys: Keys): Generator<PortableOf<'entity'>> {
  type Row = Pick<PortableOf<'entity'>, 'id' | 'type' | 'name' | 'name_key'> & { readonly merged_into: number | null }
  for (const [index, key] of keys.entries()) {
    const row = db.get<Row>('SELECT id, type, name, name_key, merged_into FROM entities WHERE key = ?', key)
    if (!row) continue
    const { id, type, name, name_key, merged_into } = row
    const spellings = db.all<PortableOf<'entity'>['spellings'][number]>(
      'SELECT spelling, spelling_key, uses FROM entity_spellings WHERE entity = ? ORDER BY spelling',
      key,
    )
    const root = merged_into === null ? null : ordinal(keys, merged_into)
    yield { record: 'entity', number: index + 1, id, type, name, name_key, merged_into: root, spellings }
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
  readonly withdrawn: number
  readonly access_count: number
  readonly last_accessed: number | null
}

const memoriesAtOnce = 200

export function* readMemories(db: Database, [first, last]: Rows, entities: Keys, vectors: boolean) {
  for (let from = first; ; ) {
    const page = db.all<MemoryRow>(
      `SELECT key, id, source, created_at, current_row, project, expires_at, content_key, superseded_at, superseded_by,
         withdrawn, access_count, last_accessed
       FROM memories WHERE key BETWEEN ? AND ? ORDER BY key LIMIT ?`,
      from,
      last,
      memoriesAtOnce,
    )
    for (const { key, current_row, superseded_by, withdrawn, ...row } of page) {
      const record: PortableOf<'memory'> = {
        record: 'memory',
        number: numberOf(key),
        id: row.id,
        source: row.source,
        created_at: row.created_at,
        current: numberOf(current_row),
        project: row.project,
        expires_at: row.expires_at,
        content_key: row.content_key,
        superseded_at: row.superseded_at,
        superseded_by: numberOrNull(superseded_by),
        withdrawn: withdrawn === 1,
        access_count: row.access_count,
        last_accessed: row.last_accessed,
      }
      yield record
      yield* readVersions(db, key, entities, vectors)
    }
    const end = page.at(-1)
    if (!end || page.length < memoriesAtOnce) return
    from = end.key + 1
  }
}

interface VersionRow {
  readonly row: number
  readonly version: number
  readonly content: string
  readonly checksum: string
  readonly metadata: string
  readonly project: string | null
  readonly expires_at: number | null
  readonly trust_score: number
  readonly flagged: number
  readonly valid_from: number
  readonly valid_to: number | null
  readonly model_id: string
}

/** One by one: contents of a much edited memory would not fit together. */
function* readVersions(db: Database, memory: number, entities: Keys, vectors: boolean) {
  for (let after = -1; ; ) {
    const row = db.get<VersionRow>(
      `SELECT row, version, content, checksum, metadata, project, expires_at, trust_score, flagged, valid_from, valid_to,
         model_id
       FROM versions WHERE memory = ? AND version > ? ORDER BY version LIMIT 1`,
      memory,
      after,
    )
    if (!row) return
    after = row.version
    const record: PortableOf<'version'> = {
      record: 'version',
      number: numberOf(row.row),
      memory: numberOf(memory),
      version: row.version,
      content: row.content,
      checksum: row.checksum,
      metadata: JSON.parse(row.metadata),
      project: row.project,
      expires_at: row.expires_at,
      trust_score: row.trust_score,
      flagged: row.flagged === 1,
      valid_from: row.valid_from,
      valid_to: row.valid_to,
      mentions: mentionsOf(db, row.row, entities),
      slots: db.all('SELECT slot, value FROM slots WHERE version = ? ORDER BY slot, value', row.row),
    }
    yield vectors ? { ...record, embedding: embeddingAt(db, row) } : record
  }
}

function mentionsOf(db: Database, version: number, entities: Keys): PortableOf<'version'>['mentions'] {
  return db
    .all<{ entity: number; position: number; spellings: string }>(
      'SELECT entity, position, spellings FROM mentions WHERE version = ? ORDER BY position, entity',
      version,
    )
    .map(({ entity, position, spellings }) => ({
      entity: ordinal(entities, entity),
      position,
      spellings: JSON.parse(spellings),
    }))
}

function embeddingAt(
  db: Database,
  { row, model_id }: VersionRow,
): (PortableOf<'version'>['embedding'] & object) | null {
  if (model_id === notEmbedded) return null
  const found = db.get<{ vector: Uint8Array }>('SELECT vector FROM vectors WHERE row = ?', row)
  return found ? { model: model_id, vector: packVector(found.vector) } : null
}
