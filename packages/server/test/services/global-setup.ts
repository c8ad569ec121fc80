/** Starts one PostgreSQL for all test files, unless SERVICE_TEST_DATABASE_URL names a running one. */
import { anyPostgres } from './postgres.js'

export default async function setup(): Promise<() => Promise<void>> {
  const server = await anyPostgres()
  // The worker processes inherit this environment.
  process.env.SERVICE_TEST_DATABASE_URL = server.url
  return server.close
}
