/** Counts accesses to memories. Never makes a recall fail. */
import { isStorable } from '../../domain/storable-text.js'
import type { Access } from '../../ports/memory-writes.js'
import type { Session } from '../session.js'
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

async function count(
  user: UserData,
  uses: ReadonlyMap<string, { readonly count: number; readonly at: number }>,
): Promise<void> {
  const { dialect } = user
  // Locked in the order of their keys first: two instances may count the same memories.
  const rows = await user.all<{ key: number; id: string }>(
    `SELECT m.key, m.id FROM memories m WHERE m.user_id = @user AND ${dialect.among('m.id', 'text')}
     ORDER BY m.key ${dialect.forNoKeyUpdate}`,
    [...uses.keys()],
  )
  if (rows.length === 0) return
  const used = rows.map(({ key, id }) => ({ key, ...(uses.get(id) ?? { count: 0, at: 0 }) }))
  await user.send(
    `UPDATE memories SET access_count = access_count + u.uses,
       last_accessed = ${dialect.greatest}(coalesce(last_accessed, u.at), u.at)
     FROM ${dialect.rows('u', { key: 'bigint', uses: 'bigint', at: 'bigint' })}
     WHERE memories.user_id = @user AND memories.key = u.key`,
    JSON.stringify(used.map(({ key, count: uses, at }) => ({ key, uses, at }))),
  )
}
