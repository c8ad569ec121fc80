import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeStorageContract } from '../contract/storage.contract.js'
import { keptThreads } from './kept-threads.fixture.js'
import { openSqlitePortableReader } from './portable-read.js'
import { openSqlitePortableWriter } from './portable-write.js'
import { openSqliteStorage } from './sqlite-storage.js'

describeStorageContract('SQLite', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'keepsake-contract-'))
  let storage = await openSqliteStorage({ dataDir, startWorker: keptThreads })
  return {
    storage,
    async reopen(limits) {
      await storage.close()
      // In its own threads, as in the service.
      storage = await openSqliteStorage({ dataDir, limits })
      return storage
    },
    portableReader: async () => openSqlitePortableReader({ dataDir }),
    portableWriter: async () => openSqlitePortableWriter(dataDir),
    async destroy() {
      await storage.close()
      await rm(dataDir, { recursive: true })
    },
  }
})
