import type { PlaceOfItem as Place } from '../events/item-events.js'
import { itemBytesOf } from '../user-bytes.js'
import type { UserWrite } from '../user-write.js'
import { isAt } from './item-rows.js'

/** An item with all of its versions. */
export async function erasePlace(write: UserWrite, place: Place): Promise<void> {
  const rows = await write.all<{ row: number }>(
    `SELECT i.row FROM items i WHERE i.user_id = @user AND ${isAt}`,
    ...place,
  )
  await eraseItemRows(
    write,
    rows.map(({ row }) => row),
  )
}

export async function eraseItemRows(write: UserWrite, rows: readonly number[]): Promise<void> {
  if (rows.length === 0) return
  if (write.isCounted) write.countBytes(-(await itemBytesOf(write, rows)))
  await buryItems(write, rows)
  await write.send(`DELETE FROM items WHERE user_id = @user AND ${write.dialect.among('row', 'bigint')}`, rows)
}

/** Keeps the row numbers of current versions, so that indexes learn of the removal. Others left the index when they were replaced. */
export async function buryItems(write: UserWrite, rows: readonly number[]): Promise<void> {
  await write.send(
    `INSERT INTO tombstones (user_id, revision, row)
     SELECT i.user_id, CAST(? AS bigint), i.row FROM items i
     WHERE i.user_id = @user AND ${write.dialect.among('i.row', 'bigint')} AND i.valid_to IS NULL`,
    write.revision,
    rows,
  )
}
