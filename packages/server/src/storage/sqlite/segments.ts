/** Stored pieces of the search index. SQLite needs its own form, because the bytes are moved between threads instead of copied. */
import type { SegmentPage } from '../ports/index-segments.js'
import { type ReadSegments, segmentsFrom } from '../sql/index/segments.js'
import type { SqliteSession } from './session.js'

export const packedSegments: ReadSegments<SqliteSession, SegmentPage> = (session, ...asked) =>
  segmentsFrom(session, ...asked, async (user, spans) => {
    const pieces: Uint8Array[] = []
    for (const { from } of spans) {
      const found = await user.get<{ bytes: Uint8Array }>(
        'SELECT bytes FROM index_segments WHERE user_id = @user AND from_revision = ? AND from_row = ?',
        from.revision,
        from.row,
      )
      pieces.push(found?.bytes ?? new Uint8Array(0))
    }
    return pieces
  })
