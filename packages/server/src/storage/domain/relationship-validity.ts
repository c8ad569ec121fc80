/** Which tellings of a relationship count for a question: the same rule on every engine, over the aliases r, v and m. */
import type { EntityReads } from '../ports/entities.js'

export type RelationshipQuery = Parameters<EntityReads['relationships']>[2]

/**
 * Both the relationship and the version that tells of it must hold. At the moment of a change the old
 * still holds (what began at that very moment was not there before it), so that nothing is in between.
 */
export function holdingAt({ now, asOf, includeHistory }: RelationshipQuery): {
  readonly sql: string
  readonly values: readonly number[]
} {
  if (asOf !== undefined) {
    const ended = includeHistory
      ? { sql: '', values: [] }
      : {
          sql: 'AND (r.valid_to IS NULL OR r.valid_to >= ?) AND (v.valid_to IS NULL OR v.valid_to >= ?)',
          values: [asOf, asOf],
        }
    return {
      sql: `r.valid_from < ? AND v.valid_from < ? AND (v.expires_at IS NULL OR v.expires_at > ?) ${ended.sql}`,
      values: [asOf, asOf, asOf, ...ended.values],
    }
  }
  const alive = '(m.expires_at IS NULL OR m.expires_at > ?)'
  if (includeHistory) return { sql: alive, values: [now] }
  return {
    sql: `(r.valid_to IS NULL OR r.valid_to > ?) AND m.current_row = v.row AND m.superseded_at IS NULL AND ${alive}`,
    values: [now, now],
  }
}
