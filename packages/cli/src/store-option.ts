/** Which store a command means: the one that is named, or the service's own. */
import { type Config, ConfigError, readConfig } from '@keepsake/server/config'
import type { PortableStore } from '@keepsake/server/portable'
import { UsageError } from './command.js'

export interface StoreOptions {
  readonly 'data-dir'?: string | undefined
  readonly 'database-url'?: string | undefined
}

/** As the service itself would find it, so that a command means the same store in the same place. */
export function storeOf(options: StoreOptions): PortableStore {
  const { 'data-dir': dataDir, 'database-url': databaseUrl } = options
  for (const [name, value] of Object.entries(options)) {
    if (value === '') throw new UsageError(`--${name} must not be empty`)
  }
  if (dataDir !== undefined && databaseUrl !== undefined) {
    throw new UsageError('--data-dir and --database-url name two stores: give one of them')
  }
  if (databaseUrl !== undefined) return { databaseUrl }
  if (dataDir !== undefined) return { dataDir }
  const config = settings()
  if (config.databaseUrl === undefined) return { dataDir: config.dataDir }
  return { databaseUrl: config.databaseUrl, partitions: config.databasePartitions }
}

export function settings(): Config {
  try {
    return readConfig().config
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message) : error
  }
}
