/** Brings the schema up to date. The first instance to start does it; others wait. */
import { newerSchema } from '../sql/refusals.js'
import { latestVersion, stepsAfter } from '../sql/schema-steps.js'
import type { Connection } from './connection.js'
import { distribute, hasCitus, isAlreadyDistributed } from './distribute.js'
import { codeOf } from './errors.js'
import { layoutOf } from './layout.js'
import { DatabaseUnusable, type Migration } from './migration.js'
import { initial } from './migrations/0001-initial.js'
import { answersAndClaims } from './migrations/0002-answers-and-claims.js'
import { events } from './migrations/0003-events.js'
import { outdatedParts } from './migrations/0004-outdated-parts.js'
import { conversations } from './migrations/0005-conversations.js'
import { facts } from './migrations/0006-facts.js'
import { userBytes } from './migrations/0007-user-bytes.js'
import { scopedKeys } from './migrations/0008-scoped-keys.js'
import { oauthGrants } from './migrations/0009-oauth-grants.js'
import { eventTimes } from './migrations/0010-event-times.js'
import { spaces } from './migrations/0011-spaces.js'
import { applicationKeys } from './migrations/0012-application-keys.js'
import { items } from './migrations/0013-items.js'
import { indexSegments } from './migrations/0014-index-segments.js'
import { routines } from './migrations/0015-routines.js'
import { statementsOf } from './statements.js'

export const migrations: readonly Migration[] = [
  initial,
  answersAndClaims,
  events,
  outdatedParts,
  conversations,
  facts,
  userBytes,
  scopedKeys,
  oauthGrants,
  eventTimes,
  spaces,
  applicationKeys,
  items,
  indexSegments,
  routines,
]

/** "Keepsake" in ASCII: no other program in the same database takes this lock. */
const lock = '5432860059138878309'

const partitionedTables =
  'The database has Citus, which distributes the tables itself: they must not be partitioned. Leave out SERVICE_DATABASE_PARTITIONS; a database that already has partitions moves with keepsake export and import'

/** Runs all pending steps in one transaction. `partitions` only applies to an empty database. */
export async function migrate(
  connection: Connection,
  steps: readonly Migration[],
  partitions: number,
): Promise<{ readonly version: number }> {
  await connection.query('BEGIN')
  try {
    await connection.query(`SELECT pg_advisory_xact_lock(${lock})`)
    const standing = await standingOf(connection)
    const latest = latestVersion(steps)
    if (standing.version > latest) {
      throw new DatabaseUnusable(newerSchema('The database', standing.version, latest))
    }
    const isDistributed = await hasCitus(connection)
    const layout = layoutOf(
      standing.version === 0 ? partitions : standing.partitions,
      isDistributed && (await isAlreadyDistributed(connection)),
    )
    if (isDistributed && layout.partitions > 0) throw new DatabaseUnusable(partitionedTables)
    for (const step of stepsAfter(steps, standing.version)) {
      for (const statement of statementsOf(step.sql(layout))) await connection.query(statement)
      await connection.query('INSERT INTO keepsake_schema (version, partitions) VALUES ($1, $2)', [
        step.version,
        layout.partitions,
      ])
    }
    if (isDistributed) await distribute(connection)
    await connection.query('COMMIT')
    return { version: latest }
  } catch (error) {
    if (!connection.isDead) await connection.query('ROLLBACK')
    throw error
  }
}

interface Standing {
  readonly version: number
  readonly partitions: number
}

async function standingOf(connection: Connection): Promise<Standing> {
  await requireVector(connection)
  const tables = await connection.query<{ name: string }>(
    `SELECT tablename::text AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename = ANY ($1::text[])`,
    [['keepsake_schema', 'users', 'memories']],
  )
  const names = tables.rows.map((table) => table.name)
  if (names.length > 0 && !names.includes('keepsake_schema')) {
    throw new DatabaseUnusable(
      `The database has a table "${names[0]}" of another program, and was left unchanged: give Keepsake its own database`,
    )
  }
  await connection.query(
    'CREATE TABLE IF NOT EXISTS keepsake_schema (version bigint PRIMARY KEY, partitions bigint NOT NULL)',
  )
  const standing = await connection.query<Standing>(
    'SELECT version, partitions FROM keepsake_schema ORDER BY version DESC LIMIT 1',
  )
  return standing.rows[0] ?? { version: 0, partitions: 0 }
}

async function requireVector(connection: Connection): Promise<void> {
  const found = await connection.query(`SELECT 1 FROM pg_extension WHERE extname = 'vector'`)
  if (found.rows.length > 0) return
  try {
    await connection.query('CREATE EXTENSION vector')
  } catch (error) {
    // Not installed on that machine, or this role is not allowed to create it.
    if (!['58P01', '0A000', '42501'].includes(codeOf(error))) throw error
    throw new DatabaseUnusable(
      'The database has no extension "vector": install pgvector on its machine, and have a superuser run CREATE EXTENSION vector in the database',
    )
  }
}
