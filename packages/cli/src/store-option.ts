/** Which store a command works on: the one that is named, or the one the service uses. */
import type { Config } from '@keepsake/server/config'
import type { PortableStore } from '@keepsake/server/portable'
import { type Options, UsageError } from './command.js'

/** For commands that only work with the embedded store. */
export const embeddedOptions = {
  'data-dir': {
    type: 'string',
    value: 'DIRECTORY',
    help: 'data directory of the service; default SERVICE_DATA_DIR, or ./data',
  },
} as const satisfies Options

export const storeOptions = {
  'data-dir': { type: 'string', value: 'DIRECTORY', help: 'data directory of the service' },
  'database-url': {
    type: 'string',
    value: 'URL',
    help: 'PostgreSQL database of the service; default for both: SERVICE_DATABASE_URL, SERVICE_DATA_DIR, or ./data',
  },
} as const satisfies Options

export interface StoreOptions {
  readonly 'data-dir'?: string | undefined
  readonly 'database-url'?: string | undefined
}

/** Resolves the store as the service does, but from the environment only: no command reads the service's `.env`. */
export async function storeOf(options: StoreOptions): Promise<PortableStore> {
  const { 'data-dir': dataDir, 'database-url': databaseUrl } = options
  if (dataDir === '' || databaseUrl === '') throw new UsageError('the name of a store must not be empty')
  if (dataDir !== undefined && databaseUrl !== undefined) {
    throw new UsageError('--data-dir and --database-url name different stores: pass only one')
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
