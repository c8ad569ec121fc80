import type { Condition } from './user-rows.js'

const longestPattern = 10_000

/** That the text in `column` has `q` in it, whatever the case. */
export function containing(column: 'v.content' | 's.spelling', q: string): Condition {
  // Plain ASCII needs no knowledge of languages, which would cost ten times as much.
  if (/^[\x20-\x7e]*$/.test(q) && q.length < longestPattern) {
    return { sql: `${column} COLLATE "C" ILIKE ?`, values: [`%${q.replace(/[\\%_]/g, '\\$&')}%`] }
  }
  return { sql: `strpos(lower(${column} COLLATE "und-x-icu"), ?) > 0`, values: [q.toLowerCase()] }
}
