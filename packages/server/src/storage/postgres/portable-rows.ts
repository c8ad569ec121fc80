/** Numbers of rows as portable records name them, and rows in pages. */
import { PortableRefused, rowsPerUser } from '../ports/portable.js'
import { codeOf, translate } from './errors.js'
import type { UserData } from './user-data.js'

export const numberOf = (row: number) => row % rowsPerUser
export const numberOrNull = (row: number | null) => (row === null ? null : numberOf(row))

const rowsAtOnce = 200
const keysAtOnce = 50_000

/** Rows of the statement page by page; it takes the key after which to begin, and how many. */
export async function* pages<Row extends { readonly key: number }>(
  user: UserData,
  sql: string,
  size = rowsAtOnce,
): AsyncGenerator<Row[]> {
  for (let after = -1; ; ) {
    const page = await user.all<Row>(sql, after, size)
    const last = page.at(-1)
    if (!last) return
    yield page
    if (page.length < size) return
    after = last.key
  }
}

/** Places of a user's entities among each other, counted from 1. Eight bytes each: a user may have very many. */
export class Ordinals {
  private constructor(private readonly keys: Float64Array) {}

  static async ofEntities(user: UserData): Promise<Ordinals> {
    const counted = await user.get<{ rows: number }>('SELECT count(*) AS rows FROM entities WHERE user_id = @user')
    const keys = new Float64Array(counted?.rows ?? 0)
    let index = 0
    const sql = 'SELECT key FROM entities WHERE user_id = @user AND key > ? ORDER BY key LIMIT ?'
    for await (const page of pages<{ key: number }>(user, sql, keysAtOnce)) {
      for (const { key } of page) keys[index++] = key
    }
    return new Ordinals(keys)
  }

  get size(): number {
    return this.keys.length
  }

  of(key: number): number {
    let [low, high] = [0, this.keys.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.keys[middle] ?? 0) < key) low = middle + 1
      else high = middle
    }
    if (this.keys[low] !== key) throw new PortableRefused(`the store is damaged: entity ${key} is not there`)
    return low + 1
  }
}

/** By the number that each belongs to; those of one keep their order. */
export function grouped<Row, Name extends keyof Row>(rows: readonly Row[], by: Name): Map<Row[Name], Row[]> {
  const groups = new Map<Row[Name], Row[]>()
  for (const row of rows) {
    const group = groups.get(row[by])
    if (group) group.push(row)
    else groups.set(row[by], [row])
  }
  return groups
}

/** SQLSTATEs of unique and foreign keys. */
const problems = new Map([
  ['23505', 'the store has some of these records already'],
  ['23503', 'a record names another that is not there'],
])

/** What the database answers, in words for the operator: never in its own, which may quote what was stored. */
export function refusal(error: unknown): PortableRefused {
  if (error instanceof PortableRefused) return error
  const { message } = translate(error)
  const problem = problems.get(codeOf(error))
  return new PortableRefused(problem === undefined ? message : `${problem}: ${message}`, { cause: error })
}
