/**
 * Citus: the rows of each user on one of several PostgreSQL servers (ADR 36). Every table of users' data is distributed by `user_id`,
 * so that everything of one user is on one worker. The tables without a user as their key (API keys, grants, claims, the schema)
 * stay on the coordinator, to which the service connects.
 */
import type { Connection } from './connection.js'
import { codeOf } from './errors.js'
import { distributedCondition, firstTable } from './layout.js'
import { DatabaseUnusable } from './migration.js'
import { statementsOf } from './statements.js'

/**
 * Creates what the service calls by one name with and without Citus:
 * - `keepsake_see` declares whose rows a transaction sees (see `opening.ts`). Citus sends a SET LOCAL to the workers, but no
 *   `set_config`. It sends the text of the whole message, so in a message of several statements the SET must be in a procedure.
 * - `keepsake_bytes` is the size of the database on every node that answers.
 */
export function createRoutines(on: 'plain' | 'citus'): string {
  const see =
    on === 'plain'
      ? `PERFORM set_config('keepsake.user', of_user, true), set_config('keepsake.everyone', of_everyone, true),
    set_config('keepsake.keys', of_keys, true);`
      : `SET LOCAL citus.propagate_set_commands TO local;
  EXECUTE format('SET LOCAL keepsake."user" TO %L', of_user);
  EXECUTE format('SET LOCAL keepsake.everyone TO %L', of_everyone);
  EXECUTE format('SET LOCAL keepsake.keys TO %L', of_keys);`
  const bytes =
    on === 'plain'
      ? 'SELECT pg_database_size(current_database())'
      : `SELECT coalesce(sum(CASE WHEN success THEN result::bigint END), 0)::bigint
  FROM run_command_on_all_nodes('SELECT pg_database_size(current_database())')`
  return `CREATE OR REPLACE PROCEDURE keepsake_see(of_user text, of_everyone text, of_keys text) LANGUAGE plpgsql AS $body$
BEGIN
  ${see}
END $body$;
CREATE OR REPLACE FUNCTION keepsake_bytes() RETURNS bigint LANGUAGE sql AS $body$
  ${bytes}
$body$;
`
}

/** Whether the database has Citus, and a node for users' rows. */
export async function hasCitus(connection: Connection): Promise<boolean> {
  const installed = await connection.query(`SELECT 1 FROM pg_extension WHERE extname = 'citus'`)
  if (installed.rows.length === 0) return false
  const nodes = await connection.query(
    `SELECT 1 FROM pg_dist_node WHERE isactive AND shouldhaveshards AND noderole = 'primary' LIMIT 1`,
  )
  return nodes.rows.length > 0
}

/** Whether an earlier migration has distributed the tables. */
export async function isAlreadyDistributed(connection: Connection): Promise<boolean> {
  const found = await connection.query('SELECT 1 FROM pg_dist_partition WHERE logicalrelid = to_regclass($1)', [
    firstTable,
  ])
  return found.rows.length > 0
}

interface Table {
  readonly name: string
  readonly condition: string
}

/**
 * Distributes every table of users' data that is not distributed yet, with its rows. It runs in the transaction of the migration: if it
 * is interrupted, nothing has happened, and it can be repeated.
 */
export async function distribute(connection: Connection): Promise<void> {
  const tables = await undistributed(connection)
  if (tables.length === 0) return
  // One connection per worker: parallel ones would not see what the transaction has done before.
  await connection.query(`SET LOCAL citus.multi_shard_modify_mode TO 'sequential'`)
  try {
    await distributeTables(connection, tables)
  } catch (error) {
    if (connection.isDead) throw error
    throw new DatabaseUnusable(
      `The tables could not be distributed with Citus, and were left unchanged (${codeOf(error)}): ${reasonOf(error)}`,
    )
  }
}

async function distributeTables(connection: Connection, tables: readonly Table[]): Promise<void> {
  const constraints = await foreignKeys(connection, tables)
  // A foreign key must not join a distributed table with one that is not, not even for a moment.
  for (const { table, name } of constraints) await connection.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`)
  // The rows are copied with COPY, which row-level security does not allow.
  for (const { name } of tables) {
    await connection.query(`DROP POLICY own_rows ON ${name}`)
    await connection.query(`ALTER TABLE ${name} DISABLE ROW LEVEL SECURITY`)
  }
  for (const { name } of tables) {
    const beside = name === firstTable ? 'none' : firstTable
    await connection.query(`SELECT create_distributed_table('${name}', 'user_id', colocate_with => '${beside}')`)
  }
  // Otherwise a copy of every row would stay on the coordinator, where no erasure reaches it.
  for (const { name } of tables) {
    await connection.query(`SELECT truncate_local_data_after_distributing_table('${name}')`)
  }
  for (const { table, name, definition } of constraints) {
    await connection.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`)
  }
  for (const { name, condition } of tables) {
    await connection.query(`CREATE POLICY own_rows ON ${name} USING (${condition}) WITH CHECK (${condition})`)
    await connection.query(`ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY`)
    await connection.query(`ALTER TABLE ${name} FORCE ROW LEVEL SECURITY`)
  }
  for (const statement of statementsOf(createRoutines('citus'))) await connection.query(statement)
}

/** All tables that begin with `user_id`, the one with the users first. Their names are our own, and need no quotes. */
async function undistributed(connection: Connection): Promise<Table[]> {
  const { rows } = await connection.query<Table>(
    `SELECT c.relname::text AS name, pg_get_expr(p.polqual, p.polrelid) AS condition
     FROM pg_class c JOIN pg_policy p ON p.polrelid = c.oid AND p.polname = 'own_rows'
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = 1 AND a.attname = 'user_id'
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
       AND NOT EXISTS (SELECT 1 FROM pg_dist_partition d WHERE d.logicalrelid = c.oid)
     ORDER BY c.relname <> '${firstTable}', c.relname`,
  )
  return rows.map(({ name, condition }) => ({ name, condition: distributedCondition(condition) }))
}

interface ForeignKey {
  readonly table: string
  readonly name: string
  readonly definition: string
}

async function foreignKeys(connection: Connection, tables: readonly Table[]): Promise<readonly ForeignKey[]> {
  const { rows } = await connection.query<ForeignKey>(
    `SELECT c.relname::text AS "table", quote_ident(f.conname) AS name, pg_get_constraintdef(f.oid) AS definition
     FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid
     WHERE f.contype = 'f' AND c.relnamespace = current_schema()::regnamespace AND c.relname = ANY ($1::text[])
     ORDER BY c.relname, f.conname`,
    [tables.map(({ name }) => name)],
  )
  return rows
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
