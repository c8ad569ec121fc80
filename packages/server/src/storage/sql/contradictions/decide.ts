/** Applies a decision about a contradiction. */
import type { ContradictionStatus } from '../../../core/contradiction.js'
import type { Scope } from '../../../core/scope.js'
import type { Decided, Decision } from '../../ports/contradictions.js'
import { trimVersions } from '../memories/erase-versions.js'
import { type OwnMemory, restore, supersede } from '../memories/supersede.js'
import { settleRelationshipsOf } from '../relationships/settle-relationships.js'
import type { Session } from '../session.js'
import type { UserData } from '../user-data.js'
import { lockOwner, type UserWrite } from '../user-write.js'
import { acceptPart, revertPart, takeBackPart, whyNotRevertPart, withdrawPart } from './decide-part.js'
import { hasNoSuccessor, isReplaced, isRetirement, loadPair, type Pair } from './pair.js'
import { findContradiction } from './read-contradictions.js'

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
  const pair = await loadPair(write, 'id', contradictionId)
  const status = verdict === 'accept' ? 'accepted' : 'reverted'
  if (pair.status === status) return { contradiction: found, refused: null }
  const refused = verdict === 'accept' ? await whyNotAccept(write, pair) : whyNotRevert(pair)
  if (refused) return { contradiction: found, refused }
  if (verdict === 'accept') await accept(write, pair, decision)
  else await revert(write, pair, decision)
  await setStatus(write, [pair.key], status, now)
  for (const memory of write.grown) await trimVersions(write, memory)
  await write.end()
  return { contradiction: (await findContradiction(session, scope, contradictionId, now)) ?? found, refused: null }
}

async function whyNotAccept(user: UserData, pair: Pair): Promise<Decided['refused']> {
  // Only the status changes: an applied contradiction has already been carried out.
  if (isReplaced(pair)) return null
  if (pair.old.superseded_at !== null) return 'superseded'
  if (pair.new.superseded_at !== null && !(await isWithdrawn(user, pair.new))) return 'superseded'
  return pair.old.same && pair.new.same ? null : 'changed'
}

function whyNotRevert(pair: Pair): Decided['refused'] {
  if (!isReplaced(pair) || hasNoSuccessor(pair)) return null
  if (pair.part !== null) return whyNotRevertPart(pair)
  if (pair.new.superseded_at !== null || pair.old.superseded_by !== pair.new.key) return 'superseded'
  return pair.new.same || isRetirement(pair) ? null : 'changed'
}

async function isWithdrawn(user: UserData, memory: OwnMemory): Promise<boolean> {
  const found = await user.get('SELECT 1 FROM memories WHERE user_id = @user AND key = ? AND withdrawn', memory.key)
  return found !== undefined
}

async function setWithdrawn(user: UserData, memory: OwnMemory, withdrawn: boolean): Promise<void> {
  await user.send('UPDATE memories SET withdrawn = ? WHERE user_id = @user AND key = ?', withdrawn, memory.key)
}

async function accept(write: UserWrite, pair: Pair, decision: Decision): Promise<void> {
  if (isReplaced(pair)) return
  const { now } = decision
  if (pair.new.superseded_at !== null) {
    await restore(write, pair.new, now)
    await setWithdrawn(write, pair.new, false)
  }
  await takeBackPart(write, pair, decision)
  if (pair.part !== null) await acceptPart(write, pair, pair.part, decision)
  else await supersede(write, pair.old, hasNoSuccessor(pair) ? null : pair.new, { from: now, now })
  await settleRelationshipsOf(write, [pair.old.key, pair.new.key])
}

async function revert(write: UserWrite, pair: Pair, decision: Decision): Promise<void> {
  if (!isReplaced(pair)) return
  if (isRetirement(pair)) {
    // Both memories were current before, so both are current again.
    if (pair.old.superseded_at !== null) await restore(write, pair.old, decision.now)
    return settleRelationshipsOf(write, [pair.old.key, pair.new.key])
  }
  if (pair.part === null) return withdraw(write, pair, decision)
  // The new memory stays: its other facts must still be found.
  await revertPart(write, pair, decision)
  await settleRelationshipsOf(write, [pair.old.key, pair.new.key])
}

/**
 * Withdraws the new memory and restores everything that it replaced or made outdated. Otherwise a withdrawn memory would still
 * supersede the others.
 */
async function withdraw(write: UserWrite, pair: Pair, decision: Decision): Promise<void> {
  const { now } = decision
  const replaced = await write.all<OwnMemory>(
    `SELECT key, id, project, current_row, superseded_at FROM memories
     WHERE user_id = @user AND superseded_by = ? AND NOT withdrawn ORDER BY key`,
    pair.new.key,
  )
  const touched = replaced.map((memory) => memory.key)
  for (const memory of replaced) await restore(write, memory, now)
  const others = await write.all<{ key: number }>(
    `SELECT key FROM contradictions
     WHERE user_id = @user AND new_memory = ? AND status IN ('applied', 'accepted') ORDER BY key`,
    pair.new.key,
  )
  const keys = others.map(({ key }) => key)
  await setStatus(write, keys, 'reverted', now)
  for (const key of keys) {
    const other = await loadPair(write, 'key', key)
    if (other.part === null || whyNotRevertPart(other) !== null) continue
    await revertPart(write, other, decision)
    touched.push(other.old.key)
  }
  if (!(await withdrawPart(write, pair, decision))) {
    await supersede(write, pair.new, pair.old, { from: now, now })
    await setWithdrawn(write, pair.new, true)
  }
  await settleRelationshipsOf(write, [pair.new.key, ...touched])
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
