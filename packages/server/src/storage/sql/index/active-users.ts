/** Who searched last. See `ports/active-users.ts`. */
import { isStorable } from '../../domain/storable-text.js'
import type { ActiveUsers } from '../../ports/active-users.js'
import type { Session, Transact } from '../session.js'

/** Nobody waits for the index of a user who has been away for longer. */
const keptMs = 30 * 86_400_000

export async function recordActive(session: Session, userIds: readonly string[], at: number): Promise<void> {
  const { dialect } = session
  const id = dialect.idOfUser('u')
  await session.send(
    `INSERT INTO active_users (user_id, active_at)
     SELECT u.user_id, CAST(? AS bigint) FROM users u WHERE ${dialect.among(id, 'text')} ORDER BY u.user_id
     ON CONFLICT (user_id) DO UPDATE SET active_at = excluded.active_at`,
    at,
    userIds.filter(isStorable),
  )
  await session.send('DELETE FROM active_users WHERE active_at < ?', at - keptMs)
}

export async function lastActive(session: Session, limit: number): Promise<string[]> {
  const rows = await session.all<{ id: string }>(
    `SELECT ${session.dialect.userId('a')} AS id FROM active_users a ORDER BY a.active_at DESC, a.user_id LIMIT ?`,
    limit,
  )
  return rows.flatMap(({ id }) => (id === null ? [] : [id]))
}

/** @param engine - as for `segmentStore`. Users are looked up and recorded together, whoever they are. */
export function activeUserStore(engine: () => { readonly read: Transact; readonly writeAside: Transact }): ActiveUsers {
  return {
    recordActive: (userIds, at) => engine().writeAside('totals', recordActive, userIds, at),
    lastActive: (limit) => engine().read('totals', lastActive, limit),
  }
}
