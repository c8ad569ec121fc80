/** A memory stops or starts to be current. Its relationships are settled by the caller. */
import type { Database } from './database.js'
import type { UserWrite } from './user-rows.js'
import { carryFindings } from './write-version.js'

export interface OwnMemory {
  readonly key: number
  readonly id: string
  readonly project: string | null
  readonly current_row: number
  readonly superseded_at: number | null
}

/** `from`: since when it is history; `now`: when that was found out. */
export function supersede(
  db: Database,
  write: UserWrite,
  old: OwnMemory,
  by: Pick<OwnMemory, 'key' | 'id'>,
  { from: at, now }: { readonly from: number; readonly now: number },
): void {
  db.run('UPDATE memories SET superseded_at = ?, superseded_by = ? WHERE key = ?', at, by.key, old.key)
  write.tell({
    type: 'memory.superseded',
    action: 'SUPERSEDE',
    memoryId: old.id,
    project: old.project,
    checksum: null,
    relatedIds: [by.id],
    at: now,
  })
  // An import of the past may replace what began later: its range is then empty.
  db.run(
    'UPDATE versions SET valid_to = max(valid_from, ?), revision = ? WHERE row = ?',
    at,
    write.revision,
    old.current_row,
  )
}

/** A superseded memory is current again. A new version says what the last one said: in between it was not current. */
export function restore(db: Database, write: UserWrite, memory: OwnMemory, at: number): void {
  const from = memory.current_row
  const row = write.nextRow()
  db.run(
    `INSERT INTO versions (row, user, memory, version, content, checksum, metadata, project, expires_at, trust_score,
       flagged, model_id, valid_from, valid_to, revision)
     SELECT ?, user, memory, version + 1, content, checksum, metadata, project, expires_at, trust_score,
       flagged, model_id, max(?, ifnull(valid_to, valid_from)), NULL, ? FROM versions WHERE row = ?`,
    row,
    at,
    write.revision,
    from,
  )
  db.run('UPDATE mentions SET current = 0 WHERE version = ?', from)
  db.run('UPDATE slots SET current = 0 WHERE version = ?', from)
  carryFindings(db, from, row)
  db.run(
    'UPDATE memories SET current_row = ?, superseded_at = NULL, superseded_by = NULL WHERE key = ?',
    row,
    memory.key,
  )
  const restored = db.get<{ checksum: string }>('SELECT checksum FROM versions WHERE row = ?', row)
  write.tell({
    type: 'memory.restored',
    action: 'RESTORE',
    memoryId: memory.id,
    project: memory.project,
    checksum: restored?.checksum ?? null,
    relatedIds: [],
    at,
  })
}
