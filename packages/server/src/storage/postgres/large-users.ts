/**
 * Users too large for an exact scan get a vector index of their own: a partial one, over their rows alone, so that it
 * finds what a scan would. It is made and dropped beside the running service, by one instance at a time.
 */
import { createHash } from 'node:crypto'
import type { Connection } from './connection.js'

/** An exact scan of this many vectors takes about 40 ms; of twice as many an index is made, of fewer it is dropped again. */
const largeUser = { from: 50_000, until: 25_000 } as const

/** Denser than pgvector's own choice (16, 64): with it one answer in thirty is missing. */
const density = 'm = 24, ef_construction = 128'

/** "Vectors " in ASCII: whoever holds this lock looks after the indexes. */
const lock = '6225491411646706464'

export interface LargeUserOptions {
  readonly dimensions: number
  readonly from?: number
  readonly until?: number
}

/**
 * Ids of the users who have an index now. Does nothing where another instance is at it. Building takes minutes: the
 * connection must allow for that.
 */
export async function indexLargeUsers(connection: Connection, options: LargeUserOptions): Promise<string[]> {
  const { from = largeUser.from, until = largeUser.until, dimensions } = options
  const taken = await connection.query<{ held: boolean }>(`SELECT pg_try_advisory_lock(${lock}) AS held`)
  if (!taken.rows[0]?.held) return []
  try {
    const users = await usersWithMore(connection, until)
    const existing = await existingIndexes(connection)
    const wanted = users.filter(({ id, memories }) => memories > from || existing.has(indexName(id)))
    for (const { id } of wanted) {
      if (!existing.has(indexName(id))) await build(connection, id, Math.trunc(dimensions))
    }
    const kept = new Set(wanted.map(({ id }) => indexName(id)))
    // Names of our own making: letters and digits.
    for (const name of existing)
      if (!kept.has(name)) await connection.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`)
    return wanted.map(({ id }) => id)
  } finally {
    await connection.query(`SELECT pg_advisory_unlock(${lock})`)
  }
}

const namePrefix = 'vectors_of_'

/** The user's id may be of any length and of any signs. */
function indexName(userId: string): string {
  return `${namePrefix}${createHash('sha256').update(userId).digest('hex').slice(0, 32)}`
}

async function usersWithMore(connection: Connection, than: number) {
  await connection.query('BEGIN READ ONLY')
  await connection.query(`SELECT set_config('keepsake.everyone', 'yes', true)`)
  const users = await connection.query<{ id: string; memories: number }>(
    'SELECT user_id AS id, memories FROM users WHERE memories > $1 ORDER BY user_id',
    [than],
  )
  await connection.query('COMMIT')
  return users.rows
}

/** Whole ones: a build that was interrupted leaves one that is never used, and is dropped here. */
async function existingIndexes(connection: Connection): Promise<Set<string>> {
  const { rows } = await connection.query<{ name: string; valid: boolean }>(
    `SELECT c.relname::text AS name, i.indisvalid AS valid FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
     WHERE c.relnamespace = current_schema()::regnamespace AND starts_with(c.relname::text, $1)`,
    [namePrefix],
  )
  for (const { name, valid } of rows) if (!valid) await connection.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`)
  return new Set(rows.flatMap(({ name, valid }) => (valid ? [name] : [])))
}

async function build(connection: Connection, userId: string, dimensions: number): Promise<void> {
  const table = await tableOf(connection, userId)
  // A definition takes no parameters: PostgreSQL quotes the id itself.
  const quoted = await connection.query<{ literal: string }>('SELECT quote_literal($1::text) AS literal', [userId])
  // Three times as quick where the graph fits into it.
  await connection.query(`SET maintenance_work_mem = '512MB'`)
  await connection.query(
    `CREATE INDEX CONCURRENTLY ${indexName(userId)} ON ${table}
     USING hnsw ((vector::vector(${dimensions})) vector_ip_ops) WITH (${density})
     WHERE user_id = ${quoted.rows[0]?.literal} AND vector_dims(vector) = ${dimensions}`,
  )
  await connection.query('RESET maintenance_work_mem')
}

/** Where tables are partitioned, the partition: an index over all of them can't be made beside writes. */
async function tableOf(connection: Connection, userId: string): Promise<string> {
  await connection.query('BEGIN READ ONLY')
  await connection.query(`SELECT set_config('keepsake.user', $1, true)`, [userId])
  const found = await connection.query<{ name: string }>(
    'SELECT tableoid::regclass::text AS name FROM vectors WHERE user_id = $1 LIMIT 1',
    [userId],
  )
  await connection.query('COMMIT')
  return found.rows[0]?.name ?? 'vectors'
}
