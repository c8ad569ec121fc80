/** Numbers of rows as portable records name them. */
import { PortableRefused, rowsPerUser } from '../ports/portable.js'
import type { Database } from './database.js'

/** First and last row of a user. */
export type Rows = readonly [first: number, last: number]

export type Keys = Float64Array

/** Eight bytes each: a user may have very many. */
export function keysOf(db: Database, sql: string, ...values: number[]): Keys {
  return Float64Array.from(db.iterate<[number]>(sql, ...values), ([key]) => key)
}

/** Counted from 1 in the order of the keys. */
export function ordinal(keys: Keys, key: number): number {
  let [low, high] = [0, keys.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((keys[middle] ?? 0) < key) low = middle + 1
    else high = middle
  }
  if (keys[low] !== key) throw new PortableRefused(`the store is damaged: entity ${key} is of another user`)
  return low + 1
}

export const numberOf = (row: number) => row % rowsPerUser
export const numberOrNull = (row: number | null) => (row === null ? null : numberOf(row))
