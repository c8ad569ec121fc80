import type { Condition, Dialect } from './dialect.js'

/** SQLite refuses longer patterns. */
const longestPattern = 10_000

/** The column contains the text `q`, ignoring case. */
export function containing(dialect: Dialect, column: string, q: string): Condition {
  // Plain ASCII needs no language rules, which would cost ten times as much.
  if (/^[\x20-\x7e]*$/.test(q) && q.length < longestPattern) {
    return { sql: dialect.matchesAscii(column), values: [`%${q.replace(/[\\%_]/g, '\\$&')}%`] }
  }
  return { sql: dialect.containsFolded(column), values: [q.toLowerCase()] }
}
