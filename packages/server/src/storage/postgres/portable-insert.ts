/** Portable records of one user as rows: those of a table together, in an order in which each finds what it names. */

import { quantize } from '../domain/quantize.js'
import {
  embeddingOf,
  type PortableOf,
  type PortablePlace,
  type PortableRecord,
  PortableRefused,
  type RecordKind,
  requireOwn,
} from '../ports/portable.js'
import type { UserWrite } from './user-rows.js'

export interface Place extends PortablePlace {
  /** A row's number counts from here. */
  readonly first: number
  /** An entity's key is this and its number. */
  readonly beforeEntities: number
}

type ByKind = { readonly [Kind in RecordKind]: PortableOf<Kind>[] }

type Version = PortableOf<'version'> & { readonly isCurrent: boolean; readonly memoryCreatedAt: number }

export async function insertRecords(write: UserWrite, place: Place, records: readonly PortableRecord[]): Promise<void> {
  const own = byKind(records)
  const versions: Version[] = []
  for (const record of records) {
    requireOwn(place, record)
    if (record.record === 'memory') {
      place.memory = { number: record.number, created_at: record.created_at, current: record.current }
    }
    if (record.record !== 'version') continue
    if (!place.memory) throw new PortableRefused('a version comes before its memory')
    const { current, created_at } = place.memory
    versions.push({ ...record, isCurrent: record.number === current, memoryCreatedAt: created_at })
  }
  await insertEntities(write, place, own.entity)
  await insertMemories(write, place, own.memory)
  await insertVersions(write, place, versions)
  await insertRelationships(write, place, own.relationship)
  await insertDocuments(write, place, own.document)
  await insertContradictions(write, place, own.contradiction)
  await insertMerges(write, place, own.entity_merge)
  write.countMemories(own.memory.length)
}

function byKind(records: readonly PortableRecord[]): ByKind {
  const of = <Kind extends RecordKind>(kind: Kind) =>
    records.filter((record): record is PortableOf<Kind> => record.record === kind)
  return {
    user: of('user'),
    entity: of('entity'),
    memory: of('memory'),
    version: of('version'),
    relationship: of('relationship'),
    document: of('document'),
    contradiction: of('contradiction'),
    entity_merge: of('entity_merge'),
    pending: of('pending'),
    webhook: of('webhook'),
    key: of('key'),
  }
}

const rowOf = ({ first }: Place, number: number) => first + number
const entityOf = ({ beforeEntities }: Place, number: number) => beforeEntities + number

/** The statement takes its rows from `x`, which has the given columns. */
async function insert(write: UserWrite, statement: string, columns: string, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return
  const source = `json_to_recordset(?::text::json) AS x (${columns})`
  await write.send(`${statement} FROM ${source}`, JSON.stringify(rows))
}

async function insertEntities(write: UserWrite, place: Place, records: ByKind['entity']): Promise<void> {
  await insert(
    write,
    `INSERT INTO entities (user_id, key, id, type, name, name_key, merged_into)
     SELECT @user, x.key, x.id, x.type, x.name, x.name_key, x.merged_into`,
    'key bigint, id text, type text, name text, name_key text, merged_into bigint',
    records.map(({ spellings: _spellings, number, merged_into, ...row }) => ({
      ...row,
      key: entityOf(place, number),
      merged_into: merged_into === null ? null : entityOf(place, merged_into),
    })),
  )
  await insert(
    write,
    `INSERT INTO entity_spellings (user_id, entity, spelling, type, spelling_key, uses)
     SELECT @user, x.entity, x.spelling, x.type, x.spelling_key, x.uses`,
    'entity bigint, spelling text, type text, spelling_key text, uses bigint',
    records.flatMap(({ number, type, spellings }) =>
      spellings.map((spelling) => ({ entity: entityOf(place, number), type, ...spelling })),
    ),
  )
}

async function insertMemories(write: UserWrite, place: Place, records: ByKind['memory']): Promise<void> {
  await insert(
    write,
    `INSERT INTO memories (user_id, key, id, source, created_at, current_row, project, expires_at, content_key,
       superseded_at, superseded_by, withdrawn, access_count, last_accessed)
     SELECT @user, x.key, x.id, x.source, x.created_at, x.current_row, x.project, x.expires_at, x.content_key,
       x.superseded_at, x.superseded_by, x.withdrawn, x.access_count, x.last_accessed`,
    `key bigint, id text, source text, created_at bigint, current_row bigint, project text, expires_at bigint,
     content_key text, superseded_at bigint, superseded_by bigint, withdrawn boolean, access_count bigint,
     last_accessed bigint`,
    records.map(({ number, current, superseded_by, ...row }) => ({
      ...row,
      key: rowOf(place, number),
      current_row: rowOf(place, current),
      superseded_by: superseded_by === null ? null : rowOf(place, superseded_by),
    })),
  )
}

async function insertVersions(write: UserWrite, place: Place, records: readonly Version[]): Promise<void> {
  const embedded = records.map((record) => ({ record, row: rowOf(place, record.number), ...embeddingOf(record) }))
  await insert(
    write,
    `INSERT INTO versions (user_id, row, memory, version, content, checksum, metadata, project, expires_at, trust_score,
       flagged, model_id, valid_from, valid_to, revision)
     SELECT @user, x.row, x.memory, x.version, x.content, x.checksum, x.metadata::json, x.project, x.expires_at,
       x.trust_score, x.flagged, x.model_id, x.valid_from, x.valid_to, x.revision`,
    `row bigint, memory bigint, version bigint, content text, checksum text, metadata text, project text,
     expires_at bigint, trust_score double precision, flagged boolean, model_id text, valid_from bigint, valid_to bigint,
     revision bigint`,
    embedded.map(({ record, row, model }) => ({
      row,
      memory: rowOf(place, record.memory),
      version: record.version,
      content: record.content,
      checksum: record.checksum,
      metadata: JSON.stringify(record.metadata),
      project: record.project,
      expires_at: record.expires_at,
      trust_score: record.trust_score,
      flagged: record.flagged,
      model_id: model,
      valid_from: record.valid_from,
      valid_to: record.valid_to,
      revision: write.revision,
    })),
  )
  await insertVectors(write, embedded)
  await insertFindings(write, place, records)
}

async function insertVectors(
  write: UserWrite,
  embedded: readonly { readonly row: number; readonly vector: Float32Array }[],
): Promise<void> {
  await insert(
    write,
    'INSERT INTO vectors (user_id, row, vector) SELECT @user, x.row, x.vector::vector',
    'row bigint, vector text',
    embedded.map(({ row, vector }) => ({ row, vector: exactText(vector) })),
  )
  await insert(
    write,
    `INSERT INTO vectors_quantized (user_id, row, scale, quantized)
     SELECT @user, x.row, x.scale, decode(x.quantized, 'hex')`,
    'row bigint, scale double precision, quantized text',
    embedded.map(({ row, vector }) => {
      const { scale, quantized } = quantize(vector)
      return { row, scale, quantized: Buffer.from(quantized.buffer).toString('hex') }
    }),
  )
}

/** A zero may have a sign, which JavaScript does not print. */
function exactText(vector: Float32Array): string {
  return `[${Array.from(vector, (component) => (Object.is(component, -0) ? '-0' : component)).join(',')}]`
}

async function insertFindings(write: UserWrite, place: Place, records: readonly Version[]): Promise<void> {
  await insert(
    write,
    `INSERT INTO mentions (user_id, version, entity, memory, memory_created_at, current, position, spellings)
     SELECT @user, x.version, x.entity, x.memory, x.memory_created_at, x.current, x.position, x.spellings`,
    `version bigint, entity bigint, memory bigint, memory_created_at bigint, current boolean, position bigint,
     spellings text[]`,
    records.flatMap(({ number, memory, mentions, isCurrent, memoryCreatedAt }) =>
      mentions.map(({ entity, position, spellings }) => ({
        version: rowOf(place, number),
        entity: entityOf(place, entity),
        memory: rowOf(place, memory),
        memory_created_at: memoryCreatedAt,
        current: isCurrent,
        position,
        spellings,
      })),
    ),
  )
  await insert(
    write,
    `INSERT INTO slots (user_id, version, slot, value, memory, current)
     SELECT @user, x.version, x.slot, x.value, x.memory, x.current`,
    'version bigint, slot text, value text, memory bigint, current boolean',
    records.flatMap(({ number, memory, slots, isCurrent }) =>
      slots.map(({ slot, value }) => ({
        version: rowOf(place, number),
        slot,
        value,
        memory: rowOf(place, memory),
        current: isCurrent,
      })),
    ),
  )
}

async function insertRelationships(write: UserWrite, place: Place, records: ByKind['relationship']): Promise<void> {
  const keyed = records.map((record) => ({ record, key: write.nextRow() }))
  await insert(
    write,
    `INSERT INTO relationships (user_id, key, id, source, target, type, valid_from, valid_to, told_at, exclusive)
     SELECT @user, x.key, x.id, x.source, x.target, x.type, x.valid_from, x.valid_to, x.told_at, x.exclusive`,
    `key bigint, id text, source bigint, target bigint, type text, valid_from bigint, valid_to bigint, told_at bigint,
     exclusive boolean`,
    keyed.map(({ record: { tellings: _tellings, ends: _ends, source, target, ...row }, key }) => ({
      ...row,
      key,
      source: entityOf(place, source),
      target: entityOf(place, target),
    })),
  )
  await insert(
    write,
    `INSERT INTO relationship_sources (user_id, relationship, version, properties, exclusive, starts_at, ends_at)
     SELECT @user, x.relationship, x.version, x.properties, x.exclusive, x.starts_at, x.ends_at`,
    'relationship bigint, version bigint, properties jsonb, exclusive boolean, starts_at bigint, ends_at bigint',
    keyed.flatMap(({ record, key }) =>
      record.tellings.map((telling) => ({ ...telling, relationship: key, version: rowOf(place, telling.version) })),
    ),
  )
  await insert(
    write,
    `INSERT INTO relationship_ends (user_id, relationship, version, ends_at)
     SELECT @user, x.relationship, x.version, x.ends_at`,
    'relationship bigint, version bigint, ends_at bigint',
    keyed.flatMap(({ record, key }) =>
      record.ends.map(({ version, ends_at }) => ({ relationship: key, version: rowOf(place, version), ends_at })),
    ),
  )
}

async function insertDocuments(write: UserWrite, place: Place, records: ByKind['document']): Promise<void> {
  const keyed = records.map((record) => ({ record, key: write.nextRow() }))
  await insert(
    write,
    `INSERT INTO documents (user_id, key, id, source, stored_at) SELECT @user, x.key, x.id, x.source, x.stored_at`,
    'key bigint, id text, source text, stored_at bigint',
    keyed.map(({ record: { id, source, stored_at }, key }) => ({ key, id, source, stored_at })),
  )
  await insert(
    write,
    'INSERT INTO segments (user_id, document, position, text) SELECT @user, x.document, x.position, x.text',
    'document bigint, position bigint, text text',
    keyed.flatMap(({ record, key }) => record.segments.map((segment) => ({ document: key, ...segment }))),
  )
  await insert(
    write,
    `INSERT INTO memory_sources (user_id, memory, document, first_segment, last_segment)
     SELECT @user, x.memory, x.document, x.first_segment, x.last_segment`,
    'memory bigint, document bigint, first_segment bigint, last_segment bigint',
    keyed.flatMap(({ record, key }) =>
      record.memories.map((source) => ({ ...source, document: key, memory: rowOf(place, source.memory) })),
    ),
  )
}

async function insertContradictions(write: UserWrite, place: Place, records: ByKind['contradiction']): Promise<void> {
  await insert(
    write,
    `INSERT INTO contradictions (user_id, key, id, old_memory, new_memory, old_version, new_version, status, why, reason,
       created_at, decided_at)
     SELECT @user, x.key, x.id, x.old_memory, x.new_memory, x.old_version, x.new_version, x.status, x.why,
       x.reason::json, x.created_at, x.decided_at`,
    `key bigint, id text, old_memory bigint, new_memory bigint, old_version bigint, new_version bigint, status text,
     why text, reason text, created_at bigint, decided_at bigint`,
    records.map((record) => ({
      ...record,
      key: write.nextRow(),
      old_memory: rowOf(place, record.old_memory),
      new_memory: rowOf(place, record.new_memory),
      old_version: rowOf(place, record.old_version),
      new_version: rowOf(place, record.new_version),
      reason: record.reason === null ? null : JSON.stringify(record.reason),
    })),
  )
}

async function insertMerges(write: UserWrite, place: Place, records: ByKind['entity_merge']): Promise<void> {
  await insert(
    write,
    `INSERT INTO entity_merges (user_id, key, id, entity, into_entity, rule, why, created_at, reverted_at, reverted_by)
     SELECT @user, x.key, x.id, x.entity, x.into_entity, x.rule, x.why, x.created_at, x.reverted_at, x.reverted_by`,
    `key bigint, id text, entity bigint, into_entity bigint, rule text, why text, created_at bigint, reverted_at bigint,
     reverted_by text`,
    records.map((record) => ({
      ...record,
      key: write.nextRow(),
      entity: entityOf(place, record.entity),
      into_entity: entityOf(place, record.into_entity),
    })),
  )
}
