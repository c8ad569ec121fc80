import type { Dialect } from '../sql/dialect.js'

/** A scalar is no JSON text: `json_each` would refuse it. */
const objectIn = (alias: string) => `CASE ${alias}.type WHEN 'object' THEN ${alias}.value ELSE '{}' END`

/** Arrays are bound as JSON, and `text[]` and `json` columns store JSON as text. */
export const sqliteDialect: Dialect = {
  among: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  rows(alias, columns) {
    // `->>` returns a list as JSON text, any other value as itself, and NULL for null. `->` returns the JSON text of any value.
    // `jsonb_each` is three times as fast as `json_each`, which would serialize and parse a row again for every column.
    const selected = Object.entries(columns).map(([name, type]) =>
      type === 'json' ? `nullif(value -> '${name}', 'null') AS ${name}` : `value ->> '${name}' AS ${name}`,
    )
    return `(SELECT ${selected.join(', ')} FROM jsonb_each(?)) ${alias}`
  },
  elements: (column, alias) => `json_each(${column}) ${alias}`,
  jsonValue: '?',
  jsonText: (column) => column,
  // One text for every filter: one text per filter would fill the cache of prepared statements without bound.
  metadataHolds: (column) => `NOT EXISTS (SELECT 1 FROM json_each(?) wanted WHERE NOT EXISTS (
    SELECT 1 FROM json_each(${column}) own
    WHERE own.key = wanted.key AND own.type = wanted.type AND own.atom IS wanted.atom))`,
  jsonAt(column, keys) {
    const names = Array.from({ length: keys }, (_, index) => `k${index}`)
    const last = `k${keys - 1}`
    // Not a JSON path, which cannot name every key.
    const steps = names
      .map((name, index) => `json_each(${index === 0 ? column : objectIn(`k${index - 1}`)}) ${name}`)
      .join(', ')
    const where = names.map((name) => `${name}.key = ?`).join(' AND ')
    const own = (part: string) => `CASE ${last}.type WHEN 'array' THEN e.${part} ELSE ${last}.${part} END AS ${part}`
    return {
      found: `${steps} WHERE ${where}`,
      values: `(SELECT ${own('type')}, ${own('atom')} FROM ${steps},
        json_each(CASE ${last}.type WHEN 'array' THEN ${last}.value ELSE '[0]' END) e WHERE ${where}) own`,
    }
  },
  jsonAmong: 'EXISTS (SELECT 1 FROM json_each(?) wanted WHERE own.type = wanted.type AND own.atom IS wanted.atom)',
  jsonNumber: (sign) => `own.type IN ('integer', 'real') AND own.atom ${sign} json_extract(?, '$')`,
  jsonString: (sign) => `own.type = 'text' AND own.atom ${sign} ?`,
  greatest: 'max',
  least: 'min',
  matchesAscii: (column) => `${column} LIKE ? ESCAPE '\\'`,
  // A function of ours: SQLite folds only ASCII letters.
  containsFolded: (column) => `contains_folded(${column}, ?) = 1`,
  userId: (alias) => `(SELECT owner.id FROM users owner WHERE owner.user_id = ${alias}.user_id)`,
  idOfUser: (usersAlias) => `${usersAlias}.id`,
  versionsWithMemories: 'versions v JOIN memories m ON m.user_id = v.user_id AND m.key = v.memory',
  forUpdate: '',
  forNoKeyUpdate: '',
}
