import type { Dialect } from '../sql/dialect.js'

export const postgresDialect: Dialect = {
  among: (column, type) => `${column} = ANY (?::${type}[])`,
  rows(alias, columns) {
    const defined = Object.entries(columns).map(([name, type]) => `${name} ${type}`)
    return `json_to_recordset(?::text::json) AS ${alias} (${defined.join(', ')})`
  },
  elements: (column, alias) => `unnest(${column}) AS ${alias} (value)`,
  jsonValue: '?::text::json',
  jsonText: (column) => `${column}::text`,
  metadataHolds: (column) => `${column}::jsonb @> ?::text::jsonb`,
  greatest: 'greatest',
  least: 'least',
  matchesAscii: (column) => `${column} COLLATE "C" ILIKE ?`,
  containsFolded: (column) => `strpos(lower(${column} COLLATE "und-x-icu"), ?) > 0`,
  userId: (alias) => `${alias}.user_id`,
  idOfUser: (usersAlias) => `${usersAlias}.user_id`,
  // OFFSET 0 keeps PostgreSQL from reading all of the user's memories to find a few: it may underestimate how many there are.
  versionsWithMemories: `versions v CROSS JOIN LATERAL (
    SELECT * FROM memories WHERE user_id = v.user_id AND key = v.memory OFFSET 0) m`,
  forUpdate: 'FOR UPDATE',
  forNoKeyUpdate: 'FOR NO KEY UPDATE',
  skipLockedOf: (alias) => `FOR UPDATE OF ${alias} SKIP LOCKED`,
}
