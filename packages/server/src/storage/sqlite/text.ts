import type { Condition } from './user-rows.js'

const longestPattern = 10_000

/** That the text in `column` has `q` in it, whatever the case. */
export function containing(column: 'v.content' | 's.spelling', q: string): Condition {
  // For plain ASCII SQLite's own comparison does, and spares a call into JavaScript for every row.
  if (/^[\x20-\x7e]*$/.test(q) && q.length < longestPattern) {
    return { sql: `${column} LIKE ? ESCAPE '\\'`, values: [`%${q.replace(/[\\%_]/g, '\\$&')}%`] }
  }
  return { sql: `contains_folded(${column}, ?) = 1`, values: [q.toLowerCase()] }
}
