/** Selects the engine of the end-to-end tests: SQLite, or PostgreSQL (see `vitest.config.ts` in this folder). */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import postgres from 'postgres'
import { makeMigratedDatabase } from './migrated-database.js'
import type { TestDatabase } from './postgres.js'

export const isOnPostgres = process.env.KEEPSAKE_TEST_ENGINE === 'postgres'

const databases = new Map<string, Promise<TestDatabase>>()

/** Returns the same database for the same directory, so that a service that restarts there finds its data. */
export function databaseFor(dataDir: string): Promise<TestDatabase> {
  const server = process.env.SERVICE_TEST_DATABASE_URL
  if (!server) throw new Error('KEEPSAKE_TEST_ENGINE=postgres needs SERVICE_TEST_DATABASE_URL')
  const known = databases.get(dataDir) ?? makeMigratedDatabase(server, 0)
  databases.set(dataDir, known)
  return known
}

/** Everything that an engine has stored: the bytes of each file, or every row of every table. */
export async function keptIn(dataDir: string): Promise<{ readonly path: string; readonly bytes: Buffer }[]> {
  const kept: { path: string; bytes: Buffer }[] = []
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    kept.push({ path, bytes: await readFile(path) })
  }
  if (!isOnPostgres) return kept
  await unhidden(dataDir, async (sql) => {
    const tables = await sql`SELECT tablename FROM pg_tables WHERE schemaname = current_schema()`
    for (const { tablename } of tables) {
      const rows = await sql`SELECT t::text AS row FROM ${sql(tablename)} t`
      kept.push({ path: tablename, bytes: Buffer.from(rows.map(({ row }) => row).join('\n')) })
    }
  })
  return kept
}

/** Runs a statement directly on the database, bypassing the service. */
export async function changeBehindItsBack(dataDir: string, statement: string): Promise<void> {
  if (isOnPostgres) return unhidden(dataDir, async (sql) => void (await sql.unsafe(statement)))
  const database = new DatabaseSync(join(dataDir, 'keepsake.db'))
  database.exec(statement)
  database.close()
}

async function unhidden(dataDir: string, work: (sql: postgres.TransactionSql) => Promise<void>): Promise<void> {
  const sql = postgres((await databaseFor(dataDir)).url, { max: 1 })
  try {
    await sql.begin(async (transaction) => {
      await transaction`CALL keepsake_see('', 'yes', 'yes')`
      await work(transaction)
    })
  } finally {
    await sql.end()
  }
}
