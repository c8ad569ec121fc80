/** Opens a database for export. The connection reads one snapshot, unaffected by a running service. */
import { type PortableReader, PortableRefused, StoreEmpty } from '../ports/portable.js'
import { usualLimits } from '../ports/storage-limits.js'
import { countsOf, readRecords } from '../sql/portable/read.js'
import { connectorTo } from './connector.js'
import { migrations } from './migrate.js'
import { patient, refusal } from './portable-connection.js'
import { PostgresSession } from './session.js'

export async function openPostgresPortableReader(url: string): Promise<PortableReader> {
  const connector = connectorTo(url)
  const connection = connector.connect(patient)
  const session = new PostgresSession(connection, usualLimits)
  try {
    await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    await refuseUnknown(session)
  } catch (error) {
    connection.destroy()
    throw refusal(error)
  } finally {
    await connector.close()
  }
  return {
    ...countsOf(session),
    async *read(selection) {
      try {
        yield* readRecords(session, selection)
      } catch (error) {
        throw refusal(error)
      }
    },
    close: () => connection.close(),
  }
}

async function refuseUnknown(session: PostgresSession): Promise<void> {
  const table = await session.get<{ found: boolean }>(`SELECT to_regclass('keepsake_schema') IS NOT NULL AS found`)
  if (!table?.found) throw new StoreEmpty('the database has no tables: start a service on it first')
  const standing = await session.get<{ version: number }>('SELECT max(version) AS version FROM keepsake_schema')
  const latest = migrations.at(-1)?.version
  if (standing?.version === latest) return
  throw new PortableRefused(
    `the database has schema ${standing?.version}, and this release needs ${latest}: start a service of the matching release on it once`,
  )
}
