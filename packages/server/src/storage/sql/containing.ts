import type { Condition, Dialect } from './dialect.js'

/** SQLite refuses longer patterns. */
const longestPattern = 10_000

/** The text in the column contains `q`, ignoring case. */
export function containing(dialect: Dialect, column: 'v.content' | 's.spelling', q: string): Condition {
  // Plain ASCII needs no rules of languages, which would cost ten times as much.
  if (/^[\x20-\x7e]*$/.test(q) && q.length < longestPattern) {
    return { sql: dialect.matchesAscii(column), values: [`%${q.replace(/[\\%_]/g, '\\$&')}%`] }
  }
  return { sql: dialect.containsFolded(column), values: [q.toLowerCase()] }
}
