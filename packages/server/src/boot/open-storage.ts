import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config/config.js'
import type { Storage } from '../storage/ports/storage.js'
import { openSqliteStorage } from '../storage/sqlite/sqlite-storage.js'
import type { StartWorker } from '../storage/sqlite/thread.js'

/** PostgreSQL where the settings name a database, else SQLite in the data directory. */
export async function openStorage(
  config: Config,
  dataDir: string,
  logger: Logger,
  startWorker?: StartWorker,
): Promise<Storage> {
  const log = (message: string) => logger.info(message)
  const { databaseUrl: url, databasePartitions: partitions, databasePool: poolSize, vacuumMaxBytes: maxBytes } = config
  const limits = { versionsKept: config.versionsKept, userBytes: config.userQuotaBytes }
  if (url === undefined) return openSqliteStorage({ dataDir, log, vacuum: { maxBytes }, limits, startWorker })
  // Loaded on demand: most starts do not need these modules.
  const { openPostgresStorage } = await import('../storage/postgres/postgres-storage.js')
  const timelineFile = join(dataDir, 'database-timeline.json')
  return openPostgresStorage({
    url,
    partitions,
    log,
    limits,
    timelineFile,
    readFromStandbys: config.databaseReplicas,
    ...(poolSize === undefined ? {} : { poolSize }),
  })
}
