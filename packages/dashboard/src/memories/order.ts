import type { Memory } from '@keepsake/client'

export type Column = 'content' | 'project' | 'createdAt' | 'accessCount' | 'decayScore'

export interface Order {
  readonly column: Column
  readonly isDescending: boolean
}

/** The order in which the service lists memories. Any other one needs all rows. */
export const newestFirst: Order = { column: 'createdAt', isDescending: true }

export function isNewestFirst({ column, isDescending }: Order): boolean {
  return column === newestFirst.column && isDescending === newestFirst.isDescending
}

/** The next order after a click on a column: text ascending first, numbers and dates descending first. */
export function orderAfter({ column, isDescending }: Order, clicked: Column): Order {
  if (clicked === column) return { column, isDescending: !isDescending }
  return { column: clicked, isDescending: clicked !== 'content' && clicked !== 'project' }
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Equal rows stay newest first. */
export function ordered(memories: readonly Memory[], order: Order): readonly Memory[] {
  if (isNewestFirst(order)) return memories
  const { column, isDescending } = order
  const sign = isDescending ? -1 : 1
  return memories.toSorted((a, b) => sign * compare(a[column], b[column]))
}

/** A memory without a project comes after those with one. */
function compare(a: string | number | null, b: string | number | null): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return collator.compare(String(a), String(b))
}
