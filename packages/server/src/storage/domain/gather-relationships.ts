/** Builds the relationships that callers see from the statements behind them. */
import { inverseOf, isSymmetric, type RelationshipType } from '../../core/entity.js'
import type { Relationship } from '../ports/entities.js'

/** One statement of a relationship. */
export interface SupportedRow {
  readonly id: string
  readonly source: string
  readonly source_id: string
  readonly target: string
  readonly target_id: string
  readonly type: RelationshipType
  readonly valid_from: number
  readonly valid_to: number | null
  readonly properties: Readonly<Record<string, string>>
  readonly memory_id: string
}

interface Gathered extends Omit<Relationship, 'properties' | 'memoryIds' | 'validTo'> {
  validTo: number | null
  readonly properties: Record<string, string>
  readonly memoryIds: Set<string>
}

/**
 * Combines all statements of a relationship; later versions win. Rows are sorted by the start of the relationship. After a merge
 * of names, two relationships may say the same about the same period: they are shown as one.
 */
export function gathered(rows: readonly SupportedRow[]): Relationship[] {
  const byId = new Map<string, Gathered>()
  const lastOfPair = new Map<string, Gathered>()
  for (const row of rows) {
    const entry = byId.get(row.id) ?? sameTime(lastOfPair.get(pairOf(row)), row) ?? newlyGathered(row)
    byId.set(row.id, entry)
    lastOfPair.set(pairOf(row), entry)
    if (entry.validTo !== null) {
      entry.validTo = row.valid_to === null ? null : Math.max(entry.validTo, row.valid_to)
    }
    Object.assign(entry.properties, row.properties)
    entry.memoryIds.add(row.memory_id)
  }
  return [...new Set(byId.values())].map((entry) => ({ ...entry, memoryIds: [...entry.memoryIds] }))
}

function pairOf({ type, source_id: source, target_id: target }: SupportedRow): string {
  return isSymmetric(type) && target < source ? `${type} ${target} ${source}` : `${type} ${source} ${target}`
}

function sameTime(before: Gathered | undefined, row: SupportedRow): Gathered | undefined {
  return before && (before.validTo === null || row.valid_from < before.validTo) ? before : undefined
}

function newlyGathered(row: SupportedRow): Gathered {
  return {
    id: row.id,
    source: row.source,
    sourceId: row.source_id,
    target: row.target,
    targetId: row.target_id,
    type: row.type,
    properties: {},
    validFrom: row.valid_from,
    validTo: row.valid_to,
    memoryIds: new Set(),
  }
}

/** A relationship is stored in one direction, and shown from the requested end. */
export function seenFrom(relationship: Relationship, entityId: string): Relationship {
  if (relationship.sourceId === entityId) return relationship
  const type = isSymmetric(relationship.type) ? relationship.type : inverseOf(relationship.type)
  if (type === null || relationship.type === 'MANAGES') return relationship
  const { source, sourceId, target, targetId } = relationship
  return { ...relationship, type, source: target, sourceId: targetId, target: source, targetId: sourceId }
}
