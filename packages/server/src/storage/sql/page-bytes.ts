/** Pages of a list end at a number of items or at a number of bytes, whichever comes first. */
import type { OwnRow } from './memories/memory-rows.js'
import type { Session, UserKey } from './session.js'
import { UserData } from './user-data.js'

/** Text and metadata on one page. A few large memories must not make an answer that fills the memory of the process. */
const mostPageBytes = 4 * 2 ** 20

/** The first items that fit on a page: at least one, so that a list always advances. */
export function fitting<Item>(items: readonly Item[], bytesOf: (item: Item) => number): Item[] {
  let bytes = 0
  const end = items.findIndex((item, place) => {
    bytes += bytesOf(item)
    return place > 0 && bytes > mostPageBytes
  })
  return end === -1 ? [...items] : items.slice(0, end)
}

/** The first versions that fit on a page. */
export async function fittingVersions<Row extends OwnRow>(session: Session, rows: readonly Row[]): Promise<Row[]> {
  const bytes = new Map<string, number>()
  for (const user of new Set(rows.map(({ user_id }) => user_id))) {
    const own = rows.flatMap(({ user_id, row }) => (user_id === user ? [row] : []))
    const sizes = await new UserData(session, user).all<{ row: number; bytes: number }>(
      `SELECT v.row, ${versionBytes(session, 'v')} AS bytes FROM versions v
       WHERE v.user_id = @user AND ${session.dialect.among('v.row', 'bigint')}`,
      own,
    )
    for (const size of sizes) bytes.set(placeOf(user, size.row), size.bytes)
  }
  return fitting(rows, ({ user_id, row }) => bytes.get(placeOf(user_id, row)) ?? 0)
}

/** Neither engine reads a long text to tell its length in bytes. */
export function versionBytes({ dialect }: Session, alias: string): string {
  return `octet_length(${alias}.content) + octet_length(${dialect.jsonText(`${alias}.metadata`)})`
}

function placeOf(user: UserKey, row: number): string {
  return `${row} ${user}`
}
