/** Row numbers in portable records, and the rows of one user in batches. */
import { PortableRefused, rowsPerUser } from '../../ports/portable.js'
import type { Session, Sight, Value } from '../session.js'
import type { UserData } from '../user-data.js'

/** An export or import processes user after user inside one transaction. */
export interface SightedSession extends Session {
  /** From now on the transaction sees only this user's rows, if the engine enforces that itself. */
  see(sight: Sight): Promise<void>
}

/** First and last row number of a user, for BETWEEN. */
export type Rows = readonly [first: number, last: number]

export function rowsAround(row: number): Rows {
  const first = row - numberOf(row)
  return [first, first + rowsPerUser - 1]
}

export const numberOf = (row: number) => row % rowsPerUser
export const numberOrNull = (row: number | null) => (row === null ? null : numberOf(row))

const keysAtOnce = 100_000

/**
 * The keys that a statement selects, in ascending order. Its last two values are the key to start after and the number of rows. A
 * key takes eight bytes, because a user may have millions.
 */
export async function keysOf(user: UserData, sql: string, ...values: readonly Value[]): Promise<Float64Array> {
  let keys = new Float64Array(0)
  for (;;) {
    const page = await user.all<{ key: number }>(sql, ...values, keys.at(-1) ?? -1, keysAtOnce)
    const longer = new Float64Array(keys.length + page.length)
    longer.set(keys)
    longer.set(
      page.map(({ key }) => key),
      keys.length,
    )
    keys = longer
    if (page.length < keysAtOnce) return keys
  }
}

const rowsAtOnce = 200

export function* batches(keys: Float64Array, size = rowsAtOnce): Generator<number[]> {
  for (let from = 0; from < keys.length; from += size) yield [...keys.subarray(from, from + size)]
}

/** Positions of a user's entities in the order of their keys, counted from 1. */
export class Ordinals {
  constructor(readonly keys: Float64Array) {}

  of(key: number): number {
    let [low, high] = [0, this.keys.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.keys[middle] ?? 0) < key) low = middle + 1
      else high = middle
    }
    if (this.keys[low] !== key) throw new PortableRefused(`the store is damaged: entity ${key} is missing`)
    return low + 1
  }
}

/** Groups rows by the value of a column; rows keep their order. */
export function grouped<Row, Name extends keyof Row>(rows: readonly Row[], by: Name): Map<Row[Name], Row[]> {
  const groups = new Map<Row[Name], Row[]>()
  for (const row of rows) {
    const group = groups.get(row[by])
    if (group) group.push(row)
    else groups.set(row[by], [row])
  }
  return groups
}
