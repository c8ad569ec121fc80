import type { Dialect } from '../sql/dialect.js'

/** Longer patterns cost more than the search by position. */
const longestPattern = 10_000

export const postgresDialect: Dialect = {
  among: (column, type) => `${column} = ANY (?::${type}[])`,
  rows(alias, columns) {
    const defined = Object.entries(columns).map(([name, type]) => `${name} ${type}`)
    return `json_to_recordset(?::text::json) AS ${alias} (${defined.join(', ')})`
  },
  elements: (column, alias) => `unnest(${column}) AS ${alias} (value)`,
  jsonValue: '?::text::json',
  jsonText: (column) => `${column}::text`,
  greatest: (first, second) => `greatest(${first}, ${second})`,
  least: (first, second) => `least(${first}, ${second})`,
  contains(column, q) {
    // Plain ASCII needs no collation rules, which would cost ten times as much.
    if (/^[\x20-\x7e]*$/.test(q) && q.length < longestPattern) {
      return { sql: `${column} COLLATE "C" ILIKE ?`, values: [`%${q.replace(/[\\%_]/g, '\\$&')}%`] }
    }
    return { sql: `strpos(lower(${column} COLLATE "und-x-icu"), ?) > 0`, values: [q.toLowerCase()] }
  },
  userId: (alias) => `${alias}.user_id`,
  idOfUser: (usersAlias) => `${usersAlias}.user_id`,
  // OFFSET 0 keeps PostgreSQL from reading all of the user's memories for a few: it may underestimate how many there are.
  versionsWithMemories: `versions v CROSS JOIN LATERAL (
    SELECT * FROM memories WHERE user_id = v.user_id AND key = v.memory OFFSET 0) m`,
  forUpdate: 'FOR UPDATE',
  skipLockedOf: (alias) => `FOR UPDATE OF ${alias} SKIP LOCKED`,
}
