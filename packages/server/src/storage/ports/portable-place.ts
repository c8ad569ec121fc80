/** Where a writer of an archive is, and which rows its records may name. */
import { type PortableRecord, PortableRefused } from './portable.js'

/** The position of a writer: the user and the memory that the next records belong to. */
export interface PortablePlace {
  readonly id: string
  readonly numbers: number
  readonly entities: number
  memory: { readonly number: number; readonly created_at: number; readonly current: number } | null
}

/** Throws for a record that names a row its user cannot have: it would end up among another user's rows. */
export function requireOwn(place: PortablePlace, record: PortableRecord): void {
  const [numbers, entities] = namedBy(record)
  if (numbers.some((each) => each >= place.numbers))
    throw new PortableRefused('names a version that its user does not have')
  if (entities.some((each) => each > place.entities)) {
    throw new PortableRefused('names an entity that its user does not have')
  }
  if (record.record === 'version' && record.memory !== place.memory?.number) {
    throw new PortableRefused('is a version of another memory, not of the one before it')
  }
}

function namedBy(record: PortableRecord): readonly [numbers: readonly number[], entities: readonly number[]] {
  switch (record.record) {
    case 'entity':
      return [[], [record.number, record.merged_into ?? 0]]
    case 'memory':
      return [[record.number, record.current, record.superseded_by ?? 0], []]
    case 'version':
      return [[record.number], record.mentions.map(({ entity }) => entity)]
    case 'relationship':
      return [[...record.tellings, ...record.ends].map(({ version }) => version), [record.source, record.target]]
    case 'document':
      return [record.memories.map(({ memory }) => memory), []]
    case 'contradiction':
      return [[record.old_memory, record.new_memory, record.old_version, record.new_version], []]
    case 'entity_merge':
      return [[], [record.entity, record.into_entity]]
    default:
      return [[], []]
  }
}
