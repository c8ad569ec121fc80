import type { Item, ItemPlace, ItemVersion } from '../../../core/item.js'
import type { NobodyScope, UserScope } from '../../../core/scope.js'
import { isStorable } from '../../domain/storable-text.js'
import {
  type ItemChoice,
  type ItemPage,
  type NamespaceCount,
  type NamespacePage,
  versionsOfItem,
} from '../../ports/item-store.js'
import { type BoundCondition, filterCondition } from '../filter.js'
import { fitting } from '../page-bytes.js'
import type { Session } from '../session.js'
import { dataOf, type UserData } from '../user-data.js'
import {
  type ItemRow,
  isAt,
  isCurrent,
  isLive,
  isPlace,
  itemColumns,
  itemOf,
  itemsBelow,
  ownerOf,
  parsedValue,
} from './item-rows.js'

type OneUser = UserScope | NobodyScope

export async function findItem(
  session: Session,
  scope: OneUser,
  place: ItemPlace,
  { now, asOf = now }: { readonly now: number; readonly asOf?: number },
): Promise<Item | null> {
  const owner = isPlace(place) ? await ownerOf(session, scope) : null
  if (!owner) return null
  // An item that has expired by now has no past either: a cleanup may have erased it.
  const row = await owner.user.get<ItemRow>(
    `SELECT ${itemColumns(session.dialect)} FROM items i WHERE i.user_id = @user AND ${isAt}
       AND i.valid_from <= ? AND (i.valid_to IS NULL OR i.valid_to > ?) AND ${isLive}
       AND EXISTS (SELECT 1 FROM items c WHERE c.user_id = @user AND c.project = i.project AND c.namespace = i.namespace
         AND c.key = i.key AND c.valid_to IS NULL AND (c.expires_at IS NULL OR c.expires_at > ?))
     ORDER BY i.version DESC LIMIT 1`,
    ...[owner.project, place.namespace, place.key, asOf, asOf, asOf, now],
  )
  return row ? itemOf(row) : null
}

export async function itemVersions(
  session: Session,
  scope: OneUser,
  place: ItemPlace,
  now: number,
): Promise<ItemVersion[]> {
  const owner = isPlace(place) ? await ownerOf(session, scope) : null
  if (!owner || !(await findItem(session, scope, place, { now }))) return []
  const rows = await owner.user.all<ItemRow & { valid_to: number | null }>(
    `SELECT ${itemColumns(session.dialect)}, i.valid_to FROM items i WHERE i.user_id = @user AND ${isAt}
     ORDER BY i.version DESC LIMIT ?`,
    ...[owner.project, place.namespace, place.key, versionsOfItem],
  )
  return rows.map(({ version, value, valid_from, valid_to }) => ({
    version,
    value: parsedValue(value),
    validFrom: valid_from,
    validTo: valid_to,
  }))
}

export async function listItems(
  session: Session,
  scope: OneUser,
  { now, limit, below, after }: ItemPage,
): Promise<{ items: Item[]; next: ItemPlace | null }> {
  const within = itemsBelow(below)
  const owner = within && (!after || isPlace(after)) ? await ownerOf(session, scope) : null
  if (!owner || !within) return { items: [], next: null }
  // The places first: values may be large, and only those that fit on the page are read.
  const places = await owner.user.all<ItemPlace & { row: number; bytes: number }>(
    `SELECT i.row, i.namespace, i.key, octet_length(${session.dialect.jsonText('i.value')}) AS bytes FROM items i
     WHERE i.user_id = @user AND i.project = ? AND ${isCurrent} AND ${isLive} AND ${within.sql}
       ${after ? 'AND (i.namespace, i.key) > (?, ?)' : ''}
     ORDER BY i.namespace, i.key LIMIT ?`,
    ...[owner.project, now, ...within.values, ...(after ? [after.namespace, after.key] : []), limit + 1],
  )
  const shown = fitting(places.slice(0, limit), ({ bytes }) => bytes)
  const last = shown.at(-1)
  const items = await readRows(owner.user, shown)
  return {
    items: items.map(({ item }) => item),
    next: places.length > shown.length && last ? { namespace: last.namespace, key: last.key } : null,
  }
}

export async function listNamespaces(
  session: Session,
  scope: OneUser,
  { now, limit, prefix, after }: NamespacePage,
): Promise<{ items: NamespaceCount[]; next: string | null }> {
  const within = itemsBelow(prefix === undefined ? undefined : { prefix })
  const owner = within && isStorable(after ?? '') ? await ownerOf(session, scope) : null
  if (!owner || !within) return { items: [], next: null }
  const rows = await owner.user.all<NamespaceCount>(
    `SELECT i.namespace, count(*) AS items FROM items i
     WHERE i.user_id = @user AND i.project = ? AND ${isCurrent} AND ${isLive} AND ${within.sql} AND i.namespace > ?
     GROUP BY i.namespace ORDER BY i.namespace LIMIT ?`,
    ...[owner.project, now, ...within.values, after ?? '', limit + 1],
  )
  const items = rows.slice(0, limit)
  return { items, next: rows.length > limit ? (items.at(-1)?.namespace ?? null) : null }
}

export async function newestItems(
  session: Session,
  scope: OneUser,
  { limit, offset, ...choice }: ItemChoice & { readonly limit: number; readonly offset: number },
): Promise<Item[]> {
  const chosen = await chosenItems(session, scope, choice)
  if (!chosen) return []
  const rows = await chosen.user.all<{ row: number; bytes: number }>(
    `SELECT i.row, octet_length(${session.dialect.jsonText('i.value')}) AS bytes FROM items i WHERE ${chosen.sql}
     ORDER BY i.valid_from DESC, i.row DESC LIMIT ? OFFSET ?`,
    ...chosen.values,
    limit,
    offset,
  )
  const items = await readRows(
    chosen.user,
    fitting(rows, ({ bytes }) => bytes),
  )
  return items.map(({ item }) => item)
}

export async function matchingItems(session: Session, scope: UserScope, choice: ItemChoice): Promise<number[]> {
  const chosen = await chosenItems(session, scope, choice)
  const rows = await chosen?.user.all<{ row: number }>(
    `SELECT i.row FROM items i WHERE ${chosen.sql} ORDER BY i.row`,
    ...chosen.values,
  )
  return rows?.map(({ row }) => row) ?? []
}

/** Covers all projects: there is one index per user. */
export async function hydrateItems(
  session: Session,
  { userId }: UserScope,
  rows: readonly number[],
): Promise<{ row: number; item: Item }[]> {
  const user = await dataOf(session, userId)
  return user
    ? readRows(
        user,
        rows.map((row) => ({ row })),
      )
    : []
}

/** In the given order. */
async function readRows(
  user: UserData,
  rows: readonly { readonly row: number }[],
): Promise<{ row: number; item: Item }[]> {
  const numbers = rows.map(({ row }) => row)
  if (numbers.length === 0) return []
  const found = await user.all<ItemRow>(
    `SELECT ${itemColumns(user.dialect)} FROM items i
     WHERE i.user_id = @user AND ${user.dialect.among('i.row', 'bigint')} AND ${isCurrent}`,
    numbers,
  )
  const byRow = new Map(found.map((row) => [row.row, itemOf(row)]))
  return numbers.flatMap((row) => {
    const item = byRow.get(row)
    return item ? [{ row, item }] : []
  })
}

async function chosenItems(
  session: Session,
  scope: OneUser,
  { now, below, filter, includeFlagged }: ItemChoice,
): Promise<(BoundCondition & { readonly user: UserData }) | null> {
  const owner = await ownerOf(session, scope)
  const within = itemsBelow(below)
  const passing =
    filter === undefined ? { sql: 'TRUE', values: [] } : await filterCondition(session, scope, filter, 'i.value')
  if (!owner || !within || !passing) return null
  const unflagged = includeFlagged ? '' : ' AND NOT i.flagged'
  return {
    user: owner.user,
    sql: `i.user_id = @user AND i.project = ? AND ${isCurrent} AND ${isLive}${unflagged} AND ${within.sql} AND ${passing.sql}`,
    values: [owner.project, now, ...within.values, ...passing.values],
  }
}
