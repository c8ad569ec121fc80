import type { EntityReads } from '../../ports/entities.js'
import type { Condition } from '../dialect.js'

export type RelationshipQuery = Parameters<EntityReads['relationships']>[2]

/**
 * Which statements of a relationship count for a query: a condition on `r` (relationships), `v` (versions) and `m` (memories).
 * Both the relationship and the version that states it must hold. At the exact time of a change the old state still holds and the
 * new one does not yet, so that there is no gap.
 */
export function holdingAt({ now, asOf, includeHistory }: RelationshipQuery): Condition {
  if (asOf !== undefined) {
    const ended = includeHistory
      ? { sql: '', values: [] }
      : {
          sql: ' AND (r.valid_to IS NULL OR r.valid_to >= ?) AND (v.valid_to IS NULL OR v.valid_to >= ?)',
          values: [asOf, asOf],
        }
    return {
      sql: `r.valid_from < ? AND v.valid_from < ? AND (v.expires_at IS NULL OR v.expires_at > ?)${ended.sql}`,
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
