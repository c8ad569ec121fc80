/**
 * Erases items with all of their versions. Many are erased in chunks, each a transaction of its own, so that other writes need not wait.
 * Repeating an interrupted call finishes the work.
 */
import type { ItemPlace } from '../../../core/item.js'
import type { NobodyScope, Scope, UserScope } from '../../../core/scope.js'
import { isStorable } from '../../domain/storable-text.js'
import type { ExpectedVersion, ItemBelow, ItemRemoval } from '../../ports/item-store.js'
import {
  eraseEventsOfItems,
  eraseItemEvents,
  type PlaceOfItem,
  tellOfDeletion,
  tellOfErasure,
} from '../events/item-events.js'
import type { Session, Transact, UserKey } from '../session.js'
import { dataOf, usersIn } from '../user-data.js'
import { UserWrite } from '../user-write.js'
import { erasePlace } from './erase-rows.js'
import { isAt, isCurrent, isPlace, itemsBelow, noProject, ownerOf } from './item-rows.js'

/** Which items of a user: of one project (empty: outside every project), below a namespace, or expired by then. */
interface Choice {
  readonly project?: string
  readonly below?: ItemBelow
  readonly expiredAt?: number
}

const chunkSize = 500

export async function removeItem(
  session: Session,
  scope: UserScope | NobodyScope,
  place: ItemPlace,
  { now, ifVersion }: ExpectedVersion,
): Promise<ItemRemoval> {
  const owner = isPlace(place) ? await ownerOf(session, scope) : null
  const write = owner && (await UserWrite.begin(owner.user))
  const at = [owner?.project ?? noProject, place.namespace, place.key] as const
  const found = await write?.get<{ version: number; expires_at: number | null }>(
    `SELECT i.version, i.expires_at FROM items i WHERE i.user_id = @user AND ${isAt} AND ${isCurrent}`,
    ...at,
  )
  const isExpired = found !== undefined && found.expires_at !== null && found.expires_at <= now
  const version = found && !isExpired ? found.version : 0
  if (ifVersion !== undefined && ifVersion !== version) return { outcome: 'conflict', version }
  if (!write || !found) return { outcome: 'not_found' }
  await erasePlace(write, at)
  await eraseEventsOfItems(write, [at])
  tellOfDeletion(write, at, isExpired ? { action: 'CLEANUP', at: now } : { action: 'FORGET', at: now })
  await write.end()
  return { outcome: isExpired ? 'not_found' : 'removed' }
}

export async function removeItems(
  transact: Transact,
  scope: UserScope | NobodyScope,
  below: ItemBelow,
  now: number,
): Promise<number> {
  if (scope.kind === 'nobody') return 0
  return eraseAll(transact, scope, { project: scope.project ?? noProject, below }, now)
}

/** All items of the scope: of all projects, unless it names one. */
export async function eraseItems(transact: Transact, scope: Scope, now: number): Promise<number> {
  return eraseFor(transact, scope, {}, now)
}

export async function purgeItems(transact: Transact, scope: Scope, expiredAt: number): Promise<number> {
  return eraseFor(transact, scope, { expiredAt }, expiredAt)
}

async function eraseFor(transact: Transact, scope: Scope, choice: Choice, now: number): Promise<number> {
  if (scope.kind === 'nobody') return 0
  const within = scope.project === undefined ? choice : { ...choice, project: scope.project }
  if (scope.kind === 'user') return eraseAll(transact, scope, within, now)
  let erased = 0
  for (const userId of await transact(scope, findItemOwners, scope, within)) {
    erased += await eraseAll(transact, { kind: 'user', userId }, within, now)
  }
  return erased
}

async function eraseAll(transact: Transact, { userId }: UserScope, choice: Choice, now: number): Promise<number> {
  const scope: UserScope = { kind: 'user', userId }
  for (let erased = 0; ; ) {
    const chunk = await transact(scope, eraseItemChunk, scope, choice, now)
    erased += chunk.items
    if (chunk.isLast) return erased
  }
}

/** Users with such items. */
export async function findItemOwners(session: Session, scope: Scope, choice: Choice): Promise<string[]> {
  const within = await usersIn(session, scope, 'i')
  const chosen = chosenBy(choice)
  if (!within || !chosen) return []
  const rows = await session.all<{ user_id: UserKey; id: string }>(
    `SELECT DISTINCT i.user_id, ${session.dialect.userId('i')} AS id FROM items i
     WHERE ${within.sql} AND ${chosen.sql} ORDER BY i.user_id`,
    ...within.values,
    ...chosen.values,
  )
  return rows.map(({ id }) => id)
}

export async function eraseItemChunk(
  session: Session,
  { userId }: UserScope,
  choice: Choice,
  now: number,
): Promise<{ items: number; isLast: boolean }> {
  const user = await dataOf(session, userId)
  const write = user && (await UserWrite.begin(user))
  const chosen = chosenBy(choice)
  if (!write || !chosen) return { items: 0, isLast: true }
  const found = await write.all<{ project: string; namespace: string; key: string }>(
    `SELECT i.project, i.namespace, i.key FROM items i WHERE i.user_id = @user AND ${isCurrent} AND ${chosen.sql} LIMIT ?`,
    ...chosen.values,
    chunkSize,
  )
  const places = found.map(({ project, namespace, key }) => [project, namespace, key] as const)
  for (const place of places) await erasePlace(write, place)
  await tellOfChunk(write, choice, places, now)
  if (found.length > 0) await write.end()
  return { items: found.length, isLast: found.length < chunkSize }
}

async function tellOfChunk(
  write: UserWrite,
  { project, below, expiredAt }: Choice,
  places: readonly PlaceOfItem[],
  at: number,
): Promise<void> {
  const isEverything = below === undefined && expiredAt === undefined
  if (isEverything) {
    // Of items that were deleted before, too.
    await eraseItemEvents(write, project)
    if (places.length > 0) tellOfErasure(write, { action: 'FORGET', at })
    return
  }
  await eraseEventsOfItems(write, places)
  const action = expiredAt === undefined ? 'FORGET' : 'CLEANUP'
  for (const place of places) tellOfDeletion(write, place, { action, at })
}

function chosenBy({ project, below, expiredAt }: Choice) {
  const within = itemsBelow(below)
  if (!within || (project !== undefined && !isStorable(project))) return null
  return {
    sql: [
      within.sql,
      ...(project === undefined ? [] : ['i.project = ?']),
      ...(expiredAt === undefined ? [] : ['i.expires_at <= ?']),
    ].join(' AND '),
    values: [
      ...within.values,
      ...(project === undefined ? [] : [project]),
      ...(expiredAt === undefined ? [] : [expiredAt]),
    ],
  }
}
