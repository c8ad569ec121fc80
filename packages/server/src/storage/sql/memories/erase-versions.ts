/** Erases versions with everything that only they stated, and bounds how many a memory keeps. */
import { eraseFromEntities, spellingsUsedBy } from '../entities/forget-entities.js'
import { dropSegmentsWith } from '../index/segments.js'
import { ownRows } from '../own-rows.js'
import {
  relationshipsDecidedBy,
  relationshipsTouchedBy,
  settleRelationships,
} from '../relationships/settle-relationships.js'
import { endUnsupported } from '../relationships/write-relationships.js'
import { versionBytesOf } from '../user-bytes.js'
import type { UserData } from '../user-data.js'
import type { UserWrite } from '../user-write.js'

/** `remove` deletes the rows themselves. `isAll`: all of the user's data is erased, so nothing is left to settle. */
export async function eraseVersions(
  write: UserWrite,
  rows: readonly number[],
  remove: () => Promise<void>,
  isAll: boolean,
): Promise<void> {
  const relationships = await relationshipsTouchedBy(write, rows)
  const toSettle = isAll ? [] : await relationshipsDecidedBy(write, rows)
  const spellings = await spellingsUsedBy(write, rows)
  if (write.isCounted) write.countBytes(-(await versionBytesOf(write, rows)))
  await bury(write, rows)
  await dropSegmentsWith(write, rows)
  if (isAll) await write.send('DELETE FROM active_users WHERE user_id = @user')
  await remove()
  await write.send(
    `DELETE FROM relationships WHERE user_id = @user AND ${write.dialect.among('key', 'bigint')} AND NOT EXISTS (
       SELECT 1 FROM relationship_sources s WHERE s.user_id = @user AND s.relationship = relationships.key)`,
    relationships,
  )
  await endUnsupported(write, relationships)
  await settleRelationships(write, toSettle)
  await eraseFromEntities(write, spellings, isAll)
}

/** Keeps the row numbers, so that indexes learn of the removal. */
async function bury(write: UserWrite, rows: readonly number[]): Promise<void> {
  await write.send(
    `INSERT INTO tombstones (user_id, revision, row)
     SELECT own.user_id, CAST(? AS bigint), dead.row FROM ${ownRows(write.dialect, 'dead', { row: 'bigint' })}`,
    write.revision,
    JSON.stringify(rows.map((row) => ({ row }))),
  )
}

/** More than one write adds, so that a memory from before the limit comes down to it, without holding up other writes. */
const mostAtOnce = 20

/**
 * Call it after a memory got a new version. The first version says how the memory began, and stays. So does a version that an open or
 * decided contradiction is about, as long as the memory still says the same: a decision compares the two. Between the versions
 * that stay, the memory has no past state, as if it had been history then.
 */
export async function trimVersions(write: UserWrite, memory: number): Promise<void> {
  const { dialect, session } = write
  const old = await write.all<{ row: number }>(
    `SELECT v.row FROM versions v
     WHERE v.user_id = @user AND v.memory = ? AND v.version > (
         SELECT min(first.version) FROM versions first WHERE first.user_id = @user AND first.memory = ?)
       AND NOT EXISTS (SELECT 1 FROM contradictions c
         JOIN memories m ON m.user_id = c.user_id AND m.key = v.memory
         JOIN versions latest ON latest.user_id = m.user_id AND latest.row = m.current_row
         WHERE c.user_id = @user AND (c.old_version = v.row OR c.new_version = v.row) AND latest.checksum = v.checksum)
     ORDER BY v.version DESC LIMIT ? OFFSET ?`,
    memory,
    memory,
    mostAtOnce,
    session.limits.versionsKept - 1,
  )
  if (old.length === 0) return
  const rows = old.map(({ row }) => row)
  await eraseVersions(
    write,
    rows,
    async () => {
      await moveFacts(write, memory, rows)
      await write.send(`DELETE FROM versions WHERE user_id = @user AND ${dialect.among('row', 'bigint')}`, rows)
    },
    false,
  )
}

/** Facts belong to the first version with their content: to the next one that stays, or to nobody. */
async function moveFacts(user: UserData, memory: number, rows: readonly number[]): Promise<void> {
  const { among } = user.dialect
  const heir = `(SELECT min(kept.row) FROM versions gone JOIN versions kept ON kept.user_id = gone.user_id
      AND kept.memory = gone.memory AND kept.checksum = gone.checksum AND NOT ${among('kept.row', 'bigint')}
    WHERE gone.user_id = facts.user_id AND gone.row = facts.version)`
  await user.send(
    `UPDATE facts SET version = ${heir} WHERE user_id = @user AND memory = ? AND ${among('version', 'bigint')}
       AND NOT EXISTS (SELECT 1 FROM facts own WHERE own.user_id = facts.user_id AND own.memory = facts.memory
         AND own.version = ${heir}) AND ${heir} IS NOT NULL`,
    rows,
    memory,
    rows,
    rows,
    rows,
  )
  await user.send(
    `DELETE FROM facts WHERE user_id = @user AND memory = ? AND ${among('version', 'bigint')}`,
    memory,
    rows,
  )
}
