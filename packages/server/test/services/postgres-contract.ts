/** The storage contract on PostgreSQL. Each layout has a file of its own, so that they run side by side. */
import { afterAll, beforeAll } from 'vitest'
import { describeStorageContract } from '../../src/storage/contract/storage.contract.js'
import { openPostgresPortableReader } from '../../src/storage/postgres/portable-read.js'
import { openPostgresPortableWriter } from '../../src/storage/postgres/portable-write.js'
import { openPostgresStorage } from '../../src/storage/postgres/postgres-storage.js'
import { makeMigratedDatabase } from './migrated-database.js'
import { anyPostgres, type PostgresServer } from './postgres.js'

export function describePostgresContract(name: string, partitions: number): void {
  let server: Pick<PostgresServer, 'url' | 'close'>
  beforeAll(async () => {
    server = await anyPostgres()
  })
  afterAll(async () => {
    await server?.close()
  })

  describeStorageContract(name, async () => {
    const database = await makeMigratedDatabase(server.url, partitions)
    const options = { url: database.url, partitions, poolSize: 4 }
    let storage = await openPostgresStorage(options)
    return {
      storage,
      async reopen(limits) {
        await storage.close()
        storage = await openPostgresStorage({ ...options, limits })
        return storage
      },
      portableReader: () => openPostgresPortableReader(database.url),
      portableWriter: () => openPostgresPortableWriter({ url: database.url }),
      async destroy() {
        await storage.close()
        await database.drop()
      },
    }
  })
}
