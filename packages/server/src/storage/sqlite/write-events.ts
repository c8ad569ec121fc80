/** What a write tells of, in its transaction; and what leaves the log. */
import type { MemoryEvent } from '../../core/memory-event.js'
import { mostEventsKept, revisionsBetweenTrims } from '../ports/event-log.js'
import type { Database } from './database.js'

export type Told = Omit<MemoryEvent, 'mark' | 'userId'>

export function writeEvents(
  db: Database,
  write: { readonly key: number; readonly revision: number },
  told: readonly Told[],
): void {
  for (const [position, event] of told.entries()) {
    db.run(
      `INSERT INTO events (user, revision, position, at, type, action, memory_id, project, checksum, related)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      write.key,
      write.revision,
      position,
      event.at,
      event.type,
      event.action,
      event.memoryId,
      event.project,
      event.checksum,
      JSON.stringify(event.relatedIds),
    )
  }
  if (told.length > 0 && write.revision % revisionsBetweenTrims === 0) trimToNumber(db, write.key)
}

/** Nothing of an erased memory is left but its id; that it had expired may still be told. */
export function eraseEvents(db: Database, user: number, memoryId: string): void {
  db.run(`DELETE FROM events WHERE user = ? AND memory_id = ? AND type <> 'memory.expired'`, user, memoryId)
  db.run('UPDATE events SET project = NULL WHERE user = ? AND memory_id = ?', user, memoryId)
}

function trimToNumber(db: Database, user: number): void {
  const last = db.get<{ revision: number }>(
    'SELECT revision FROM events WHERE user = ? ORDER BY revision DESC, position DESC LIMIT 1 OFFSET ?',
    user,
    mostEventsKept,
  )
  if (last) trimUpTo(db, user, last.revision)
}

export function trimUpTo(db: Database, user: number, revision: number): number {
  db.run('UPDATE users SET event_floor = max(event_floor, ?) WHERE key = ?', revision, user)
  return db.run('DELETE FROM events WHERE user = ? AND revision <= ?', user, revision)
}
