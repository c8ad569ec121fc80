/** Counts accesses to memories. Never makes a recall fail. */
import { isStorable } from '../../domain/storable-text.js'
import type { Access } from '../../ports/memory-writes.js'
import type { Session } from '../session.js'
import { statement } from '../statement.js'
import { dataOf, type UserData } from '../user-data.js'

export async function recordAccess(session: Session, accesses: readonly Access[]): Promise<void> {
  const byUser = new Map<string, Map<string, { count: number; at: number }>>()
  for (const { userId, memoryId, count, at } of accesses) {
    if (!isStorable(userId) || !isStorable(memoryId)) continue
    const own = byUser.get(userId) ?? new Map<string, { count: number; at: number }>()
    const used = own.get(memoryId) ?? { count: 0, at }
    own.set(memoryId, { count: used.count + count, at: Math.max(used.at, at) })
    byUser.set(userId, own)
  }
  // Always in the same order, so that two instances never deadlock.
  for (const [userId, own] of [...byUser].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const user = await dataOf(session, userId)
    if (!user) continue
    await session.actAs(user.key)
    await count(user, own)
  }
}

/** Locks the memories in the order of their keys first: two instances may count the same ones. */
const countSql = statement(
  ({ among, forNoKeyUpdate, greatest, rows }) => `WITH locked AS (
       SELECT m.key, m.id FROM memories m WHERE m.user_id = @user AND ${among('m.id', 'text')}
       ORDER BY m.key ${forNoKeyUpdate})
     UPDATE memories SET access_count = access_count + u.uses,
       last_accessed = ${greatest}(coalesce(last_accessed, u.at), u.at)
     FROM locked JOIN ${rows('u', { id: 'text', uses: 'bigint', at: 'bigint' })} ON u.id = locked.id
     WHERE memories.user_id = @user AND memories.key = locked.key`,
)

async function count(
  user: UserData,
  uses: ReadonlyMap<string, { readonly count: number; readonly at: number }>,
): Promise<void> {
  await user.send(
    countSql(user),
    [...uses.keys()],
    JSON.stringify([...uses].map(([id, { count: times, at }]) => ({ id, uses: times, at }))),
  )
}
