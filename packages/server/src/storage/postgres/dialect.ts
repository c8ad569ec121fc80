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
  jsonAt(column, keys) {
    // `->` with a text finds keys of objects only, while a path also finds places in lists.
    const value = `${column}::jsonb${' -> ?::text'.repeat(keys)}`
    // From one function each: Citus supports neither a subquery without tables nor two functions in a statement about everyone.
    return {
      found: `unnest(ARRAY[${value}]) found (value) WHERE found.value IS NOT NULL`,
      values: `jsonb_path_query(${value}, 'lax $[*]') own (value)`,
    }
  },
  jsonAmong: '?::text::jsonb @> jsonb_build_array(own.value)',
  // In a CASE, because AND does not keep the order: a text is no number.
  jsonNumber(is) {
    return `CASE jsonb_typeof(own.value) WHEN 'number' THEN own.value::numeric ${is} CAST(?::text AS numeric) ELSE FALSE END`
  },
  jsonString(is) {
    return `CASE jsonb_typeof(own.value) WHEN 'string' THEN (own.value #>> '{}') COLLATE "C" ${is} ?::text ELSE FALSE END`
  },
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
}
