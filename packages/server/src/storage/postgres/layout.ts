/** The layout of tables with users' data: one table, hash partitions, or distributed by Citus; always behind row-level security. */

export interface Layout {
  /** 0: not partitioned. */
  readonly partitions: number
  /**
   * Statements that create a table of users' data; its first column is `user_id`. Rows that meet the condition `or` are visible besides
   * the user's own.
   */
  table(name: string, definition: string, or?: string): string
  /** Statements that restrict reads and writes of a table to rows that meet the condition, even for its owner. */
  protect(name: string, condition: string): string
}

/**
 * The rows of the user that the transaction has declared (see `session.ts`). A transaction that declares none sees nothing: the
 * setting is null if it was never made and empty if an earlier transaction made it, and no user id is empty.
 */
const ownRows = `user_id = ${setting('user')} OR ${setting('everyone')} = 'yes'`

/** Inside a SELECT, the setting is evaluated once per statement; outside, once per row. */
export function setting(name: 'user' | 'everyone' | 'keys'): string {
  return `(SELECT current_setting('keepsake.${name}', true))`
}

/**
 * The condition of a policy on a distributed table, from the one on a plain table or from what PostgreSQL shows of it: Citus allows no
 * queries there. A setting that was never made is an error here: a connection that does not send its settings to the workers must
 * fail, instead of finding nothing.
 */
export function distributedCondition(condition: string): string {
  const query = /\( ?SELECT current_setting\('keepsake\.(\w+)'(?:::text)?, true\)(?: AS current_setting)?\)/g
  return condition.replaceAll(query, "current_setting('keepsake.$1')")
}

/** The table that the other distributed tables are placed beside. */
export const firstTable = 'users'

/** @param isDistributed - the tables of earlier steps are distributed, so a new one must be too before it refers to them. */
export function layoutOf(partitions: number, isDistributed = false): Layout {
  const protect = (name: string, condition: string) => `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY;
ALTER TABLE ${name} FORCE ROW LEVEL SECURITY;
CREATE POLICY own_rows ON ${name} USING (${condition}) WITH CHECK (${condition});
`
  const table = (name: string, definition: string, or?: string) => {
    const visible = or === undefined ? ownRows : `${ownRows} OR ${or}`
    if (isDistributed) {
      const parts = definition.split(',\n')
      const isForeignKey = (part: string) => part.trimStart().startsWith('FOREIGN KEY')
      const constraints = parts.filter(isForeignKey).map((part) => `ALTER TABLE ${name} ADD ${part.trim()};`)
      return `CREATE TABLE ${name} (${parts.filter((part) => !isForeignKey(part)).join(',\n')}\n);
SELECT create_distributed_table('${name}', 'user_id', colocate_with => '${firstTable}');
${constraints.join('\n')}
${protect(name, distributedCondition(visible))}`
    }
    if (partitions === 0) return `CREATE TABLE ${name} (${definition}\n);\n${protect(name, visible)}`
    // A query can name a partition directly, which bypasses the policy of the parent table.
    const parts = Array.from({ length: partitions }, (_, part) => {
      const partition = `${name}_${part}`
      return `CREATE TABLE ${partition} PARTITION OF ${name} FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${part});
${protect(partition, visible)}`
    })
    return `CREATE TABLE ${name} (${definition}\n) PARTITION BY HASH (user_id);\n${protect(name, visible)}${parts.join('')}`
  }
  return { partitions, table, protect }
}
