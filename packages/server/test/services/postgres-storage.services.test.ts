import { afterAll, beforeAll } from 'vitest'
import { describeStorageContract } from '../../src/storage/contract/storage.contract.js'
import { openPostgresPortableReader } from '../../src/storage/postgres/portable-read.js'
import { openPostgresPortableWriter } from '../../src/storage/postgres/portable-write.js'
import { openPostgresStorage } from '../../src/storage/postgres/postgres-storage.js'
import { anyPostgres, makeDatabase, type PostgresServer } from './postgres.js'

let server: Pick<PostgresServer, 'url' | 'close'>

beforeAll(async () => {
  server = await anyPostgres()
})
afterAll(async () => {
  await server?.close()
})

for (const partitions of [0, 2]) {
  const name = partitions === 0 ? 'PostgreSQL' : `PostgreSQL in ${partitions} hash partitions`
  describeStorageContract(name, async () => {
    const database = await makeDatabase(server.url)
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
