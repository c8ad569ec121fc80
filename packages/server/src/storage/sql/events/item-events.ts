/**
 * Events of items are in the log of the user's memories. The column for the memory's id holds the names of the item, and the one for
 * related memories its version. No id of a memory contains a line break, and no name of an item does.
 */
import type { EventItem, MemoryEvent } from '../../../core/memory-event.js'
import { noProject } from '../items/item-rows.js'
import type { UserData } from '../user-data.js'
import type { UserWrite } from '../user-write.js'

export type PlaceOfItem = readonly [project: string, namespace: string, key: string]

/** In place of an item: all that were erased with everything else. Their names are erased too. */
export const allItems = ''

type Occasion = Pick<MemoryEvent, 'action' | 'at'>

export function tellOfPut(write: UserWrite, place: PlaceOfItem, version: number, occasion: Occasion): void {
  write.tell({ type: 'item.put', ...aboutItem(place), relatedIds: [String(version)], ...occasion })
}

export function tellOfDeletion(write: UserWrite, place: PlaceOfItem, occasion: Occasion): void {
  write.tell({ type: 'item.deleted', ...aboutItem(place), relatedIds: [], ...occasion })
}

/** One event for all of them. It has no project either, so that every project gets it. */
export function tellOfErasure(write: UserWrite, occasion: Occasion): void {
  write.tell({ type: 'item.deleted', memoryId: allItems, project: null, checksum: null, relatedIds: [], ...occasion })
}

/** Of erased items, only their deletion remains. */
export async function eraseEventsOfItems(user: UserData, places: readonly PlaceOfItem[]): Promise<void> {
  await user.send(
    `DELETE FROM events WHERE user_id = @user AND ${user.dialect.among('memory_id', 'text')}`,
    places.map(subjectOf),
  )
}

/** Everything that the log says about items, of one project or of all. */
export async function eraseItemEvents(user: UserData, project: string | undefined): Promise<void> {
  const within = project === undefined ? '' : ' AND project = ?'
  await user.send(
    `DELETE FROM events WHERE user_id = @user AND type IN ('item.put', 'item.deleted')${within}`,
    ...(project === undefined ? [] : [project]),
  )
}

/** Of the columns of an event: the memory or the item that it is about. */
export function subjectIn(
  type: MemoryEvent['type'],
  subject: string,
  related: readonly string[],
): Pick<MemoryEvent, 'memoryId' | 'item' | 'relatedIds'> {
  const isItem = type === 'item.put' || type === 'item.deleted'
  if (!isItem) return { memoryId: subject, item: null, relatedIds: related }
  return { memoryId: null, item: subject === allItems ? null : itemIn(subject, related), relatedIds: [] }
}

function itemIn(subject: string, [version]: readonly string[]): EventItem {
  const [namespace = '', key = ''] = subject.split('\n')
  return { namespace, key, version: version === undefined ? null : Number(version) }
}

function aboutItem(place: PlaceOfItem) {
  const [project] = place
  return { memoryId: subjectOf(place), project: project === noProject ? null : project, checksum: null }
}

function subjectOf([project, namespace, key]: PlaceOfItem): string {
  return `${namespace}\n${key}\n${project}`
}
