/** One PostgreSQL for all test files, unless SERVICE_TEST_DATABASE_URL names one that runs already. */
import { anyPostgres } from './postgres.js'

export default async function setup(): Promise<() => Promise<void>> {
  const server = await anyPostgres()
  // Test files run in processes that get this environment.
  process.env.SERVICE_TEST_DATABASE_URL = server.url
  return server.close
}
