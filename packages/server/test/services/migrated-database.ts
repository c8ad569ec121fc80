/** Databases that already have the schema, for tests that are not about migrations: copying one is quicker than migrating an empty one. */
import { openPostgresStorage } from '../../src/storage/postgres/postgres-storage.js'
import { empty, nodesOf } from './citus-databases.js'
import { makeDatabase, type TestDatabase } from './postgres.js'

const templates = new Map<string, Promise<TestDatabase>>()

/** Emptied databases on Citus, where a copy takes seconds. */
const returned: TestDatabase[] = []

export async function makeMigratedDatabase(serverUrl: string, partitions: number): Promise<TestDatabase> {
  const nodes = nodesOf(serverUrl)
  if (nodes) {
    const database = returned.pop() ?? (await makeCopy(serverUrl, partitions))
    const drop = async () => {
      await empty(nodes, database)
      returned.push(database)
    }
    return { ...database, drop }
  }
  return makeCopy(serverUrl, partitions)
}

async function makeCopy(serverUrl: string, partitions: number): Promise<TestDatabase> {
  const key = `${serverUrl} ${partitions}`
  const template = templates.get(key) ?? makeTemplate(serverUrl, partitions)
  templates.set(key, template)
  return makeDatabase(serverUrl, (await template).name)
}

async function makeTemplate(serverUrl: string, partitions: number): Promise<TestDatabase> {
  const database = await makeDatabase(serverUrl)
  const storage = await openPostgresStorage({ url: database.url, partitions })
  await storage.close()
  return database
}
