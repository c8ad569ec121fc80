/**
 * Fills a database for the load bench. The storage code writes the first user's memories; PostgreSQL itself copies
 * those rows for all other users. This works because every table of user data starts with `user_id` and row numbers are
 * per user, so a copy under another user id equals what the storage would have written. Writing a million memories one
 * by one would take an hour.
 */
import { systemClock } from '../../packages/server/src/core/clock.js'
import { idSource } from '../../packages/server/src/core/ids.js'
import { openPostgresStorage } from '../../packages/server/src/storage/postgres/postgres-storage.js'
import type { PostgresServer } from '../../packages/server/test/services/postgres.js'
import type { Scenario } from '../speed/scenario.js'
import { userId } from '../speed/scenario.js'
import { seedUser } from '../speed/seed.js'
import type { Centres } from '../speed/vectors.js'

/** The copy preserves foreign keys; checking each of them takes longer than copying. */
const forBulk =
  "SET session_replication_role = 'replica'; SET synchronous_commit = off; SET maintenance_work_mem = '256MB'"

export async function seedPostgres(
  server: Pick<PostgresServer, 'url' | 'asAdmin'>,
  scenario: Scenario,
  centres: Centres,
  log: (line: string) => void,
): Promise<void> {
  const startedAt = performance.now()
  const storage = await openPostgresStorage({ url: server.url })
  await seedUser(storage, idSource(systemClock), scenario, centres, 0)
  await storage.close()
  const sql = server.asAdmin('keepsake')
  try {
    await sql.unsafe(forBulk)
    const rows = await sql<{ table: string; columns: string[] }[]>`
      SELECT c.table_name AS table, array_agg(c.column_name ORDER BY c.ordinal_position) AS columns
      FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
      WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.table_name <> 'keys'
      GROUP BY c.table_name HAVING bool_or(c.column_name = 'user_id')`
    const [template, prefix] = [userId(scenario, 0), userId(scenario, 0).replace(/0$/, '')]
    for (const { table, columns } of rows) {
      const others = columns.filter((name) => name !== 'user_id').map((name) => `t."${name}"`)
      await sql.unsafe(
        `INSERT INTO ${table} (user_id, ${columns.filter((name) => name !== 'user_id').map((name) => `"${name}"`)})
         SELECT '${prefix}' || n, ${others} FROM generate_series(1, ${scenario.users - 1}) n, ${table} t
         WHERE t.user_id = '${template}' ORDER BY n`,
      )
    }
    await sql.unsafe('VACUUM ANALYZE')
    await sql.unsafe('CHECKPOINT')
  } finally {
    await sql.end()
  }
  log(`seeded ${scenario.title} memories in PostgreSQL in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
}
