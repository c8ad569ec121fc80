/**
 * Starts one PostgreSQL for all test files, unless SERVICE_TEST_DATABASE_URL names a running one; with KEEPSAKE_TEST_CITUS, one
 * Citus cluster.
 */
import { startCitus } from './citus.js'
import { shareNodes } from './citus-databases.js'
import { anyPostgres } from './postgres.js'

export default async function setup(): Promise<() => Promise<void>> {
  if (process.env.KEEPSAKE_TEST_CITUS && !process.env.SERVICE_TEST_DATABASE_URL) {
    const cluster = await startCitus()
    // The worker processes inherit this environment.
    process.env.SERVICE_TEST_DATABASE_URL = cluster.url
    shareNodes(cluster.nodes)
    return cluster.close
  }
  const server = await anyPostgres()
  process.env.SERVICE_TEST_DATABASE_URL = server.url
  return server.close
}
