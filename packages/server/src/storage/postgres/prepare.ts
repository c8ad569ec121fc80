/** Runs once, before the first call: waits for the database, brings its schema up to date and checks its role. */
import { setTimeout as sleep } from 'node:timers/promises'
import { databaseHosts } from '../../core/database-hosts.js'
import { problems } from '../sql/refusals.js'
import type { Connection } from './connection.js'
import { awayProblem, codeOf, isAway } from './errors.js'
import { migrate, migrations } from './migrate.js'
import { DatabaseUnusable } from './migration.js'

export interface Preparation {
  readonly url: string
  readonly connect: () => Connection
  readonly partitions: number
  readonly patienceMs: number
  readonly log: (message: string) => void
}

const waitMs = 500

export async function prepare(preparation: Preparation): Promise<void> {
  const { connect, partitions, patienceMs, log } = preparation
  for (let waitedMs = 0; ; waitedMs += waitMs) {
    const connection = connect()
    try {
      await migrate(connection, migrations, partitions)
      await warnOfPower(connection, log)
      if ((databaseHosts(preparation.url) ?? []).length > 1) await warnOfLoss(connection, log)
      await connection.close()
      return
    } catch (error) {
      connection.destroy()
      if (!isAway(error) || waitedMs >= patienceMs) throw unusable(error, preparation.url)
      if (waitedMs === 0) log('the database does not answer yet: waiting for it')
      await sleep(waitMs)
    }
  }
}

/** A role that bypasses row-level security loses one of the barriers between users. */
async function warnOfPower(connection: Connection, log: (message: string) => void): Promise<void> {
  const { rows } = await connection.query<{ passes: boolean }>(
    'SELECT rolsuper OR rolbypassrls AS passes FROM pg_roles WHERE rolname = current_user',
  )
  if (rows[0]?.passes) {
    log('SERVICE_DATABASE_URL: its role bypasses row-level security (a superuser?); use a role that does not')
  }
}

async function warnOfLoss(connection: Connection, log: (message: string) => void): Promise<void> {
  const { rows } = await connection.query<{ waits: boolean }>(
    `SELECT current_setting('synchronous_standby_names') <> ''
       AND current_setting('synchronous_commit') NOT IN ('off', 'local') AS waits`,
  )
  if (rows[0]?.waits) return
  log(
    'SERVICE_DATABASE_URL: commits do not wait for a standby, so a failover may lose acknowledged writes; set synchronous_standby_names',
  )
}

function unusable(error: unknown, url: string): unknown {
  if (error instanceof DatabaseUnusable) return error
  const code = codeOf(error)
  // Only the host, port and name of the database: the URL also has credentials.
  const hosts = databaseHosts(url) ?? []
  const { pathname } = new URL(hosts[0]?.url ?? url)
  const where = `${hosts.map((host) => new URL(host.url).host).join(',')}${pathname}`
  const problem = isAway(error)
    ? awayProblem(error) === 'away'
      ? `${where} does not answer`
      : `${where}: ${problems[awayProblem(error)]}`
    : code.startsWith('28')
      ? `${where} refuses the role or its password`
      : code === '3D000'
        ? `${where} does not exist`
        : code === '42501'
          ? `the role may not create tables in ${where}: it should own the database`
          : undefined
  if (problem === undefined) return error
  const example = 'SERVICE_DATABASE_URL=postgres://keepsake:secret@127.0.0.1:5432/keepsake'
  return new DatabaseUnusable(`SERVICE_DATABASE_URL: ${problem} (${code}); for example ${example}`)
}
