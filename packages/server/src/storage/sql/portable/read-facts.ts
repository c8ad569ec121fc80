/** Reads relationships, documents, contradictions and merges of one user as portable records. */
import { partOf } from '../../domain/contradiction-row.js'
import { type PortableOf, sorted } from '../../ports/portable.js'
import type { FlagColumn } from '../columns.js'
import type { UserData } from '../user-data.js'
import { batches, grouped, numberOf, type Ordinals } from './rows.js'

interface RelationshipRow {
  readonly key: number
  readonly id: string
  readonly source: number
  readonly target: number
  readonly type: string
  readonly valid_from: number
  readonly valid_to: number | null
  readonly told_at: number
  readonly exclusive: FlagColumn
}

interface TellingRow {
  readonly relationship: number
  readonly version: number
  readonly properties: string
  readonly exclusive: FlagColumn
  readonly starts_at: number | null
  readonly ends_at: number | null
}

interface EndRow {
  readonly relationship: number
  readonly version: number
  readonly ends_at: number
}

export async function* readRelationships(
  user: UserData,
  relationships: Float64Array,
  entities: Ordinals,
): AsyncGenerator<PortableOf<'relationship'>> {
  const { dialect } = user
  for (const keys of batches(relationships)) {
    const [rows, tellings, ends] = await Promise.all([
      user.all<RelationshipRow>(
        `SELECT key, id, source, target, type, valid_from, valid_to, told_at, exclusive FROM relationships
         WHERE user_id = @user AND ${dialect.among('key', 'bigint')} ORDER BY key`,
        keys,
      ),
      user.all<TellingRow>(
        `SELECT relationship, version, ${dialect.jsonText('properties')} AS properties, exclusive, starts_at, ends_at
         FROM relationship_sources
         WHERE user_id = @user AND ${dialect.among('relationship', 'bigint')} ORDER BY relationship, version`,
        keys,
      ),
      user.all<EndRow>(
        `SELECT relationship, version, ends_at FROM relationship_ends
         WHERE user_id = @user AND ${dialect.among('relationship', 'bigint')} ORDER BY relationship, version`,
        keys,
      ),
    ])
    const tellingsOf = grouped(tellings, 'relationship')
    const endsOf = grouped(ends, 'relationship')
    for (const row of rows) {
      yield relationshipOf(row, tellingsOf.get(row.key) ?? [], endsOf.get(row.key) ?? [], entities)
    }
  }
}

function relationshipOf(
  row: RelationshipRow,
  tellings: readonly TellingRow[],
  ends: readonly EndRow[],
  entities: Ordinals,
): PortableOf<'relationship'> {
  return {
    record: 'relationship',
    id: row.id,
    source: entities.of(row.source),
    target: entities.of(row.target),
    type: row.type,
    valid_from: row.valid_from,
    valid_to: row.valid_to,
    told_at: row.told_at,
    exclusive: Boolean(row.exclusive),
    tellings: tellings.map(({ version, properties, exclusive, starts_at, ends_at }) => ({
      version: numberOf(version),
      properties: sorted(JSON.parse(properties)),
      exclusive: Boolean(exclusive),
      starts_at,
      ends_at,
    })),
    ends: ends.map(({ version, ends_at }) => ({ version: numberOf(version), ends_at })),
  }
}

interface DocumentRow {
  readonly key: number
  readonly id: string
  readonly source: string
  readonly stored_at: number
}

interface SegmentRow {
  readonly document: number
  readonly position: number
  readonly text: string
}

interface SourceRow {
  readonly document: number
  readonly memory: number
  readonly first_segment: number
  readonly last_segment: number
}

/** A document may be as large as a request. */
const documentsAtOnce = 20

export async function* readDocuments(user: UserData, documents: Float64Array): AsyncGenerator<PortableOf<'document'>> {
  const { dialect } = user
  for (const keys of batches(documents, documentsAtOnce)) {
    const [rows, segments, sources] = await Promise.all([
      user.all<DocumentRow>(
        `SELECT key, id, source, stored_at FROM documents
         WHERE user_id = @user AND ${dialect.among('key', 'bigint')} ORDER BY key`,
        keys,
      ),
      user.all<SegmentRow>(
        `SELECT document, position, text FROM segments
         WHERE user_id = @user AND ${dialect.among('document', 'bigint')} ORDER BY document, position`,
        keys,
      ),
      user.all<SourceRow>(
        `SELECT document, memory, first_segment, last_segment FROM memory_sources
         WHERE user_id = @user AND ${dialect.among('document', 'bigint')}
         ORDER BY document, memory, first_segment, last_segment`,
        keys,
      ),
    ])
    const segmentsOf = grouped(segments, 'document')
    const sourcesOf = grouped(sources, 'document')
    for (const { key, id, source, stored_at } of rows) {
      yield {
        record: 'document',
        id,
        source,
        stored_at,
        segments: (segmentsOf.get(key) ?? []).map(({ position, text }) => ({ position, text })),
        memories: (sourcesOf.get(key) ?? []).map(({ memory, first_segment, last_segment }) => ({
          memory: numberOf(memory),
          first_segment,
          last_segment,
        })),
      }
    }
  }
}

type ContradictionRow = Omit<PortableOf<'contradiction'>, 'record' | 'reason' | 'part'> & {
  readonly reason: string | null
  readonly part_start: number | null
  readonly part_end: number | null
}

export async function* readContradictions(
  user: UserData,
  contradictions: Float64Array,
): AsyncGenerator<PortableOf<'contradiction'>> {
  const { dialect } = user
  for (const keys of batches(contradictions)) {
    const rows = await user.all<ContradictionRow>(
      `SELECT id, old_memory, new_memory, old_version, new_version, status, why, ${dialect.jsonText('reason')} AS reason,
         created_at, decided_at, part_start, part_end
       FROM contradictions WHERE user_id = @user AND ${dialect.among('key', 'bigint')} ORDER BY key`,
      keys,
    )
    for (const { part_start, part_end, ...row } of rows) {
      const part = partOf({ part_start, part_end })
      yield {
        record: 'contradiction',
        ...row,
        old_memory: numberOf(row.old_memory),
        new_memory: numberOf(row.new_memory),
        old_version: numberOf(row.old_version),
        new_version: numberOf(row.new_version),
        reason: row.reason === null ? null : JSON.parse(row.reason),
        ...(part === null ? {} : { part: { ...part } }),
      }
    }
  }
}

type MergeRow = Omit<PortableOf<'entity_merge'>, 'record'>

export async function* readMerges(
  user: UserData,
  merges: Float64Array,
  entities: Ordinals,
): AsyncGenerator<PortableOf<'entity_merge'>> {
  for (const keys of batches(merges)) {
    const rows = await user.all<MergeRow>(
      `SELECT id, entity, into_entity, rule, why, created_at, reverted_at, reverted_by FROM entity_merges
       WHERE user_id = @user AND ${user.dialect.among('key', 'bigint')} ORDER BY key`,
      keys,
    )
    for (const row of rows) {
      const [entity, into_entity] = [entities.of(row.entity), entities.of(row.into_entity)]
      yield { record: 'entity_merge', ...row, entity, into_entity }
    }
  }
}
