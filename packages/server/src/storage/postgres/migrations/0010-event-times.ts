import type { Migration } from '../migration.js'

/** See the migration of SQLite. */
export const eventTimes: Migration = {
  version: 10,
  sql: () => `
ALTER TABLE versions ADD event_from bigint, ADD event_to bigint;
`,
}
