/** Records the events of a write in its transaction, and removes old events from the log. */
import type { MemoryEvent } from '../../../core/memory-event.js'
import { mostEventsKept, revisionsBetweenTrims } from '../../ports/event-log.js'
import { ownRows } from '../own-rows.js'
import { statement } from '../statement.js'
import type { UserData } from '../user-data.js'

/** `memoryId` may stand for an item (`item-events.ts`). */
export type Told = Omit<MemoryEvent, 'mark' | 'userId' | 'item' | 'memoryId'> & { readonly memoryId: string }

const columns = {
  position: 'bigint',
  at: 'bigint',
  type: 'text',
  action: 'text',
  memory_id: 'text',
  project: 'text',
  checksum: 'text',
  related: 'text[]',
} as const

const insertEvents = statement(
  (dialect) =>
    `INSERT INTO events (user_id, revision, position, at, type, action, memory_id, project, checksum, related)
     SELECT own.user_id, CAST(? AS bigint), e.position, e.at, e.type, e.action, e.memory_id, e.project, e.checksum, e.related
     FROM ${ownRows(dialect, 'e', columns)}`,
)

export async function writeEvents(
  user: UserData & { readonly revision: number },
  told: readonly Told[],
): Promise<void> {
  if (told.length === 0) return
  const rows = told.map(({ memoryId, relatedIds, ...event }, position) => ({
    ...event,
    position,
    memory_id: memoryId,
    related: relatedIds,
  }))
  await user.send(insertEvents(user), user.revision, JSON.stringify(rows))
  if (user.revision % revisionsBetweenTrims === 0) await trimToNumber(user)
}

/** Erases everything about erased memories except their ids. That they had expired may still be reported. */
export async function eraseEvents(user: UserData, memoryIds: readonly string[]): Promise<void> {
  const ofThese = `user_id = @user AND ${user.dialect.among('memory_id', 'text')}`
  await user.send(`DELETE FROM events WHERE ${ofThese} AND type <> 'memory.expired'`, memoryIds)
  await user.send(`UPDATE events SET project = NULL WHERE ${ofThese}`, memoryIds)
}

async function trimToNumber(user: UserData): Promise<void> {
  const last = await user.get<{ revision: number }>(
    'SELECT revision FROM events WHERE user_id = @user ORDER BY revision DESC, position DESC LIMIT 1 OFFSET ?',
    mostEventsKept,
  )
  if (last) await trimUpTo(user, last.revision)
}

export async function trimUpTo(user: UserData, revision: number): Promise<number> {
  await user.run(
    `UPDATE users SET event_floor = ${user.dialect.greatest}(event_floor, ?) WHERE user_id = @user`,
    revision,
  )
  return user.run('DELETE FROM events WHERE user_id = @user AND revision <= ?', revision)
}
