/** The bytes of stored parts of the search index. PostgreSQL has another form: its driver reads them as text. */
import type { ChangeMark } from '../ports/index-feed.js'
import type { Database } from './database.js'

export function segmentBytes(db: Database, user: number, marks: readonly ChangeMark[]): Uint8Array[] {
  const one = 'SELECT bytes FROM index_segments WHERE user_id = ? AND from_revision = ? AND from_row = ?'
  return marks.map(
    ({ revision, row }) => db.get<{ bytes: Uint8Array }>(one, user, revision, row)?.bytes ?? new Uint8Array(0),
  )
}
