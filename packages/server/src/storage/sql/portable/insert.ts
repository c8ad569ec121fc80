/** Inserts the records of one user: one statement per table, in an order in which every referenced row already exists. */
import {
  embeddingOf,
  type PortableOf,
  type PortableRecord,
  PortableRefused,
  type RecordKind,
} from '../../ports/portable.js'
import { type PortablePlace, requireOwn } from '../../ports/portable-place.js'
import { insertItems } from '../items/portable-items.js'
import { ownRows } from '../own-rows.js'
import type { UserWrite } from '../user-write.js'
import { type RowOf, type Table, tables } from './tables.js'

export interface Place extends PortablePlace {
  /** The row number that corresponds to 0 in the records. */
  readonly first: number
  /** The key before that of the first entity. */
  readonly beforeEntities: number
}

type Version = PortableOf<'version'> & { readonly isCurrent: boolean; readonly memoryCreatedAt: number }

export async function insertRecords(write: UserWrite, place: Place, records: readonly PortableRecord[]): Promise<void> {
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
  const of = <Kind extends RecordKind>(kind: Kind) =>
    records.filter((record): record is PortableOf<Kind> => record.record === kind)
  const memories = of('memory')
  await insertEntities(write, place, of('entity'))
  await insertMemories(write, place, memories)
  await insertVersions(write, place, versions)
  await insertFindings(write, place, versions)
  await insertRelationships(write, place, of('relationship'))
  await insertDocuments(write, place, of('document'))
  await insertContradictions(write, place, of('contradiction'))
  await insertMerges(write, place, of('entity_merge'))
  await insertItems(write, of('item'))
  write.countMemories(memories.length)
}

const rowOf = ({ first }: Place, number: number) => first + number
const entityOf = ({ beforeEntities }: Place, number: number) => beforeEntities + number

async function insert<Name extends Table>(write: UserWrite, table: Name, rows: readonly RowOf<Name>[]): Promise<void> {
  if (rows.length === 0) return
  const columns = tables[table]
  const names = Object.keys(columns)
  await write.send(
    `INSERT INTO ${table} (user_id, ${names.join(', ')})
     SELECT own.user_id, ${names.map((name) => `x.${name}`).join(', ')} FROM ${ownRows(write.dialect, 'x', columns)}`,
    JSON.stringify(rows),
  )
}

async function insertEntities(write: UserWrite, place: Place, records: readonly PortableOf<'entity'>[]): Promise<void> {
  await insert(
    write,
    'entities',
    records.map(({ spellings: _spellings, number, merged_into, ...row }) => ({
      ...row,
      key: entityOf(place, number),
      merged_into: merged_into === null ? null : entityOf(place, merged_into),
    })),
  )
  await insert(
    write,
    'entity_spellings',
    records.flatMap(({ number, type, spellings }) =>
      spellings.map((spelling) => ({ entity: entityOf(place, number), type, ...spelling })),
    ),
  )
}

async function insertMemories(write: UserWrite, place: Place, records: readonly PortableOf<'memory'>[]): Promise<void> {
  await insert(
    write,
    'memories',
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
    'versions',
    embedded.map(({ record, row, model }) => ({
      row,
      memory: rowOf(place, record.memory),
      version: record.version,
      content: record.content,
      checksum: record.checksum,
      metadata: record.metadata,
      project: record.project,
      expires_at: record.expires_at,
      trust_score: record.trust_score,
      flagged: record.flagged,
      model_id: model,
      valid_from: record.valid_from,
      valid_to: record.valid_to,
      revision: write.revision,
      outdated: record.outdated ?? null,
      event_from: record.event?.from ?? null,
      event_to: record.event?.to ?? null,
    })),
  )
  await write.session.vectors.write(write.key, embedded)
}

async function insertFindings(write: UserWrite, place: Place, records: readonly Version[]): Promise<void> {
  const located = records.map(({ number, memory, isCurrent, memoryCreatedAt, mentions, slots }) => ({
    at: { version: rowOf(place, number), memory: rowOf(place, memory), current: isCurrent },
    memoryCreatedAt,
    mentions,
    slots,
  }))
  await insert(
    write,
    'mentions',
    located.flatMap(({ at, memoryCreatedAt, mentions }) =>
      mentions.map(({ entity, position, spellings }) => ({
        ...at,
        entity: entityOf(place, entity),
        memory_created_at: memoryCreatedAt,
        position,
        spellings,
      })),
    ),
  )
  await insert(
    write,
    'slots',
    located.flatMap(({ at, slots }) => slots.map((slot) => ({ ...at, ...slot }))),
  )
}

async function insertRelationships(
  write: UserWrite,
  place: Place,
  records: readonly PortableOf<'relationship'>[],
): Promise<void> {
  const keyed = records.map((record) => ({ record, key: write.nextRow() }))
  await insert(
    write,
    'relationships',
    keyed.map(({ record: { tellings: _tellings, ends: _ends, source, target, ...row }, key }) => ({
      ...row,
      key,
      source: entityOf(place, source),
      target: entityOf(place, target),
    })),
  )
  await insert(
    write,
    'relationship_sources',
    keyed.flatMap(({ record, key }) =>
      record.tellings.map((telling) => ({ ...telling, relationship: key, version: rowOf(place, telling.version) })),
    ),
  )
  await insert(
    write,
    'relationship_ends',
    keyed.flatMap(({ record, key }) =>
      record.ends.map(({ version, ends_at }) => ({ relationship: key, version: rowOf(place, version), ends_at })),
    ),
  )
}

async function insertDocuments(
  write: UserWrite,
  place: Place,
  records: readonly PortableOf<'document'>[],
): Promise<void> {
  const keyed = records.map((record) => ({ record, key: write.nextRow() }))
  await insert(
    write,
    'documents',
    keyed.map(({ record: { id, source, stored_at }, key }) => ({ key, id, source, stored_at })),
  )
  await insert(
    write,
    'segments',
    keyed.flatMap(({ record, key }) => record.segments.map((segment) => ({ document: key, ...segment }))),
  )
  await insert(
    write,
    'memory_sources',
    keyed.flatMap(({ record, key }) =>
      record.memories.map((source) => ({ ...source, document: key, memory: rowOf(place, source.memory) })),
    ),
  )
}

async function insertContradictions(
  write: UserWrite,
  place: Place,
  records: readonly PortableOf<'contradiction'>[],
): Promise<void> {
  await insert(
    write,
    'contradictions',
    records.map(({ part, ...record }) => ({
      ...record,
      part_start: part?.start ?? null,
      part_end: part?.end ?? null,
      key: write.nextRow(),
      old_memory: rowOf(place, record.old_memory),
      new_memory: rowOf(place, record.new_memory),
      old_version: rowOf(place, record.old_version),
      new_version: rowOf(place, record.new_version),
    })),
  )
}

async function insertMerges(
  write: UserWrite,
  place: Place,
  records: readonly PortableOf<'entity_merge'>[],
): Promise<void> {
  await insert(
    write,
    'entity_merges',
    records.map((record) => ({
      ...record,
      key: write.nextRow(),
      entity: entityOf(place, record.entity),
      into_entity: entityOf(place, record.into_entity),
    })),
  )
}
