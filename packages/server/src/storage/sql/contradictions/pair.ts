/** The two memories of a contradiction, as a decision needs them. */
import { type ContradictionReason, type ContradictionStatus, isRetiringRule } from '../../../core/contradiction.js'
import type { PartRange } from '../../../core/outdated.js'
import { type ContradictionRow, partOf } from '../../domain/contradiction-row.js'
import type { FlagColumn } from '../columns.js'
import type { OwnMemory } from '../memories/supersede.js'
import type { UserData } from '../user-data.js'

export interface Pair {
  readonly key: number
  readonly status: ContradictionStatus
  readonly part: PartRange | null
  readonly reason: ContradictionReason | null
  /** The row of the old memory's version that contradicted. */
  readonly oldVersion: number
  readonly newVersion: number
  readonly old: Side
  readonly new: Side
}

interface Side extends OwnMemory {
  readonly superseded_by: number | null
  /** Whether its content is still the one that contradicted. */
  readonly same: FlagColumn
}

export function isReplaced(pair: Pick<Pair, 'status'>): boolean {
  return pair.status === 'applied' || pair.status === 'accepted'
}

/** `retire` wrote it: the two memories do not contradict each other. */
export function isRetirement({ reason }: Pick<Pair, 'reason'>): boolean {
  return reason !== null && isRetiringRule(reason.rule)
}

/** The retired memory is on both sides. */
export function hasNoSuccessor(pair: Pair): boolean {
  return pair.old.key === pair.new.key
}

interface PairRow extends Pick<ContradictionRow, 'status' | 'reason' | 'part_start' | 'part_end'> {
  readonly key: number
  readonly old: number
  readonly new: number
  readonly oldVersion: number
  readonly newVersion: number
}

export async function loadPair(user: UserData, column: 'id' | 'key', value: string | number): Promise<Pair> {
  const row = await user.get<PairRow>(
    `SELECT key, status, old_memory AS "old", new_memory AS "new", old_version AS "oldVersion", new_version AS "newVersion", part_start, part_end,
       ${user.dialect.jsonText('reason')} AS reason
     FROM contradictions WHERE user_id = @user AND ${column} = ?`,
    value,
  )
  if (!row) throw new Error('a contradiction that was just found is missing')
  const { key, status, oldVersion, newVersion, reason } = row
  return {
    key,
    status,
    part: partOf(row),
    // `commit` wrote it.
    reason: reason === null ? null : (JSON.parse(reason) as ContradictionReason),
    oldVersion,
    newVersion,
    old: await loadSide(user, key, row.old, 'old_version'),
    new: await loadSide(user, key, row.new, 'new_version'),
  }
}

async function loadSide(
  user: UserData,
  contradiction: number,
  memory: number,
  recorded: 'old_version' | 'new_version',
): Promise<Side> {
  const found = await user.get<Side>(
    `SELECT m.key, m.id, m.project, m.current_row, m.superseded_at, m.superseded_by, v.checksum = was.checksum AS same
     FROM contradictions c JOIN versions was ON was.user_id = c.user_id AND was.row = c.${recorded}
       JOIN memories m ON m.user_id = c.user_id AND m.key = ?
       JOIN versions v ON v.user_id = m.user_id AND v.row = m.current_row
     WHERE c.user_id = @user AND c.key = ?`,
    memory,
    contradiction,
  )
  if (!found) throw new Error('a contradiction has lost a side')
  return found
}
