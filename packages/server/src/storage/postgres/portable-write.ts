/** Opens a database for import. A service may be running on it. */
import { PortableRefused, type PortableWriter } from '../ports/portable.js'
import { usualLimits } from '../ports/storage-limits.js'
import type { SightedSession } from '../sql/portable/rows.js'
import { type PortableTarget, SqlPortableWriter } from '../sql/portable/write.js'
import type { Connection } from './connection.js'
import { connectorTo } from './connector.js'
import { patient, refusal } from './portable-connection.js'
import { prepare } from './prepare.js'
import { PostgresSession } from './session.js'

export interface PostgresDestination {
  readonly url: string
  /** Number of hash partitions for the tables of an empty database; 0: none. */
  readonly partitions?: number
}

export async function openPostgresPortableWriter(destination: PostgresDestination): Promise<PortableWriter> {
  const { url, partitions = 0 } = destination
  const connector = connectorTo(url)
  const connect = () => connector.connect(patient)
  try {
    await prepare({ url, connect, partitions, patienceMs: 0, log: () => undefined })
    return new SqlPortableWriter(new PostgresTarget(connect(), () => connector.close()))
  } catch (error) {
    await connector.close()
    throw error instanceof Error && 'operatorMessage' in error ? error : refusal(error)
  }
}

/** "Imports " in ASCII: an import holds this lock while it writes. */
const lock = '5290515556713198624'

class PostgresTarget implements PortableTarget {
  constructor(
    private readonly connection: Connection,
    private readonly whenClosed: () => Promise<void>,
  ) {}

  async transaction<Result>(work: (session: SightedSession) => Promise<Result>): Promise<Result> {
    const session = new PostgresSession(this.connection, usualLimits)
    try {
      await this.connection.query('BEGIN')
      const result = await work(session)
      await session.settled()
      await this.connection.query('COMMIT')
      return result
    } catch (error) {
      const reason = session.reasonOf(error)
      if (!this.connection.isDead) await this.connection.query('ROLLBACK')
      throw refusal(reason)
    }
  }

  /** Two concurrent imports would mistake each other's records for their own. */
  async takeTurn(): Promise<void> {
    const taken = await this.connection.query<{ held: boolean }>(`SELECT pg_try_advisory_lock(${lock}) AS held`)
    if (!taken.rows[0]?.held) throw new PortableRefused('another import into this database is in progress')
  }

  /** Foreign keys have been checked row by row. */
  async check(): Promise<void> {
    return undefined
  }

  /** Without new statistics a service would plan for an empty database. */
  async tidy(): Promise<void> {
    await this.connection.query('ANALYZE')
  }

  async close(): Promise<void> {
    await this.connection.close()
    await this.whenClosed()
  }
}
