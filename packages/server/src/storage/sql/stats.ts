import type { StorageStats } from '../ports/storage.js'
import type { Session } from './session.js'

/** Every write updates the number of memories in its user's row. */
export async function stats(session: Session): Promise<StorageStats> {
  const counted = await session.get<{ users: number; memories: number }>(
    `SELECT count(*) FILTER (WHERE memories > 0) AS users, CAST(coalesce(sum(memories), 0) AS bigint) AS memories
     FROM users`,
  )
  return { users: counted?.users ?? 0, memories: counted?.memories ?? 0, bytes: await session.databaseBytes() }
}

export async function ping(session: Session): Promise<void> {
  await session.get('SELECT 1 FROM users LIMIT 1')
}
