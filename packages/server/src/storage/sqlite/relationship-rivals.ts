/** Relationships that can't hold beside each other. */
import { isSymmetric, type RelationshipType } from '../../core/entity.js'
import type { Database } from './database.js'
import { groupOf } from './entity-groups.js'
import type { Condition } from './user-rows.js'

/**
 * A condition on the table `relationships`: of the same source, or of either end where both are alike, with anybody
 * else. Under whatever name, where names were merged.
 */
export function rivalsOf(
  db: Database,
  link: { readonly source: number; readonly target: number; readonly type: RelationshipType },
): Condition {
  const { source, target, type } = link
  const sources = groupOf(db, source)
  const targets = groupOf(db, target)
  if (!isSymmetric(type)) {
    return {
      sql: `source IN (SELECT value FROM json_each(?)) AND type = ? AND target NOT IN (SELECT value FROM json_each(?))`,
      values: [JSON.stringify(sources), type, JSON.stringify(targets)],
    }
  }
  const either = JSON.stringify([...sources, ...targets])
  return {
    sql: `key IN (
      SELECT o.key FROM relationships o WHERE o.source IN (SELECT value FROM json_each(?)) AND o.type = ?
        AND o.target NOT IN (SELECT value FROM json_each(?))
      UNION ALL SELECT o.key FROM relationships o WHERE o.target IN (SELECT value FROM json_each(?)) AND o.type = ?
        AND o.source NOT IN (SELECT value FROM json_each(?)))`,
    values: [either, type, either, either, type, either],
  }
}
