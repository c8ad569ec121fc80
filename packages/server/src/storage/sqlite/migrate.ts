/** Schema versions: `PRAGMA user_version` is the version of a file; each step is one transaction. */
import { newerSchema } from '../sql/refusals.js'
import { latestVersion, stepsAfter } from '../sql/schema-steps.js'
import type { Database } from './database.js'
import type { Migration } from './migration.js'
import { initial } from './migrations/0001-initial.js'
import { versionsByModel } from './migrations/0002-versions-by-model.js'
import { contradictionsAndMerges } from './migrations/0003-contradictions-and-merges.js'
import { inbox } from './migrations/0004-inbox.js'
import { answers } from './migrations/0005-answers.js'
import { events } from './migrations/0006-events.js'
import { userIdEverywhere } from './migrations/0007-user-id-everywhere.js'
import { outdatedParts } from './migrations/0008-outdated-parts.js'
import { conversations } from './migrations/0009-conversations.js'
import { facts } from './migrations/0010-facts.js'
import { userBytes } from './migrations/0011-user-bytes.js'
import { scopedKeys } from './migrations/0012-scoped-keys.js'
import { oauthGrants } from './migrations/0013-oauth-grants.js'
import { eventTimes } from './migrations/0014-event-times.js'
import { spaces } from './migrations/0015-spaces.js'
import { applicationKeys } from './migrations/0016-application-keys.js'
import { items } from './migrations/0017-items.js'
import { indexSegments } from './migrations/0018-index-segments.js'

export const migrations: readonly Migration[] = [
  initial,
  versionsByModel,
  contradictionsAndMerges,
  inbox,
  answers,
  events,
  userIdEverywhere,
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
]

/** "Keep" in ASCII: distinguishes our files from other SQLite databases. */
const applicationId = 0x4b656570

/** Throws for a file that this release must not touch: another program's, or a newer release's. */
export function refuseForeign(db: Database, steps: readonly Migration[], path: string): void {
  const version = pragma(db, 'user_version')
  const latest = latestVersion(steps)
  if (pragma(db, 'application_id') !== applicationId) {
    const tables = db.get<{ count: number }>('SELECT count(*) AS count FROM sqlite_schema')?.count ?? 0
    if (version !== 0 || tables > 0)
      throw new Error(`${path} is a SQLite database of another program; it was not changed`)
  }
  if (version > latest) {
    throw new Error(newerSchema(path, version, latest))
  }
}

export function migrate(db: Database, steps: readonly Migration[], path: string): void {
  refuseForeign(db, steps, path)
  const version = pragma(db, 'user_version')
  if (pragma(db, 'application_id') !== applicationId) db.exec(`PRAGMA application_id = ${applicationId}`)
  for (const step of stepsAfter(steps, version)) {
    // A pragma takes no parameters; the version is a number from our own list.
    inTransaction(db, () => db.exec(`${step.sql};PRAGMA user_version = ${Math.trunc(step.version)}`))
  }
  // This connection may have cached plans from before a migration wrote statistics.
  if (version < latestVersion(steps)) db.exec('ANALYZE sqlite_schema')
}

function inTransaction(db: Database, work: () => void): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    work()
    db.exec('COMMIT')
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK')
    throw error
  }
}

export function pragma(db: Database, name: 'user_version' | 'application_id'): number {
  return db.get<Record<string, number>>(`PRAGMA ${name}`)?.[name] ?? 0
}
