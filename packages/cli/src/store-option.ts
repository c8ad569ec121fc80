/** Which store a command means: the one that is named, or the service's own. */
import type { Config } from '@keepsake/server/config'
import type { PortableStore } from '@keepsake/server/portable'
import { type Options, UsageError } from './command.js'

/** For what the embedded store alone can do. */
export const embeddedOptions = {
  'data-dir': {
    type: 'string',
    value: 'DIRECTORY',
    help: 'the service’s; without it SERVICE_DATA_DIR, the .env file here, or ./data',
  },
} as const satisfies Options

export const storeOptions = {
  'data-dir': { type: 'string', value: 'DIRECTORY', help: 'the service’s data directory' },
  'database-url': {
    type: 'string',
    value: 'URL',
    help: 'the service’s PostgreSQL; without either, what SERVICE_DATABASE_URL and SERVICE_DATA_DIR say, or ./data',
  },
} as const satisfies Options

export interface StoreOptions {
  readonly 'data-dir'?: string | undefined
  readonly 'database-url'?: string | undefined
}

/** As the service itself would find it, so that a command means the same store in the same place. */
export async function storeOf(options: StoreOptions): Promise<PortableStore> {
  const { 'data-dir': dataDir, 'database-url': databaseUrl } = options
  if (dataDir === '' || databaseUrl === '') throw new UsageError('the name of a store must not be empty')
  if (dataDir !== undefined && databaseUrl !== undefined) {
    throw new UsageError('--data-dir and --database-url name two stores: give one of them')
  }
  if (databaseUrl !== undefined) return { databaseUrl }
  if (dataDir !== undefined) return { dataDir }
  const config = await settings()
  if (config.databaseUrl === undefined) return { dataDir: config.dataDir }
  return { databaseUrl: config.databaseUrl, partitions: config.databasePartitions }
}

export async function settings(): Promise<Config> {
  const { ConfigError, readConfig } = await import('@keepsake/server/config')
  try {
    return readConfig().config
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message) : error
  }
}
