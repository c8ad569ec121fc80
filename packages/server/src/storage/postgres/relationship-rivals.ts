/** Relationships that can't hold beside each other. */
import { isSymmetric, type RelationshipType } from '../../core/entity.js'
import { groupOf } from './entity-groups.js'
import type { UserData } from './user-data.js'
import type { Condition } from './user-rows.js'

/**
 * A condition on the table `relationships` of the user: of the same source, or of either end where both are alike, with
 * anybody else. Under whatever name, where names were merged.
 */
export async function rivalsOf(
  user: UserData,
  link: { readonly source: number; readonly target: number; readonly type: RelationshipType },
): Promise<Condition> {
  const { source, target, type } = link
  const [sources, targets] = await Promise.all([groupOf(user, source), groupOf(user, target)])
  return rivalsAmong(type, sources, targets)
}

/** The same, of groups that are known already. */
export function rivalsAmong(type: RelationshipType, sources: readonly number[], targets: readonly number[]): Condition {
  if (!isSymmetric(type)) {
    return {
      sql: 'user_id = @user AND source = ANY (?::bigint[]) AND type = ? AND target <> ALL (?::bigint[])',
      values: [sources, type, targets],
    }
  }
  const either = [...sources, ...targets]
  return {
    sql: `user_id = @user AND type = ? AND (source = ANY (?::bigint[]) AND target <> ALL (?::bigint[])
      OR target = ANY (?::bigint[]) AND source <> ALL (?::bigint[]))`,
    values: [type, either, either, either, either],
  }
}
