/** Applies a decision about a contradiction. */
import type { ContradictionStatus } from '../../../core/contradiction.js'
import type { Scope } from '../../../core/scope.js'
import type { Decided, Decision } from '../../ports/contradictions.js'
import type { FlagColumn } from '../columns.js'
import { type OwnMemory, restore, supersede } from '../memories/supersede.js'
import { settleRelationshipsOf } from '../relationships/settle-relationships.js'
import type { Session } from '../session.js'
import type { UserData } from '../user-data.js'
import { lockOwner, type UserWrite } from '../user-write.js'
import { findContradiction } from './read-contradictions.js'

interface Pair {
  readonly key: number
  readonly status: ContradictionStatus
  readonly old: Side
  readonly new: Side
}

interface Side extends OwnMemory {
  readonly superseded_by: number | null
  /** Whether its content is still the one that contradicted. */
  readonly same: FlagColumn
}

export async function decide(
  session: Session,
  scope: Scope,
  contradictionId: string,
  decision: Decision,
): Promise<Decided | null> {
  const { verdict, now } = decision
  const write = await lockOwner(session, scope, 'contradictions', contradictionId)
  const found = write && (await findContradiction(session, scope, contradictionId, now))
  if (!found) return null
  const pair = await loadPair(write, contradictionId)
  const status = verdict === 'accept' ? 'accepted' : 'reverted'
  if (pair.status === status) return { contradiction: found, refused: null }
  const refused = verdict === 'accept' ? await whyNotAccept(write, pair) : whyNotRevert(pair)
  if (refused) return { contradiction: found, refused }
  if (verdict === 'accept') await accept(write, pair, now)
  else await revert(write, pair, now)
  await setStatus(write, [pair.key], status, now)
  await write.end()
  return { contradiction: (await findContradiction(session, scope, contradictionId, now)) ?? found, refused: null }
}

function isReplaced(pair: Pair): boolean {
  return pair.status === 'applied' || pair.status === 'accepted'
}

async function whyNotAccept(user: UserData, pair: Pair): Promise<Decided['refused']> {
  // Only the status changes: an applied contradiction has already been carried out.
  if (isReplaced(pair)) return null
  if (pair.old.superseded_at !== null) return 'superseded'
  if (pair.new.superseded_at !== null && !(await isWithdrawn(user, pair.new))) return 'superseded'
  return pair.old.same && pair.new.same ? null : 'changed'
}

function whyNotRevert(pair: Pair): Decided['refused'] {
  if (!isReplaced(pair)) return null
  if (pair.new.superseded_at !== null || pair.old.superseded_by !== pair.new.key) return 'superseded'
  return pair.new.same ? null : 'changed'
}

async function isWithdrawn(user: UserData, memory: OwnMemory): Promise<boolean> {
  const found = await user.get('SELECT 1 FROM memories WHERE user_id = @user AND key = ? AND withdrawn', memory.key)
  return found !== undefined
}

async function setWithdrawn(user: UserData, memory: OwnMemory, withdrawn: boolean): Promise<void> {
  await user.send('UPDATE memories SET withdrawn = ? WHERE user_id = @user AND key = ?', withdrawn, memory.key)
}

async function accept(write: UserWrite, pair: Pair, now: number): Promise<void> {
  if (isReplaced(pair)) return
  if (pair.new.superseded_at !== null) {
    await restore(write, pair.new, now)
    await setWithdrawn(write, pair.new, false)
  }
  await supersede(write, pair.old, pair.new, { from: now, now })
  await settleRelationshipsOf(write, [pair.old.key, pair.new.key])
}

/**
 * Withdraws the new memory and restores everything that it replaced. Otherwise a withdrawn memory would still supersede the
 * others.
 */
async function revert(write: UserWrite, pair: Pair, now: number): Promise<void> {
  if (!isReplaced(pair)) return
  const replaced = await write.all<OwnMemory>(
    `SELECT key, id, project, current_row, superseded_at FROM memories
     WHERE user_id = @user AND superseded_by = ? AND NOT withdrawn ORDER BY key`,
    pair.new.key,
  )
  for (const memory of replaced) await restore(write, memory, now)
  await supersede(write, pair.new, pair.old, { from: now, now })
  await setWithdrawn(write, pair.new, true)
  const others = await write.all<{ key: number }>(
    `SELECT key FROM contradictions
     WHERE user_id = @user AND new_memory = ? AND status IN ('applied', 'accepted') ORDER BY key`,
    pair.new.key,
  )
  await setStatus(
    write,
    others.map(({ key }) => key),
    'reverted',
    now,
  )
  await settleRelationshipsOf(write, [pair.new.key, ...replaced.map((memory) => memory.key)])
}

async function setStatus(
  user: UserData,
  keys: readonly number[],
  status: ContradictionStatus,
  now: number,
): Promise<void> {
  await user.send(
    `UPDATE contradictions SET status = ?, decided_at = ?
     WHERE user_id = @user AND ${user.dialect.among('key', 'bigint')}`,
    status,
    now,
    keys,
  )
}

async function loadPair(user: UserData, id: string): Promise<Pair> {
  const row = await user.get<{ key: number; status: ContradictionStatus; old: number; new: number }>(
    `SELECT key, status, old_memory AS "old", new_memory AS "new" FROM contradictions WHERE user_id = @user AND id = ?`,
    id,
  )
  if (!row) throw new Error('a contradiction that was just found is missing')
  const side = async (memory: number, recorded: 'old_version' | 'new_version'): Promise<Side> => {
    const found = await user.get<Side>(
      `SELECT m.key, m.id, m.project, m.current_row, m.superseded_at, m.superseded_by, v.checksum = was.checksum AS same
       FROM contradictions c JOIN versions was ON was.user_id = c.user_id AND was.row = c.${recorded}
         JOIN memories m ON m.user_id = c.user_id AND m.key = ?
         JOIN versions v ON v.user_id = m.user_id AND v.row = m.current_row
       WHERE c.user_id = @user AND c.key = ?`,
      memory,
      row.key,
    )
    if (!found) throw new Error('a contradiction has lost a side')
    return found
  }
  const old = await side(row.old, 'old_version')
  return { key: row.key, status: row.status, old, new: await side(row.new, 'new_version') }
}
