/** Makes a memory history, or current again. The caller settles its relationships. */
import { versionBytesOf } from '../user-bytes.js'
import type { UserWrite } from '../user-write.js'
import { carryFindings } from './write-version.js'

export interface OwnMemory {
  readonly key: number
  readonly id: string
  readonly project: string | null
  readonly current_row: number
  readonly superseded_at: number | null
}

/** `by` is null if nothing takes its place. `from`: when it became history; `now`: when that became known. */
export async function supersede(
  write: UserWrite,
  old: OwnMemory,
  by: Pick<OwnMemory, 'key' | 'id'> | null,
  { from: at, now }: { readonly from: number; readonly now: number },
): Promise<void> {
  write.tell({
    type: 'memory.superseded',
    action: 'SUPERSEDE',
    memoryId: old.id,
    project: old.project,
    checksum: null,
    relatedIds: by ? [by.id] : [],
    at: now,
  })
  await write.send(
    'UPDATE memories SET superseded_at = ?, superseded_by = ? WHERE user_id = @user AND key = ?',
    at,
    by?.key ?? null,
    old.key,
  )
  // An imported past memory may replace one that began later: its validity is then empty.
  await write.send(
    `UPDATE versions SET valid_to = ${write.dialect.greatest}(valid_from, ?), revision = ?
     WHERE user_id = @user AND row = ?`,
    at,
    write.revision,
    old.current_row,
  )
}

/** A new version repeats the content of the last one: the memory was not current in between. */
export async function restore(write: UserWrite, memory: OwnMemory, at: number): Promise<void> {
  const from = memory.current_row
  const row = write.nextRow()
  await repeatVersion(write, from, row, at)
  write.grown.add(memory.key)
  await endCurrent(write, from)
  await carryFindings(write, from, row)
  await write.send(
    `UPDATE memories SET current_row = ?, superseded_at = NULL, superseded_by = NULL
     WHERE user_id = @user AND key = ?`,
    row,
    memory.key,
  )
  const restored = await write.get<{ checksum: string }>(
    'SELECT checksum FROM versions WHERE user_id = @user AND row = ?',
    row,
  )
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

/** Copies a version to a new row. The new one is valid from `at`, but never before the old one has ended or begun. */
export async function repeatVersion(write: UserWrite, from: number, to: number, at: number): Promise<void> {
  if (write.isCounted) write.countBytes(await versionBytesOf(write, [from]))
  const validFrom = `${write.dialect.greatest}(CAST(? AS bigint), coalesce(valid_to, valid_from))`
  await write.send(
    `INSERT INTO versions (user_id, row, memory, version, content, checksum, metadata, project, expires_at, trust_score,
       flagged, model_id, outdated, event_from, event_to, valid_from, valid_to, revision)
     SELECT user_id, CAST(? AS bigint), memory, version + 1, content, checksum, metadata, project, expires_at, trust_score,
       flagged, model_id, outdated, event_from, event_to, ${validFrom}, NULL, CAST(? AS bigint)
     FROM versions WHERE user_id = @user AND row = ?`,
    to,
    at,
    write.revision,
    from,
  )
}

/** The mentions and slots of this version are no longer the memory's latest. */
export async function endCurrent(write: UserWrite, version: number): Promise<void> {
  await write.send('UPDATE mentions SET current = FALSE WHERE user_id = @user AND version = ?', version)
  await write.send('UPDATE slots SET current = FALSE WHERE user_id = @user AND version = ?', version)
}
