/** Relationships that cannot hold beside each other. */
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
 * A condition on the table `relationships`: of the same source with another target; for a symmetric type, of either end with anybody
 * else. `domain/settle.ts` has the same rule for rows.
 */
const rivals = {
  ofSource: ({ among }: Dialect) =>
    `user_id = @user AND ${among('source', 'bigint')} AND type = ? AND NOT ${among('target', 'bigint')}`,
  // Two selects, so that each finds its index.
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

/** The statement for the type: `text` gets the condition. */
function ofRivals(text: (condition: string) => string): (user: UserData, type: RelationshipType) => string {
  const ofSource = statement((dialect) => text(rivals.ofSource(dialect)))
  const ofEither = statement((dialect) => text(rivals.ofEither(dialect)))
  return (user, type) => (isSymmetric(type) ? ofEither(user) : ofSource(user))
}

const nextRivalSql = ofRivals(
  (condition) =>
    `SELECT min(valid_from) AS at FROM relationships WHERE ${condition} AND valid_to IS NULL AND valid_from > ?`,
)

/** When the first rival that begins later than this moment begins. */
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

/** What is told later counts. A rival that began after this was told stays. */
export async function endRivals(user: UserData, ends: NamedEnds, startsAt: number, toldAt: number): Promise<void> {
  await user.send(endRivalsSql(user, ends.type), startsAt, startsAt, toldAt, ...valuesOf(ends), toldAt)
}
