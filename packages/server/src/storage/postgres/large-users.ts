/**
 * Users too large for an exact scan get their own vector index: a partial index over only their rows, so that it
 * finds what a scan would find. It is built and dropped while the service runs, by one instance at a time.
 */
import { createHash } from 'node:crypto'
import type { Connection } from './connection.js'

/**
 * An exact scan of `until` vectors takes about 40 ms. A user with more than `from` vectors, twice as many, gets an index and
 * keeps it until fewer than `until` are left.
 */
const largeUser = { from: 50_000, until: 25_000 } as const

/** Denser than pgvector's defaults (16, 64), which miss one answer in thirty. */
const density = 'm = 24, ef_construction = 128'

/** "Vectors " in ASCII: the instance that holds this lock maintains the indexes. */
const lock = '6225491411646706464'

export interface LargeUserOptions {
  readonly dimensions: number
  readonly from?: number
  readonly until?: number
}

/**
 * Returns the ids of the users who have an index now. Does nothing while another instance is doing this. A build takes
 * minutes, so the connection must allow long statements.
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
    // Safe to insert into SQL: our own names, made of letters, digits and underscores.
    for (const name of existing)
      if (!kept.has(name)) await connection.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`)
    return wanted.map(({ id }) => id)
  } finally {
    await connection.query(`SELECT pg_advisory_unlock(${lock})`)
  }
}

const namePrefix = 'vectors_of_'

/** Hashed: a user id may have any length and any characters. */
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

/** Valid indexes. An interrupted build leaves an invalid one, which is never used; it is dropped here. */
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
  // An index definition takes no parameters, so PostgreSQL quotes the id as a literal.
  const quoted = await connection.query<{ literal: string }>('SELECT quote_literal($1::text) AS literal', [userId])
  // Building is three times as fast if the graph fits into this memory.
  await connection.query(`SET maintenance_work_mem = '512MB'`)
  await connection.query(
    `CREATE INDEX CONCURRENTLY ${indexName(userId)} ON ${table}
     USING hnsw ((vector::vector(${dimensions})) vector_ip_ops) WITH (${density})
     WHERE user_id = ${quoted.rows[0]?.literal} AND vector_dims(vector) = ${dimensions}`,
  )
  await connection.query('RESET maintenance_work_mem')
}

/** The partition, if tables are partitioned: an index over all partitions cannot be built without blocking writes. */
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
