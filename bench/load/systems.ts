/** The systems under load: the service on each engine, with its data, in one or two instances. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startPostgres } from '../../packages/server/test/services/postgres.js'
import { type ServiceProcess, serviceEnvironment, startService } from '../service-process.js'
import type { Scenario } from '../speed/scenario.js'
import type { Seeds } from '../speed/seed.js'
import { seedPostgres } from './seed-postgres.js'
import type { Group } from './usage.js'

export interface LoadedSystem {
  readonly name: string
  readonly roots: readonly string[]
  readonly sharesTexts: boolean
  /** The processes that do the work: the service's, and others if there are any. */
  readonly groups: readonly Group[]
  close(): Promise<void>
}

/** A system with its data, ready to start instances of the service. */
export interface Prepared {
  readonly instanceCounts: readonly number[]
  /** `settings` are added to those of the benches. */
  open(instances: number, settings?: Readonly<Record<string, string>>): Promise<LoadedSystem>
  close(): Promise<void>
}

const readyTimeoutMs = 180_000
const quiet = { SERVICE_LOG_LEVEL: 'warn' }

export async function prepareSqlite(scenario: Scenario, seeds: Seeds, scratch: string): Promise<Prepared> {
  const dataDir = join(scratch, `sqlite-${scenario.name}`)
  await seeds.copyTo(scenario, dataDir)
  return {
    instanceCounts: [1],
    open: (_instances, settings) => openSqlite(dataDir, scratch, settings),
    close: () => rm(dataDir, { recursive: true, force: true }),
  }
}

export async function openSqlite(
  dataDir: string,
  scratch: string,
  settings?: Readonly<Record<string, string>>,
): Promise<LoadedSystem> {
  const log = { SERVICE_AUDIT_LOG: join(scratch, 'audit.log') }
  const environment = { ...serviceEnvironment(dataDir), ...quiet, ...log, ...settings }
  const service = await startService({ environment, workingDirectory: scratch, readyTimeoutMs })
  return system('SQLite', [service], false, [])
}

export async function preparePostgres(
  scenario: Scenario,
  seeds: Seeds,
  scratch: string,
  log: (line: string) => void,
): Promise<Prepared> {
  const directory = join(scratch, `postgres-${scenario.name}`)
  await mkdir(directory, { recursive: true })
  const server = await startPostgres({ durable: true, directory })
  await seedPostgres(server, scenario, seeds.centres, log)
  return {
    instanceCounts: [1, 2],
    async open(instances, settings) {
      const services: ServiceProcess[] = []
      for (let instance = 0; instance < instances; instance++) {
        const dataDir = join(scratch, `instance-${instance}`)
        const environment = {
          ...serviceEnvironment(dataDir),
          ...quiet,
          SERVICE_DATABASE_URL: server.url,
          SERVICE_AUDIT_LOG: join(scratch, `audit-${instance}.log`),
          ...settings,
        }
        services.push(await startService({ environment, workingDirectory: scratch, readyTimeoutMs }))
      }
      return system('PostgreSQL', services, true, [{ name: 'database', pids: () => server.pids() }])
    },
    async close() {
      await server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

function system(
  name: string,
  services: readonly ServiceProcess[],
  sharesTexts: boolean,
  others: readonly Group[],
): LoadedSystem {
  const pids = services.map(({ pid }) => pid)
  return {
    name,
    roots: services.map(({ root }) => root),
    sharesTexts,
    groups: [{ name: 'service', pids: async () => pids }, ...others],
    async close() {
      await Promise.all(services.map((service) => service.stop()))
    },
  }
}
