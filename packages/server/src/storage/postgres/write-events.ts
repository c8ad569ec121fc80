/** What a write tells of, in its transaction; and what leaves the log. */
import type { MemoryEvent } from '../../core/memory-event.js'
import { mostEventsKept, revisionsBetweenTrims } from '../ports/event-log.js'
import type { UserData } from './user-data.js'

export type Told = Omit<MemoryEvent, 'mark' | 'userId'>

export async function writeEvents(
  user: UserData & { readonly revision: number },
  told: readonly Told[],
): Promise<void> {
  if (told.length === 0) return
  await user.send(
    `INSERT INTO events (user_id, revision, position, at, type, action, memory_id, project, checksum, related)
     SELECT @user, ?::bigint, e.place - 1, e.at, e.type, e.action, e.memory_id, e.project, e.checksum,
       ARRAY(SELECT jsonb_array_elements_text(e.related::jsonb))
     FROM unnest(?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
       WITH ORDINALITY e (at, type, action, memory_id, project, checksum, related, place)`,
    user.revision,
    told.map(({ at }) => at),
    told.map(({ type }) => type),
    told.map(({ action }) => action),
    told.map(({ memoryId }) => memoryId),
    // The driver writes null in a list of texts as it is.
    told.map(({ project }) => project) as readonly string[],
    told.map(({ checksum }) => checksum) as readonly string[],
    told.map(({ relatedIds }) => JSON.stringify(relatedIds)),
  )
  if (user.revision % revisionsBetweenTrims === 0) await trimToNumber(user)
}

/** Nothing of erased memories is left but their ids; that they had expired may still be told. */
export async function eraseEvents(user: UserData, memoryIds: readonly string[]): Promise<void> {
  await user.send(
    `DELETE FROM events WHERE user_id = @user AND memory_id = ANY (?::text[]) AND type <> 'memory.expired'`,
    memoryIds,
  )
  await user.send('UPDATE events SET project = NULL WHERE user_id = @user AND memory_id = ANY (?::text[])', memoryIds)
}

async function trimToNumber(user: UserData): Promise<void> {
  const last = await user.get<{ revision: number }>(
    `SELECT revision FROM events WHERE user_id = @user ORDER BY revision DESC, position DESC OFFSET ${mostEventsKept} LIMIT 1`,
  )
  if (last) await trimUpTo(user, last.revision)
}

export async function trimUpTo(user: UserData, revision: number): Promise<number> {
  await user.run('UPDATE users SET event_floor = greatest(event_floor, ?) WHERE user_id = @user', revision)
  return user.run('DELETE FROM events WHERE user_id = @user AND revision <= ?', revision)
}
