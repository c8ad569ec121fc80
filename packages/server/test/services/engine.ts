/** Which engine the end-to-end tests run on: the embedded one, or PostgreSQL (see `vitest.config.ts` beside this file). */
import { makeDatabase } from './postgres.js'

export const isOnPostgres = process.env.KEEPSAKE_TEST_ENGINE === 'postgres'

type TestDatabase = Awaited<ReturnType<typeof makeDatabase>>
const databases = new Map<string, Promise<TestDatabase>>()

/** The same one for the same directory: a service that starts there again finds its data. */
export function databaseFor(dataDir: string): Promise<TestDatabase> {
  const server = process.env.SERVICE_TEST_DATABASE_URL
  if (!server) throw new Error('KEEPSAKE_TEST_ENGINE=postgres needs SERVICE_TEST_DATABASE_URL')
  const known = databases.get(dataDir) ?? makeDatabase(server)
  databases.set(dataDir, known)
  return known
}
