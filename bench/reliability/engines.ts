/** The two engines as the fault tests use them: always durable, as in production. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type PostgresOptions,
  type PostgresServer,
  startPostgres,
} from '../../packages/server/test/services/postgres.js'
import { type StartOptions, serviceEnvironment } from '../service-process.js'
import type { EngineName } from './fault.js'

export interface Engine {
  /** Options to start a service on it. */
  readonly start: StartOptions
  /** Undefined if the engine is part of the service. */
  readonly server: PostgresServer | undefined
  close(): Promise<void>
}

/** The data is or will be in `directory`; nothing removes it. */
export async function openEngine(
  name: EngineName,
  directory: string,
  options: Pick<PostgresOptions, 'logDirectory'> = {},
): Promise<Engine> {
  if (name === 'sqlite') {
    return { start: await startOptions(directory), server: undefined, close: async () => undefined }
  }
  const serverDirectory = join(directory, 'postgres')
  await mkdir(serverDirectory, { recursive: true })
  const server = await startPostgres({ durable: true, directory: serverDirectory, ...options })
  return { start: await startOptions(directory, server.url), server, close: () => server.close() }
}

/** Options to start a service with its files in this directory. */
export async function startOptions(directory: string, databaseUrl?: string): Promise<StartOptions> {
  // Working directory of the service and its audit log. A separate one, because a line truncated by a kill must not
  // prevent the next start.
  const workingDirectory = join(directory, 'service')
  await mkdir(workingDirectory, { recursive: true })
  const environment = {
    ...serviceEnvironment(join(workingDirectory, 'data')),
    SERVICE_AUDIT_LOG: join(workingDirectory, 'audit.log'),
    SERVICE_LOG_LEVEL: 'warn',
    ...(databaseUrl === undefined ? {} : { SERVICE_DATABASE_URL: databaseUrl }),
  }
  return { environment, workingDirectory }
}
