/** Relationships that cannot hold at the same time. */
import { isSymmetric, type RelationshipType } from '../../../core/entity.js'
import type { Dialect } from '../dialect.js'
import type { Value } from '../session.js'
import { statement } from '../statement.js'
import type { UserData } from '../user-data.js'

/** A relationship with all names of its ends. */
interface NamedEnds {
  readonly type: RelationshipType
  readonly sources: readonly number[]
  readonly targets: readonly number[]
}

/**
 * Conditions on the table `relationships`: the same source with another target; for a symmetric type, either end with anybody
 * else. `domain/settle.ts` has the same rule for rows.
 */
const rivals = {
  ofSource: ({ among }: Dialect) =>
    `user_id = @user AND ${among('source', 'bigint')} AND type = ? AND NOT ${among('target', 'bigint')}`,
  // Two selects, so that each one uses its index.
  ofEither: ({ among }: Dialect) => `user_id = @user AND key IN (
    SELECT o.key FROM relationships o WHERE o.user_id = @user AND ${among('o.source', 'bigint')} AND o.type = ?
      AND NOT ${among('o.target', 'bigint')}
    UNION ALL SELECT o.key FROM relationships o WHERE o.user_id = @user AND ${among('o.target', 'bigint')} AND o.type = ?
      AND NOT ${among('o.source', 'bigint')})`,
}

function valuesOf({ type, sources, targets }: NamedEnds): Value[] {
  if (!isSymmetric(type)) return [sources, type, targets]
  const either = [...sources, ...targets]
  return [either, type, either, either, type, either]
}

/** The statement for a type; `text` adds the condition to it. */
function ofRivals(text: (condition: string) => string): (user: UserData, type: RelationshipType) => string {
  const ofSource = statement((dialect) => text(rivals.ofSource(dialect)))
  const ofEither = statement((dialect) => text(rivals.ofEither(dialect)))
  return (user, type) => (isSymmetric(type) ? ofEither(user) : ofSource(user))
}

const nextRivalSql = ofRivals(
  (condition) =>
    `SELECT min(valid_from) AS at FROM relationships WHERE ${condition} AND valid_to IS NULL AND valid_from > ?`,
)

/** When the first rival after this time begins. */
export async function nextRival(user: UserData, ends: NamedEnds, after: number): Promise<number | null> {
  const sql = nextRivalSql(user, ends.type)
  const next = await user.get<{ at: number | null }>(sql, ...valuesOf(ends), after)
  return next?.at ?? null
}

const endRivalsSql = ofRivals(
  (condition) => `UPDATE relationships
    SET valid_to = CASE WHEN valid_from <= ? THEN CAST(? AS bigint) ELSE CAST(? AS bigint) END
    WHERE ${condition} AND valid_to IS NULL AND valid_from <= ?`,
)

/** The later statement wins. A rival that began after this statement stays. */
export async function endRivals(user: UserData, ends: NamedEnds, startsAt: number, toldAt: number): Promise<void> {
  await user.send(endRivalsSql(user, ends.type), startsAt, startsAt, toldAt, ...valuesOf(ends), toldAt)
}
