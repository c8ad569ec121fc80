/** How a table of users' data is laid out: in one piece or in hash partitions, and behind row-level security in any case. */

export interface Layout {
  /** 0: in one piece. */
  readonly partitions: number
  /** Statements that make a table of users' data; its first column is `user_id`. */
  table(name: string, definition: string): string
  /** Statements that let a table show and take only rows for which the condition holds, to its owner too. */
  protect(name: string, condition: string): string
}

/**
 * What a transaction has said about itself (see `database.ts`). Without a word it sees nothing: a setting that was never
 * made is null, one of an earlier transaction is empty, and no user's id is empty.
 */
const ownRows = `user_id = ${setting('user')} OR ${setting('everyone')} = 'yes'`

/** Inside a SELECT it is asked once a statement; bare it would be asked for every row. */
export function setting(name: 'user' | 'everyone' | 'keys'): string {
  return `(SELECT current_setting('keepsake.${name}', true))`
}

export function layoutOf(partitions: number): Layout {
  const protect = (name: string, condition: string) => `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY;
ALTER TABLE ${name} FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON ${name} USING (${condition}) WITH CHECK (${condition});
`
  const table = (name: string, definition: string) => {
    if (partitions === 0) return `CREATE TABLE ${name} (${definition}\n);\n${protect(name, ownRows)}`
    // A partition can be named in a query as well, past the policy of the whole.
    const parts = Array.from({ length: partitions }, (_, part) => {
      const partition = `${name}_${part}`
      return `CREATE TABLE ${partition} PARTITION OF ${name} FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${part});
${protect(partition, ownRows)}`
    })
    return `CREATE TABLE ${name} (${definition}\n) PARTITION BY HASH (user_id);\n${protect(name, ownRows)}${parts.join('')}`
  }
  return { partitions, table, protect }
}
